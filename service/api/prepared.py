"""Makes the answers about single tags ready when a snapshot is taken up, so that visitors hardly wait for one."""

import asyncio
import time
from typing import Final
from urllib.parse import quote_plus

import structlog

from service.api.routing import Answerer, Api, cache_key
from service.live.snapshots import LiveSnapshots
from service.view.view import View
from service.web.http import Request

PREPARED: Final = ("get_cloud", "get_related")
SLICE_SECONDS: Final = 0.001
"""The event loop works this long on answers, then on requests. No slice takes longer than this and one answer."""

POLL_SECONDS: Final = 0.2
"""How often to look for new snapshots."""

log = structlog.get_logger()


class Preparation:
    """Works on the event loop, in slices, commonest tags first. A newer version of a corpus stops the one before."""

    def __init__(self, api: Api, live: LiveSnapshots, capacity: int) -> None:
        self._answerers = [api.questions[name] for name in PREPARED]
        self._live = live
        self._capacity = capacity
        self._done: dict[str, View] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, if there is any memory for it."""
        if self._capacity:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def stop(self) -> None:
        """End."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        seen = -1
        while True:
            if seen != self._live.edition:
                seen = self._live.edition
                for corpus, view in self._live.views().items():
                    # With pushed documents the next view follows soon, so its answers are made when somebody asks.
                    if self._done.get(corpus) is not view and not view.changes.any:
                        await self._prepare(corpus, view)
            await asyncio.sleep(POLL_SECONDS)

    async def _prepare(self, corpus: str, view: View) -> None:
        """Answer the questions about each tag until the memory is used up or a newer version is there."""
        count, began = 0, time.perf_counter()
        for tag in view.by_count:
            for answerer in self._answerers:
                count += self._answer(answerer, view, view.snapshot.names[tag])
            spent = time.perf_counter() - began
            if spent > SLICE_SECONDS:
                await asyncio.sleep(spent)
                began = time.perf_counter()
            if self._live.held(corpus) is not view:
                return
            if view.answers.prepared_bytes >= self._capacity:
                break
        self._done[corpus] = view
        log.info("answers are ready", corpus=corpus, version=view.snapshot.version, answers=count)

    def _answer(self, answerer: Answerer, view: View, tag: str) -> bool:
        """Make one answer ready; an error is left to whoever asks."""
        path = answerer.question.path.replace("{corpus}", view.snapshot.corpus)
        request = Request("GET", path, f"tag={quote_plus(tag)}", {}, "", 0.0, "")
        try:
            view.answers.put_prepared(cache_key(request), answerer.make(view, request, {}))
        except Exception:
            log.exception("cannot make an answer ready", path=path, tag=tag)
            return False
        return True
