"""The files of documents that the processes of a service share: one process writes each, all map it.

A file is named after its content. A process that maps a file holds a shared lock on it until its last array is gone.
So a file that nobody maps can be told by its lock, also after a crash: the system frees the locks of a dead process.
"""

import fcntl
import hashlib
import mmap
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import structlog

from service.view.document_store import DocumentStore, MissingDocuments, left_out_of
from snapshot import SnapshotMeta, SnapshotStore, has_checksums, index_checksums, table_in

SUFFIX: Final = ".documents"
PARTIAL: Final = ".partial"
PATIENCE_SECONDS: Final = 20.0
"""A process waits this long for another that writes; then it writes itself, which is wasteful but harmless."""

ABANDONED_SECONDS: Final = 60.0
"""A partial file that nobody has locked or written to for this long is the remains of a dead process."""

log = structlog.get_logger()


class DocumentFiles:
    """The files of documents in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: dict[str, str] = {}

    def open(
        self, meta: SnapshotMeta, raw_meta: bytes, store: SnapshotStore | None
    ) -> DocumentStore | MissingDocuments:
        """The documents of a version, mapped; without a store, only if their file is there.

        If the disk is full or read-only, the documents are missing, and everything else goes on.

        Raises:
            StoreUnavailable, NoSuchVersion, SnapshotCorrupt: the store does not provide them.
        """
        checksums = index_checksums(raw_meta)
        if checksums is None:
            return left_out_of(meta.corpus)
        path = self._path(meta.corpus, checksums)
        self._opened[meta.corpus] = path.name
        try:
            mapped = _map_verified(path, checksums)
            if mapped is None and store is not None:
                chunks = store.index_chunks(meta.corpus, meta.version, checksums)
                mapped = self._write_once(path, checksums, chunks)
        except OSError as error:
            reason = f"the documents of {meta.corpus} need a file in {self._folder}: {error.strerror or error}"
            log.warning("cannot hold the documents", corpus=meta.corpus, version=meta.version, reason=reason)
            return MissingDocuments(reason)
        if mapped is None:
            return MissingDocuments(
                f"the store is away, and there is no copy of the documents of {meta.corpus} on disk"
            )
        return DocumentStore(table_in(mapped), meta, len(mapped))

    def sweep(self, corpora: Iterable[str]) -> None:
        """Remove files of these corpora that no process maps, and what dead processes left half written."""
        prefixes = {_prefix(corpus) for corpus in corpora}
        opened = set(self._opened.values())
        with suppress(OSError):  # a folder that is missing or read-only has nothing to remove
            for path in self._folder.iterdir():
                name = path.name
                if name in opened or _prefix_of(name) not in prefixes:
                    continue
                abandoned = name.endswith(PARTIAL) and time.time() - path.stat().st_mtime > ABANDONED_SECONDS
                if abandoned or name.endswith(SUFFIX):
                    _remove_unlocked(path)

    def erase(self, corpus: str) -> list[Path]:
        """Remove all files of a corpus, also those that processes map; they go on with what they have in memory."""
        prefix = _prefix(corpus)
        found = [*self._folder.glob(f"{prefix}*{SUFFIX}"), *self._folder.glob(f".{prefix}*{PARTIAL}")]
        for path in found:
            path.unlink(missing_ok=True)
        return found

    def _path(self, corpus: str, checksums: Sequence[str]) -> Path:
        digest = hashlib.sha256("".join(checksums).encode()).hexdigest()[:32]
        return self._folder / f"{_prefix(corpus)}{digest}{SUFFIX}"

    def _write_once(self, path: Path, checksums: Sequence[str], chunks: Iterator[bytes]) -> mmap.mmap:
        """Write the file, or map it if another process has written it meanwhile."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with _only_writer(self._folder, path.exists):
            mapped = _map_verified(path, checksums)
            return _write(path, chunks) if mapped is None else mapped


def _prefix(corpus: str) -> str:
    return f"{quote(corpus, safe='').replace('.', '%2E')}."


def _prefix_of(name: str) -> str:
    """What the name of a file begins with: the name of its corpus has no dot there."""
    return f"{name.removeprefix('.').partition('.')[0]}."


def _write(path: Path, chunks: Iterator[bytes]) -> mmap.mmap:
    """Write chunks to a new file, lock it, and give it its name; a partial file never has this name."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.stem}.", suffix=PARTIAL, delete=False) as file:
        partial = Path(file.name)
        try:
            fcntl.flock(file, fcntl.LOCK_SH)
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        return mapped


def _map_verified(path: Path, checksums: Sequence[str]) -> mmap.mmap | None:
    """Map a file and lock it for as long as it is mapped; None if it does not exist, or not as it was written."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    with file:
        fcntl.flock(file, fcntl.LOCK_SH)  # the mapping holds the lock, because it duplicates the descriptor
        if os.fstat(file.fileno()).st_nlink == 0:
            return None  # removed between opening and locking
        if has_checksums(file, checksums):
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    log.error("file of documents refused: its checksum does not match", file=path.name)
    path.unlink(missing_ok=True)
    return None


def _remove_unlocked(path: Path) -> None:
    """Remove a file unless a process has locked it."""
    with suppress(OSError), path.open("rb") as file:  # somebody maps it, or has removed it already
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()


@contextmanager
def _only_writer(folder: Path, done: Callable[[], bool]) -> Iterator[None]:
    """Hold the lock of a folder; give up waiting for it when the work is done, or after some patience."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and not done():
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)
