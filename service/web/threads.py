"""Bounded pools of threads, for requests that may take too long for the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from service.errors import TooBusy
from service.web.http import HttpResponse

WAITING: Final = 128
"""Requests that may wait for a thread of one pool; more are refused at once."""


class Pool:
    """A few threads, and a bounded line of requests in front of them. Only the event loop calls it."""

    def __init__(self, name: str, threads: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._places = threads + WAITING

    async def run(self, work: Callable[..., HttpResponse], *arguments: Any) -> HttpResponse:
        """The result of some work, done by one of the threads; raises TooBusy if too many wait already."""
        if not self._places:
            raise TooBusy("too many requests of this kind are waiting; come back a little later")
        self._places -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work, *arguments)
        finally:
            self._places += 1
