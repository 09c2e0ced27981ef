"""The data directory of `cotag up`: creates it, locks it, and writes the corpora file of recognised sources to it."""

import fcntl
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cotag.errors import StartError
from worker.recognition import Section, corpora_file

OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def keep_files_private() -> None:
    """Let only its user read what this process, and those that it starts, write from now on."""
    os.umask(0o077)


def prepare_folder(folder: Path) -> Path:
    """Create the data directory for its user alone, and check that it is writable.

    Raises:
        StartError: the directory cannot be written to, or others can write to it.
    """
    folder = folder.absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & OTHERS_WRITE:
            raise StartError(
                f"COTAG_DATA_DIR={folder}: other users can write to it, and could replace what is served; "
                f"chmod go-w {folder}"
            )
        folder.chmod(0o700)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise StartError(f"COTAG_DATA_DIR={folder}: cannot be written to: {error.strerror}") from error
    return folder


@contextmanager
def single_instance(folder: Path) -> Iterator[None]:
    """Lock a data directory against other launchers. The kernel frees the lock however a launcher ends."""
    with (folder / "up.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            raise StartError(f"Cotag is already running on {folder} (pid {file.read().strip()})") from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def write_recognised_corpora(folder: Path, sections: Sequence[Section]) -> Path:
    """Write the corpora file of recognised sources to the data directory, for the user alone: URLs may be secret."""
    file, new = folder / "corpora.toml", folder / "corpora.new"
    text = corpora_file(sections, folder, "written by cotag up; it is overwritten at the next start")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    new.replace(file)
    return file
