"""A connection with its limits: how long a client may take, how much it may send, how much may wait for it."""

import asyncio
import socket
from http import HTTPStatus
from typing import Any, Final, cast

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from service.gateway import Gateway, LongRequest, Scope, complete
from service.server.connection_limits import ConnectionLimits
from service.web.http import HttpResponse

LONGEST_LINE: Final = 8190
"""Bytes of an address; a query of 500 characters may take 6,000 when encoded."""

LARGEST_HEAD: Final = 32_768
"""Bytes of all headers together."""

MOST_HEADERS: Final = 100

HEAD_SECONDS: Final = 10.0
"""A client that has not sent a whole head this long after it began, or after it connected, is refused."""

BODY_SECONDS: Final = 60.0
"""The same for the body, from the end of the head."""

MOST_UNSENT: Final = 65_536
"""Bytes that wait for a client in the process, and as many in the kernel; it gets no other answer before it has read
most of them."""

SEND_SECONDS: Final = 30.0
"""A client that has not taken a whole response after this long is cut off."""

IDLE_SECONDS: Final = 5
"""A connection without a request closes after this long."""

LAST_SECONDS: Final = 0.2
"""When a process ends, its clients may send for this long; a request may be on its way already."""


class TooLarge(Exception):
    """A head breaks a limit."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Connection(HttpToolsProtocol):
    """uvicorn's connection with our limits. `since` is when its present phase began; `phase` says what it waits for."""

    def __init__(self, limits: ConnectionLimits, **options: Any) -> None:
        super().__init__(**options)
        self._gateway: Gateway = self.config.app  # type: ignore[assignment]
        self._limits = limits
        self.phase: str = "silent"
        self.since = self.loop.time()
        self._header_bytes = 0
        self._unfinished_bytes = 0
        self._begun = 0
        self._refused = False
        self._ending = False
        self._answering: RequestResponseCycle | None = None
        self._held_back = False
        """Whether the answer waits until the client has read those before it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Called by the event loop."""
        super().connection_made(transport)
        if hasattr(socket, "TCP_NOTSENT_LOWAT") and (connected := transport.get_extra_info("socket")) is not None:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MOST_UNSENT)
        transport.set_write_buffer_limits(MOST_UNSENT)
        self._limits.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop."""
        self._limits.discard(self)
        if self._answering is not None:  # uvicorn tells only the last of several requests
            self._answering.disconnected = True
            self._answering.message_event.set()
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Called by the event loop when the client has read most of what waited for it."""
        super().resume_writing()
        if self._held_back and self._answering is not None:
            self._held_back = False
            self.loop.call_soon(self._answer, self._answering)

    def data_received(self, data: bytes) -> None:
        """Called by the event loop; bytes that are no request end the connection."""
        if self._refused:
            return
        before, self._begun = self.phase, 0
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._end_after_answer()  # nothing here can be upgraded; the request is answered as it is
        except httptools.HttpParserError as error:
            cause = error.__context__
            if isinstance(cause, TooLarge):
                self.refuse(cause.status, str(cause))
            else:
                self.refuse(HTTPStatus.BAD_REQUEST, "this is not a request")
        else:
            of_one_head = before == "head" if self._begun == 0 else self._begun == 1 and before in {"silent", "idle"}
            if self.phase == "head" and of_one_head:
                self._unfinished_bytes += len(data)
                if self._unfinished_bytes > LARGEST_HEAD + LONGEST_LINE:
                    self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers are too large")

    def eof_received(self) -> bool:  # type: ignore[override]
        """Called by the event loop when a client has sent all it will; it may still read."""
        if self.phase in {"head", "body"}:
            self.refuse(HTTPStatus.BAD_REQUEST, "the request ends in the middle")
        elif self._pending():
            self._end_after_answer()
        return self._pending()

    def refuse(self, status: HTTPStatus, detail: str) -> None:
        """Answer with a problem and close; if requests before it wait for an answer, only close after those."""
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        cycle = self.cycle
        if self.phase == "body" and self._pending() and not cycle.response_started:
            cycle.disconnected = True  # its body is what is wrong: whoever waits for it learns that it never comes
            cycle.response_complete = True
            cycle.message_event.set()
            if self.pipeline:
                self.pipeline.popleft()
                return
        if self.phase == "head" and self._pending():
            return
        if self.phase == "head" or not cycle.response_started:
            response = self._gateway.refuse(status, detail, self.client[0] if self.client else "")
            self.transport.write(self._bytes(response) + response.body)
        self.transport.close()

    def _pending(self) -> bool:
        """Whether a request waits for its answer."""
        return self.cycle is not None and not self.cycle.response_complete

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:  # noqa: ARG002 - the gateway is the app
        """Called by uvicorn to begin an answer. Of requests that arrive together, all but the first wait for a turn."""
        if self._begun > 1:
            self.loop.call_soon(self._answer, cycle)
        else:
            self._answer(cycle)

    def _answer(self, cycle: RequestResponseCycle) -> None:
        """What memory gives at once needs no task, nor uvicorn's checks."""
        if self.transport.is_closing():
            return
        cycle.keep_alive = cycle.keep_alive and not self._ending
        self._answering = cycle
        if self.flow.write_paused:  # until the client reads; see resume_writing
            self._held_back = True
            return
        answer = self._gateway.answer(cast("Scope", cycle.scope))
        if isinstance(answer, LongRequest):
            super()._start_asgi_task(cycle, cast("Any", answer))
            return
        if not cycle.keep_alive:
            answer.headers["Connection"] = "close"
        body = b"" if cycle.scope["method"] == "HEAD" else answer.body
        self.transport.write(self._bytes(answer) + body)
        cycle.response_started = cycle.response_complete = True
        if not cycle.keep_alive:
            self.transport.close()
        self.on_response_complete()

    def _bytes(self, response: HttpResponse) -> bytes:
        """Status line and headers."""
        lines = "\r\n".join(map(": ".join, complete(response).items()))
        date = b"".join([b"%s: %s\r\n" % header for header in self.server_state.default_headers])
        return b"%s%s%s\r\n\r\n" % (STATUS_LINE[response.status], date, lines.encode("latin-1"))

    def on_message_begin(self) -> None:
        """Called by the parser at the first byte of a request."""
        super().on_message_begin()
        self._begun += 1
        self._header_bytes = self._unfinished_bytes = 0
        self.phase, self.since = "head", self.loop.time()

    def on_url(self, url: bytes) -> None:
        """Called by the parser with a piece of the address."""
        super().on_url(url)
        if len(self.url) > LONGEST_LINE:
            raise TooLarge(HTTPStatus.REQUEST_URI_TOO_LONG, f"the address is longer than {LONGEST_LINE} bytes")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Called by the parser with a header."""
        super().on_header(name, value)
        self._header_bytes += len(name) + len(value)
        if len(self.headers) > MOST_HEADERS or self._header_bytes > LARGEST_HEAD:
            raise TooLarge(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers are too large")

    def on_headers_complete(self) -> None:
        """Called by the parser at the end of the head."""
        super().on_headers_complete()
        self.phase, self.since = "body", self.loop.time()

    def on_message_complete(self) -> None:
        """Called by the parser at the end of the body."""
        super().on_message_complete()
        if self.cycle.response_complete:
            self._rest()
        else:
            self.phase = "answer"
            self._limits.protect(self)

    def on_response_complete(self) -> None:
        """Called when a response is handed to the transport. A request that came meanwhile is next."""
        self.server_state.total_requests += 1
        if self.phase == "answer":
            self._rest()
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            cycle, _ = self.pipeline.pop()
            self.loop.call_soon(self._answer, cycle)
        elif self._refused:
            self.transport.close()

    def shutdown(self) -> None:
        """Called by uvicorn when the process ends. A request that is on its way is still answered."""
        self._ending = True
        if self.phase in {"body", "answer"}:
            super().shutdown()
        else:
            self.loop.call_later(LAST_SECONDS, self._close_unless_asked)

    def check(self, now: float) -> None:
        """Called every second: refuse or cut off a client that takes too long."""
        waited = now - self.since
        if self.transport.get_write_buffer_size():
            if waited > SEND_SECONDS:
                self.transport.abort()
        elif self.phase in {"silent", "idle"}:
            if waited > (HEAD_SECONDS if self.phase == "silent" else IDLE_SECONDS) and not self._pending():
                self.transport.close()
        elif self.phase == "head" and waited > HEAD_SECONDS:
            self.refuse(HTTPStatus.REQUEST_TIMEOUT, f"the head took longer than {HEAD_SECONDS:g} seconds")
        elif self.phase == "body" and waited > BODY_SECONDS:
            self.refuse(HTTPStatus.REQUEST_TIMEOUT, f"the body took longer than {BODY_SECONDS:g} seconds")

    def _end_after_answer(self) -> None:
        """Close the connection as soon as the answers under way are sent."""
        last = self.pipeline[0][0] if self.pipeline else self.cycle
        last.keep_alive = False
        if last.response_complete:
            self.transport.close()

    def _close_unless_asked(self) -> None:
        if self.phase not in {"body", "answer"}:
            self.transport.close()

    def _rest(self) -> None:
        """The client has its answer; what comes next is up to it."""
        self.phase, self.since = "idle", self.loop.time()
        self._limits.release(self)
