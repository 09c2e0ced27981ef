"""Runs the tasks of a large corpus on a Dask cluster: the same tasks as on one machine, so the same result."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import structlog

from cocluster import Tasks
from worker.errors import ClusterUnavailable

CONNECT_SECONDS: Final = 10
SEND_SECONDS: Final = 60
"""After this long, sending data to the workers counts as stuck, and is tried again."""

PATIENCE_SECONDS: Final = 180
PAUSE_SECONDS: Final = 0.5
TRIES: Final = 4
"""How often a task is submitted in all, if its worker dies or the cluster loses its data."""

log = structlog.get_logger()


@dataclass
class PlacedBlocks:
    """Blocks, and the futures of their copies on the cluster."""

    blocks: Sequence[Any]
    copies: list[Any]

    def __len__(self) -> int:
        return len(self.blocks)


class DaskTasks:
    """Sends each block to one worker, once, and a table to one worker a round; other workers fetch copies from there.

    Dask cannot recompute scattered data: when the last copy dies with a worker, Dask cancels the tasks that need it,
    and this class sends all of it again.
    """

    def __init__(self, client: Any, lost: tuple[type[BaseException], ...]) -> None:
        self._client = client
        self._lost = lost

    def place(self, blocks: Sequence[Any]) -> PlacedBlocks:
        """Send the blocks to the workers in turn."""
        return PlacedBlocks(blocks, self._scatter(list(blocks)))

    def each(self, function: Callable[..., Any], placed: PlacedBlocks, common: Any) -> Iterator[Any]:
        """function(block, common) for every block, in order; repeats lost tasks."""
        (table,) = self._scatter([common])
        waiting = self._submit(function, placed, 0, table)
        tries = 1
        while waiting:
            try:
                result = waiting[0].result()
            except self._lost as error:
                if tries == TRIES:
                    raise ClusterUnavailable(f"the Dask cluster lost a task {TRIES} times: {error}") from error
                tries += 1
                log.warning("the Dask cluster lost data, sending the remaining blocks again", blocks=len(waiting))
                placed.copies = self._scatter(list(placed.blocks))
                (table,) = self._scatter([common])
                waiting = self._submit(function, placed, len(placed) - len(waiting), table)
                continue
            waiting.pop(0)
            yield result

    def _submit(self, function: Callable[..., Any], placed: PlacedBlocks, first: int, table: Any) -> list[Any]:
        return [
            self._client.submit(function, block, table, pure=False, retries=TRIES) for block in placed.copies[first:]
        ]

    def _scatter(self, data: list[Any]) -> list[Any]:
        """Send one copy of each item. This fails until the scheduler notices that a worker died, so it is retried."""

        async def scatter() -> list[Any]:
            copies: list[Any] = await self._client.scatter(data, hash=False, asynchronous=True)
            return copies

        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                copies: list[Any] = self._client.sync(scatter, callback_timeout=SEND_SECONDS)
            except (TimeoutError, OSError, KeyError) as error:  # KeyError: the scheduler forgot a worker meanwhile
                if time.monotonic() > deadline:
                    raise ClusterUnavailable(f"the Dask cluster takes no data: {error}") from error
                time.sleep(PAUSE_SECONDS)
            else:
                return copies


@contextmanager
def tasks_at(address: str | None) -> Iterator[Tasks | None]:
    """Connect to the cluster at an address; without an address, None: use this machine.

    Raises:
        ClusterUnavailable: it does not answer.
    """
    if address is None:
        yield None
        return
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ClusterUnavailable("COTAG_DASK is set, but Dask is not installed: pip install 'cotag[dask]'") from error
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise ClusterUnavailable(f"COTAG_DASK={address}: {error}") from error
    try:
        log.info("working on a Dask cluster", address=address, workers=len(client.scheduler_info()["workers"]))
        yield DaskTasks(client, (CancelledError, distributed.KilledWorker))
    finally:
        client.close()
