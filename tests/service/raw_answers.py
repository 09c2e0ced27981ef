"""Sends raw requests over sockets, reads the answers strictly, and says what is wrong with them."""

import re
import socket
from dataclasses import dataclass

from tests.service.raw_requests import EITHER, Case

STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d) [\x20-\x7e]*")
HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*)")
PROBLEM = "application/problem+json"
WAIT = 60.0
"""Seconds for one read; servers give up on unfinished requests much earlier."""


class IllFormed(Exception):
    """Bytes that are no HTTP answer."""


@dataclass(frozen=True)
class Answer:
    """One final answer."""

    status: int
    headers: dict[str, str]
    body: bytes


def parse(data: bytes, methods: tuple[str, ...]) -> list[Answer]:
    """All answers in what a server sent until it closed, interim ones left out; IllFormed if anything is odd."""
    answers: list[Answer] = []
    while data:
        top, end, data = data.partition(b"\r\n\r\n")
        if not end:
            raise IllFormed(f"a head without an end: {top[:80]!r}")
        status, headers = _head(top)
        if status == 101 or status >= 200:
            method = methods[min(len(answers), len(methods) - 1)]
            bodiless = method == "HEAD" or status in {101, 204, 304}
            body, data = (b"", data) if bodiless else _body(headers, data)
            answers.append(Answer(status, headers, body))
    return answers


def _head(top: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = top.split(b"\r\n")
    line = STATUS_LINE.fullmatch(first)
    if line is None:
        raise IllFormed(f"a status line {first[:80]!r}")
    headers: dict[str, str] = {}
    for each in lines:
        field = HEADER.fullmatch(each)
        if field is None:
            raise IllFormed(f"a header {each[:80]!r}")
        name = field[1].decode().lower()
        if name in headers and name in {"content-length", "content-type", "transfer-encoding", "etag", "date"}:
            raise IllFormed(f"two headers {name}")
        headers[name] = field[2].decode()
    return int(line[1]), headers


def _body(headers: dict[str, str], data: bytes) -> tuple[bytes, bytes]:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return _chunks(data)
    if "content-length" not in headers:
        raise IllFormed("a body of unknown length")
    length = int(headers["content-length"])
    if len(data) < length:
        raise IllFormed(f"{len(data)} bytes of a body of {length}")
    return data[:length], data[length:]


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    body = b""
    while True:
        size, end, data = data.partition(b"\r\n")
        if not end or not re.fullmatch(rb"[0-9a-fA-F]+", size):
            raise IllFormed(f"a chunk of size {size[:20]!r}")
        length = int(size, 16)
        if data[length : length + 2] != b"\r\n":
            raise IllFormed("a chunk without an end")
        body, data = body + data[:length], data[length + 2 :]
        if length == 0:
            return body, data


@dataclass(frozen=True)
class Outcome:
    """What came back: the bytes, and whether the connection was reset or left open."""

    data: bytes
    reset: bool = False
    open: bool = False


def send(port: int, case: Case) -> Outcome:
    """Send a case, behave as it says, and read until the server closes."""
    received = bytearray()
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as connection:
        try:
            connection.sendall(case.sent)
            if case.ending == "close":
                return Outcome(b"")
            if case.ending == "half":
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server has closed; it may have answered before
        try:
            while piece := connection.recv(65536):
                received += piece
        except TimeoutError:
            return Outcome(bytes(received), open=True)
        except OSError:
            return Outcome(bytes(received), reset=True)
    return Outcome(bytes(received))


def faults(case: Case, outcome: Outcome) -> list[str]:
    """What is wrong with the answers to a case; nothing if all is as allowed."""
    if case.ending == "close" or (case.reset and outcome.reset):
        return []
    try:
        answers = parse(outcome.data, case.methods)
    except IllFormed as error:
        return [f"ill-formed: {error}"]
    found = ["the connection stays open"] if outcome.open else []
    least, most = case.answers
    if not least <= len(answers) <= most:
        found.append(f"{len(answers)} answers instead of {least} to {most}")
    for number, answer in enumerate(answers):
        if answer.status not in (case.allowed if number == 0 else EITHER):
            found.append(f"status {answer.status}")
        if 400 <= answer.status < 500 and answer.headers.get("content-type") != PROBLEM:
            found.append(f"status {answer.status} as {answer.headers.get('content-type')}")
    return found


def storage_faults(case: Case, outcome: Outcome, stored: set[str]) -> list[str]:
    """Whether the store, which now has these ids, has the document of a case although it should not, or lacks it."""
    if case.document is None:
        return ["stored" for name in stored if b'"%s"' % name.encode() in case.sent]
    if case.ending == "close" or outcome.reset:
        return []  # the client cannot know
    try:
        answers = parse(outcome.data, case.methods)
    except IllFormed:
        return []  # which is a fault already
    accepted = bool(answers) and answers[0].status == 200
    if accepted == (case.document in stored):
        return []
    return ["accepted and not stored" if accepted else "refused and stored"]
