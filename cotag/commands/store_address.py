"""Where the store of a command is, and how to reach one if it does not answer."""

import os
from pathlib import Path

from redis import Redis

from snapshot import StoreSettings, connect, read_settings


def local_store_url() -> str | None:
    """The store of a `cotag up` in this directory, or in COTAG_DATA_DIR; None if there is none or another is set."""
    socket = data_folder() / "store.sock"
    return f"unix://{socket}" if "COTAG_REDIS_URL" not in os.environ and socket.exists() else None


def store_hint() -> str:
    """How to reach a store."""
    if "COTAG_REDIS_URL" in os.environ:
        return "COTAG_REDIS_URL names the store: is it right, and does the server run?"
    return (
        f"no cotag up is running on {data_folder()}: start one (cotag up), run this command in its directory or with "
        "its COTAG_DATA_DIR, or set COTAG_REDIS_URL"
    )


def data_folder() -> Path:
    """The data directory of a `cotag up` in this directory, or COTAG_DATA_DIR."""
    return Path(os.environ.get("COTAG_DATA_DIR", ".cotag")).absolute()


def store_client() -> Redis:
    """A client of the store: the one in the settings, or that of a `cotag up` in this directory."""
    settings = read_settings(StoreSettings)
    return connect(local_store_url() or settings.redis_url, confirm_replicas=settings.confirm_replicas)
