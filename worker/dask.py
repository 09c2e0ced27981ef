"""The blocks of a large corpus worked on by a Dask cluster: the same tasks as on one machine, so the same result."""

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
"""After which data on its way to the workers counts as stuck, and is sent again."""

PATIENCE_SECONDS: Final = 180
PAUSE_SECONDS: Final = 0.5
TRIES: Final = 4
"""How often a task is given out, in all, when its worker dies or what it needs is lost with one."""

log = structlog.get_logger()


@dataclass
class Placed:
    """Blocks, and what stands for their copies on the cluster."""

    blocks: Sequence[Any]
    copies: list[Any]

    def __len__(self) -> int:
        return len(self.blocks)


class OnDask:
    """Each block is sent to one worker, once, and a table to one worker a round; the others fetch what they need there.

    What is scattered has no recipe by which Dask could make it again: when the last copy dies with a worker, Dask
    cancels what needs it, and all of it is sent again.
    """

    def __init__(self, client: Any, lost: tuple[type[BaseException], ...]) -> None:
        self._client = client
        self._lost = lost

    def place(self, blocks: Sequence[Any]) -> Placed:
        """Send the blocks out, to one worker after the other."""
        return Placed(blocks, self._scattered(list(blocks)))

    def each(self, function: Callable[..., Any], placed: Placed, common: Any) -> Iterator[Any]:
        """function(block, common) for every block, in order; what was lost is done again."""
        (table,) = self._scattered([common])
        waiting = self._given_out(function, placed, 0, table)
        tries = 1
        while waiting:
            try:
                found = waiting[0].result()
            except self._lost as error:
                if tries == TRIES:
                    raise ClusterUnavailable(f"the Dask cluster lost a task {TRIES} times: {error}") from error
                tries += 1
                log.warning("the Dask cluster lost what it was given, giving out the rest again", blocks=len(waiting))
                placed.copies = self._scattered(list(placed.blocks))
                (table,) = self._scattered([common])
                waiting = self._given_out(function, placed, len(placed) - len(waiting), table)
                continue
            waiting.pop(0)
            yield found

    def _given_out(self, function: Callable[..., Any], placed: Placed, first: int, table: Any) -> list[Any]:
        return [
            self._client.submit(function, block, table, pure=False, retries=TRIES) for block in placed.copies[first:]
        ]

    def _scattered(self, data: list[Any]) -> list[Any]:
        """One copy of each. Until the scheduler knows that a worker has died this can fail; it is tried again."""

        async def sent() -> list[Any]:
            copies: list[Any] = await self._client.scatter(data, hash=False, asynchronous=True)
            return copies

        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                found: list[Any] = self._client.sync(sent, callback_timeout=SEND_SECONDS)
            except (TimeoutError, OSError, KeyError) as error:  # KeyError: the scheduler forgot a worker meanwhile
                if time.monotonic() > deadline:
                    raise ClusterUnavailable(f"the Dask cluster takes no data: {error}") from error
                time.sleep(PAUSE_SECONDS)
            else:
                return found


@contextmanager
def tasks_at(address: str | None) -> Iterator[Tasks | None]:
    """The cluster at an address, as long as it is needed; without one, this machine (None).

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
        yield OnDask(client, (CancelledError, distributed.KilledWorker))
    finally:
        client.close()
