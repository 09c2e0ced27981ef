"""A private temporary folder that the processes of one service share, and that does not outlive them for long."""

import atexit
import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "cotag-documents-"
LOCK: Final = "lock"
"""A file in the folder that the service has locked for as long as one of its processes lives."""

YOUNG_SECONDS: Final = 60.0
"""A folder younger than this may belong to a service that has not locked it yet."""


def private_folder() -> Path:
    """A new folder, removed when this process ends; remains of services that were killed are removed first."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        _remove_abandoned(folder)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = (folder / LOCK).open("wb")  # processes that are forked from this one hold the lock, too
    fcntl.flock(lock, fcntl.LOCK_SH)
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            lock.close()
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def _remove_abandoned(folder: Path) -> None:
    """Remove the folder of a service of this user of which no process lives."""
    with suppress(OSError):
        status = folder.lstat()
        if status.st_uid != os.getuid() or time.time() - status.st_mtime < YOUNG_SECONDS:
            return
        with (folder / LOCK).open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
