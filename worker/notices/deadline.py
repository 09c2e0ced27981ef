"""HTTP requests that end by a deadline, even if the other side goes on sending a byte now and then."""

import http.client
import socket
import ssl
import urllib.request
from contextlib import suppress
from threading import Timer
from typing import IO, Any, Self


class Deadline:
    """Closes the connections of its opener after so many seconds, so that whoever waits for them gets an error."""

    def __init__(self, seconds: float) -> None:
        self._timer = Timer(seconds, self._close)
        self._timer.daemon = True
        self._sockets: list[socket.socket] = []
        self._over = False
        self.opener = urllib.request.build_opener(_NoRedirects, _Http(self), _Https(self))

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        if self._over:  # what was read until then may look like an answer
            raise TimeoutError("the request took too long")

    def watch(self, connected: socket.socket) -> None:
        """Close this one, too, when time is up."""
        self._sockets.append(connected)
        if self._over:
            self._close()

    def _close(self) -> None:
        self._over = True
        for connected in self._sockets:
            with suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: a receiver must not send notices elsewhere."""

    def redirect_request(  # noqa: PLR0917 - as urllib calls it
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        """Follow nothing."""


class _Http(urllib.request.HTTPHandler):
    """Connections that a deadline watches."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Called by urllib."""
        return self.do_open(_watched(http.client.HTTPConnection, self._deadline), req)


class _Https(urllib.request.HTTPSHandler):
    """The same with TLS."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Called by urllib."""
        context = ssl.create_default_context()
        return self.do_open(_watched(http.client.HTTPSConnection, self._deadline), req, context=context)


def _watched(kind: Any, deadline: Deadline) -> Any:
    """A kind of connection whose sockets a deadline watches."""

    def connect(self: Any) -> None:
        kind.connect(self)
        deadline.watch(self.sock)

    return type("Watched", (kind,), {"connect": connect})
