"""Reads files in parallel: one task a file, which returns numbers instead of text."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

from worker.errors import SourceUnavailable
from worker.sources.declarations import FileSource
from worker.sources.document import Tally
from worker.sources.file_patterns import fixed_part, matching_files
from worker.sources.files import blocks_in
from worker.vocabulary.tag_corpus import Entries, read_entries

WORTH_BYTES: Final = 8 * 2**20
"""One process reads smaller corpora faster than others start."""


def worth_sharding(pattern: Path) -> bool:
    """Whether a corpus has several files of sufficient size. A single file is one stream."""
    paths = matching_files(pattern)
    return len(paths) > 1 and sum(path.stat().st_size for path in paths) >= WORTH_BYTES


def read_in_shards(
    source: FileSource, pattern: Path, tally: Tally, report: Callable[[], None], *, cards: bool
) -> Entries:
    """All files of a source, in the order of their names: the same result as reading one after the other.

    At most two files a processor are read ahead, which limits the memory.
    """
    paths = matching_files(pattern)
    tally.total = sum(path.stat().st_size for path in paths)
    folder = fixed_part(pattern)
    entries = Entries(source.parser.pairs, source.parser.weighted)
    report()
    tasks = (delayed(read_shard)(source, path, str(path.relative_to(folder)), cards=cards) for path in paths)
    try:
        parallel = Parallel(n_jobs=-1, backend="loky", return_as="generator", pre_dispatch="2*n_jobs", batch_size=1)
        for path, (shard, shard_tally) in zip(paths, parallel(tasks), strict=True):
            entries.extend(shard)
            tally.add(shard_tally)
            tally.done += path.stat().st_size
            report()
    except TerminatedWorkerError as error:
        raise SourceUnavailable("a process that read the files was killed, perhaps for lack of memory") from error
    finally:
        get_reusable_executor().shutdown(wait=True)
    return entries


def read_shard(source: FileSource, path: Path, name: str, *, cards: bool) -> tuple[Entries, Tally]:
    """Read one file: one task."""
    tally = Tally()
    return read_entries(
        blocks_in(source, path, name, tally, cards=cards), pairs=source.parser.pairs, weighted=source.parser.weighted
    ), tally
