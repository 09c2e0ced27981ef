"""A process of gunicorn that answers on an event loop."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, cast

import uvicorn
from gunicorn.workers.base import Worker

from service.gateway import Gateway
from service.server.connection_limits import ConnectionLimits, affordable
from service.server.connections import IDLE_SECONDS, Connection
from service.server.gunicorn import GRACE_SECONDS

GARBAGE: Final = 10_000
"""New objects after which Python looks for garbage; an answer makes hundreds, and all of them go by themselves."""

SWITCH_SECONDS: Final = 0.001
"""The event loop waits at most this long for a thread that computes (Python's default is five times as long)."""


class EventLoopServer(uvicorn.Server):
    """uvicorn's server without its handling of signals; gunicorn's worker does that."""

    def __init__(self, config: uvicorn.Config, limits: ConnectionLimits) -> None:
        super().__init__(config)
        self._limits = limits

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Called by uvicorn; it would raise each signal again at the end, which skips the exit handlers."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            loop.add_signal_handler(number, self.stop)
        yield

    def stop(self) -> None:
        """End after the requests under way."""
        self.should_exit = True

    async def main_loop(self) -> None:
        """Called by uvicorn: serve until a signal arrives."""
        sweep = asyncio.get_running_loop().create_task(self._limits.sweep())
        await super().main_loop()
        sweep.cancel()


class EventLoopWorker(Worker):
    """A process of gunicorn that answers on an event loop: uvloop and uvicorn."""

    def init_signals(self) -> None:
        """Called by gunicorn; the event loop handles the signals."""
        for number in self.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGUSR1, self.handle_usr1)

    def run(self) -> None:
        """Called by gunicorn: serve until a signal arrives."""
        gateway = cast("Gateway", self.wsgi)
        limits = ConnectionLimits(affordable(gateway.max_connections))
        config = uvicorn.Config(
            app=gateway,
            http=cast("type[Connection]", partial(Connection, limits)),  # uvicorn only calls it
            loop="uvloop",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS - 1,
            timeout_notify=1,
            callback_notify=self._alive,
        )
        sys.setswitchinterval(SWITCH_SECONDS)
        gc.freeze()  # what is loaded by now stays; looking at it for garbage again would stop the loop for long
        gc.set_threshold(GARBAGE)
        server = EventLoopServer(config, limits)
        with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
            runner.run(server.serve(self.sockets))

    async def _alive(self) -> None:
        """Called every second: tell gunicorn that this process lives. Without gunicorn, end, and free the port.

        A launcher that gave us a socket ends us when others answer.
        """
        self.notify()
        if os.getppid() != self.ppid and not any(isinstance(address, int) for address in self.cfg.address):
            os.kill(os.getpid(), signal.SIGTERM)
