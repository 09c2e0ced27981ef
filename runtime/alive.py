"""Tells on one machine whether a worker or scheduler lives, without asking the store.

Each process touches a file of its own every few seconds, also while the store is away. A health check looks at the
files. A process that is stuck or gone no longer touches its file.
"""

import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

FRESH_SECONDS: Final = 60.0
"""A file that was not touched for this long belongs to a process that is stuck or gone."""


class AliveFile:
    """The file of this process, in a folder of its user below the temporary directory."""

    def __init__(self, part: str) -> None:
        self._path = _folder() / f"{part}.{os.getpid()}"

    def touch(self) -> None:
        """Say that the process lives. A directory that cannot be written to costs the health check alone."""
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self._path.touch(mode=0o600)

    def remove(self) -> None:
        """The process ends."""
        with suppress(OSError):
            self._path.unlink()


def is_alive(part: str) -> bool:
    """Whether a process of this part, of this user, lives on this machine."""
    folder = _folder()
    try:
        if folder.lstat().st_uid != os.getuid():
            return False
        touched = {path.suffix[1:]: path.lstat().st_mtime for path in folder.glob(f"{part}.*")}
    except OSError:
        return False
    return any(abs(time.time() - stamp) < FRESH_SECONDS and _runs(pid) for pid, stamp in touched.items())


def _runs(pid: str) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(int(pid), 0)
    except (ValueError, OSError):
        return False
    return True


def _folder() -> Path:
    return Path(tempfile.gettempdir()) / f"cotag-alive-{os.getuid()}"
