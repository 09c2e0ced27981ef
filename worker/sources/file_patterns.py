import glob
from pathlib import Path

from worker.errors import CorpusError


def matched(pattern: Path) -> list[Path]:
    """The file of that name, or the files that the glob matches, sorted; CorpusError if there are none."""
    if pattern.is_file():
        return [pattern]
    if not glob.has_magic(str(pattern)):
        raise CorpusError(f"{pattern} is not a file")
    names = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
    found = sorted(path for path in map(Path, names) if path.is_file())
    if not found:
        raise CorpusError(f"{pattern} matches no file")
    return found


def fixed_part(pattern: Path) -> Path:
    """The folder above the first part of a glob that varies; names are told from there on."""
    folder = pattern.parent
    return folder if pattern.is_file() else next(up for up in pattern.parents if not glob.has_magic(str(up)))
