"""Files read side by side: one task a file, each of which gives back numbers instead of text."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor

from worker.sources.declarations import FileSource
from worker.sources.document import Tally
from worker.sources.file_patterns import fixed_part, matched
from worker.sources.files import documents_in
from worker.tag_corpus import Entries, entries_of

WORTH_BYTES: Final = 8 * 2**20
"""Smaller corpora are read before other processes have started."""


def worth_sharding(pattern: Path) -> bool:
    """Whether a corpus lies in several files of some size. A single file is one stream and is read as such."""
    found = matched(pattern)
    return len(found) > 1 and sum(path.stat().st_size for path in found) >= WORTH_BYTES


def read_in_shards(source: FileSource, pattern: Path, tally: Tally, look: Callable[[], None]) -> Entries:
    """All files of a source, in the order of their names: the same as reading one after the other.

    At most two files a processor are read ahead, so what is held is what has been read and those.
    """
    found = matched(pattern)
    tally.total = sum(path.stat().st_size for path in found)
    folder = fixed_part(pattern)
    entries = Entries(source.shape.pairs)
    look()
    tasks = (delayed(read_shard)(source, path, str(path.relative_to(folder))) for path in found)
    try:
        parallel = Parallel(n_jobs=-1, backend="loky", return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)
        for path, (read, counted) in zip(found, parallel(tasks), strict=True):
            entries.extend(read)
            tally.add(counted)
            tally.done += path.stat().st_size
            look()
    finally:
        get_reusable_executor().shutdown(wait=True)
    return entries


def read_shard(source: FileSource, path: Path, name: str) -> tuple[Entries, Tally]:
    """One task: one file."""
    tally = Tally()
    return entries_of(documents_in(source, path, name, tally), pairs=source.shape.pairs), tally
