"""Finds the files of a path or glob."""

import glob
from pathlib import Path

from worker.errors import CorpusError


def matching_files(pattern: Path) -> list[Path]:
    """The file of that name, or the files that the glob matches, sorted; CorpusError if there are none."""
    if pattern.is_file():
        return [pattern]
    if not glob.has_magic(str(pattern)):
        raise CorpusError(f"{pattern} is not a file")
    names = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
    paths = sorted(path for path in map(Path, names) if path.is_file())
    if not paths:
        raise CorpusError(f"{pattern} matches no file")
    return paths


def fixed_part(pattern: Path) -> Path:
    """The folder above the first variable part of a glob; messages name files relative to it."""
    folder = pattern.parent
    return folder if pattern.is_file() else next(up for up in pattern.parents if not glob.has_magic(str(up)))
