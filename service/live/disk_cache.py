"""A copy of every current snapshot and its edits on disk, for a start without the store."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

import orjson
import structlog

from snapshot import Snapshot, SnapshotCorrupt, SnapshotError, decode
from snapshot.edits import NO_EDITS, EditState, decode_state, encode_state

SUFFIX: Final = ".snapshot"
EDITS_SUFFIX: Final = ".edits"
DELETIONS_SUFFIX: Final = ".deletions"
HEAD: Final = 8
"""Bytes of the length of the meta part, which follows; the arrays come last."""

log = structlog.get_logger()


@dataclass(frozen=True, eq=False)
class Copy:
    """A copy of a snapshot, its meta as it is stored, and when the copy was written."""

    snapshot: Snapshot
    meta: bytes
    written: float


@dataclass(frozen=True)
class Deletions:
    """The pushed documents that were deleted, each with the revision, and when all were; 0 if they never were."""

    documents: Mapping[str, int] = field(default_factory=dict)
    cleared: int = 0


class DiskCache:
    """The last snapshot and the edits of every corpus on disk, for a start while the store is away.

    One file per corpus and one for its edits, replaced atomically. Snapshots have the same bytes as in the store;
    reading verifies the checksums.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.damaged: dict[str, str] = {}
        """Corpora whose copy could not be read the last time, and why."""

    def write(self, corpus: str, meta: bytes, arrays: bytes) -> None:
        """Replace the copy of a corpus. If the disk is full or read-only, log a warning."""
        self._replace(corpus, self._path(corpus), len(meta).to_bytes(HEAD, "big") + meta + arrays)

    def write_edits(self, corpus: str, edits: EditState) -> None:
        """Replace the copy of the edits of a corpus."""
        self._replace(corpus, self._path(corpus, EDITS_SUFFIX), encode_state(edits))

    def read_edits(self, corpus: str) -> EditState:
        """The copy of the edits of a corpus; none if there is no readable one."""
        path = self._path(corpus, EDITS_SUFFIX)
        try:
            return decode_state(path.read_bytes())
        except FileNotFoundError:
            return NO_EDITS
        except (OSError, ValueError) as error:
            log.error("copy refused", file=path.name, reason=str(error))  # noqa: TRY400 - the message is enough
            return NO_EDITS

    def write_deletions(self, corpus: str, deletions: Deletions) -> None:
        """Replace the copy of what was deleted since the version, so that a start without the store hides it too."""
        path = self._path(corpus, DELETIONS_SUFFIX)
        if deletions != Deletions() or path.exists():
            content = {"cleared": deletions.cleared, "documents": deletions.documents}
            self._replace(corpus, path, orjson.dumps(content))

    def read_deletions(self, corpus: str) -> Deletions:
        """The copy of what was deleted since the version; nothing if there is no readable one."""
        path = self._path(corpus, DELETIONS_SUFFIX)
        try:
            content = orjson.loads(path.read_bytes())
            return Deletions({str(name): int(at) for name, at in content["documents"].items()}, int(content["cleared"]))
        except FileNotFoundError:
            return Deletions()
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            log.error("copy refused", file=path.name, reason=str(error))  # noqa: TRY400 - the message is enough
            return Deletions()

    def erase(self, corpus: str) -> list[Path]:
        """Remove all copies of a corpus; returns the files that were there."""
        paths = [self._path(corpus, suffix) for suffix in (SUFFIX, EDITS_SUFFIX, DELETIONS_SUFFIX)]
        found = [path for path in paths if path.exists()]
        for path in found:
            path.unlink(missing_ok=True)
        return found

    def _replace(self, corpus: str, path: Path, content: bytes) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, prefix=".", delete=False) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(path)
        except OSError as error:
            log.warning("cannot write the copy to disk", corpus=corpus, reason=str(error))

    def read(self) -> Iterator[Copy]:
        """All intact copies; notes those that are damaged."""
        self.damaged = {}
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            try:
                copy = _decode_file(path.read_bytes(), path.stat().st_mtime)
                if self._path(copy.snapshot.corpus) != path:
                    raise SnapshotCorrupt(f"{path.name} holds {copy.snapshot.corpus}")
            except (OSError, SnapshotError) as error:
                log.error("copy refused", file=path.name, reason=str(error))  # noqa: TRY400 - the message is enough
                self.damaged[unquote(path.name.removesuffix(SUFFIX))] = str(error)
                continue
            yield copy

    def _path(self, corpus: str, suffix: str = SUFFIX) -> Path:
        return self._folder / f"{quote(corpus, safe='')}{suffix}"


def _decode_file(blob: bytes, written: float) -> Copy:
    end = HEAD + int.from_bytes(blob[:HEAD], "big")
    return Copy(decode(blob[HEAD:end], blob[end:]), blob[HEAD:end], written)
