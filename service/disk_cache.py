"""A copy of every current snapshot on disk, for a start without the store."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import structlog

from snapshot import Snapshot, SnapshotCorrupt, SnapshotError, decode

SUFFIX: Final = ".snapshot"
HEAD: Final = 8
"""Bytes of the length of the meta part, which follows; the arrays come last."""

log = structlog.get_logger()


@dataclass(frozen=True, eq=False)
class Copy:
    """A copy of a snapshot, its meta as it is stored, and when the copy was written."""

    snapshot: Snapshot
    meta: bytes
    written: float


class DiskCache:
    """The last snapshot of every corpus on disk, for a start while the store is away.

    One file per corpus, with the same bytes as in the store, replaced atomically; reading verifies the checksums.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, corpus: str, meta: bytes, arrays: bytes) -> None:
        """Replace the copy of a corpus. If the disk is full or read-only, log a warning."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, prefix=".", delete=False) as file:
                file.write(len(meta).to_bytes(HEAD, "big") + meta + arrays)
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(self._path(corpus))
        except OSError as error:
            log.warning("cannot write the copy to disk", corpus=corpus, reason=str(error))

    def read(self) -> Iterator[Copy]:
        """All intact copies."""
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            try:
                copy = _decode_file(path.read_bytes(), path.stat().st_mtime)
                if self._path(copy.snapshot.corpus) != path:
                    raise SnapshotCorrupt(f"{path.name} holds {copy.snapshot.corpus}")
            except (OSError, SnapshotError) as error:
                log.error("copy refused", file=path.name, reason=str(error))  # noqa: TRY400 - the message is enough
                continue
            yield copy

    def _path(self, corpus: str) -> Path:
        return self._folder / f"{quote(corpus, safe='')}{SUFFIX}"


def _decode_file(blob: bytes, written: float) -> Copy:
    end = HEAD + int.from_bytes(blob[:HEAD], "big")
    return Copy(decode(blob[HEAD:end], blob[end:]), blob[HEAD:end], written)
