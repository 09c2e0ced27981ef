"""Finds the files of a folder or glob that hold documents: those of one format."""

import glob
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from worker.errors import CorpusError
from worker.recognition.sample import RECORDS, Sample, sample_file
from worker.sources.file_patterns import matching_files
from worker.sources.formats.registry import format_of
from worker.sources.formats.streams.archives import is_data

SAMPLED: Final = 200
"""Files of one document each that a sample reads."""


@dataclass(frozen=True)
class FolderFiles:
    """The glob of the files, and the first of them."""

    pattern: Path
    first: Path


def folder_files(target: Path) -> FolderFiles:
    """The files with documents; CorpusError if there are none, or of several formats."""
    if not target.is_dir():
        return FolderFiles(target, matching_files(target)[0])
    names = [path.relative_to(target).as_posix() for path in sorted(target.rglob("*")) if path.is_file()]
    readable = [name for name in names if is_data(name) and format_of(name)]
    endings = Counter(Path(name).suffix for name in readable)
    if not endings:
        raise CorpusError(f"{target}: holds no file that Cotag reads")
    if len(endings) > 1:
        listed = " or ".join(f"'{target}/**/*{ending}'" for ending in endings)
        raise CorpusError(f"{target}: holds files of several formats; name those of one: {listed}")
    (ending,) = endings
    return FolderFiles(target / "**" / f"*{ending}", target / readable[0])


def sample_files(pattern: Path, first: Sample, *, inline: bool) -> Sample:
    """The records of the first files, where each has one."""
    paths = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
    records = [record for path in islice(paths, SAMPLED) for record in sample_file(Path(path), inline=inline).records]
    names = tuple(dict.fromkeys(name for record in records for name in record))
    return replace(first, names=names, records=records[:RECORDS], complete=len(paths) <= SAMPLED)
