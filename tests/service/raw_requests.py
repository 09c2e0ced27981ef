"""Requests as bytes, most of them malformed or odd, drawn from pieces of HTTP's grammar, with the answers they may get.

`cases(count, seed)` takes the families in turn, so that a small sample has all of them. The same seed gives the same
bytes. A family is a function from a random generator and the number of the case to a `Case`.
"""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

KEY = "a key for raw requests"
CORPUS = "pushed"
DOCUMENTS = f"/v1/corpora/{CORPUS}/documents"
READS = (
    "/v1/corpora/small/related?tag=payment",
    "/v1/corpora/small/cloud?q=cash",
    "/v1/corpora/small/tags?prefix=c",
    "/v1/corpora/small/clusters",
    "/v1/corpora",
    "/openapi.json",
    "/healthz",
    "/",
)
CLOSE = ("Connection", "close")
BAD_VERSIONS = (
    *("HTTP/1", "HTTP/1.", "HTTP/.1", "HTTP/1.1.1", "HTTP/9.9", "HTTP/-1.1", "HTTP/11", "HTTP/1,1", "HTTP /1.1"),
    *("HTTP", "HTTP/a.b", "http/1.1", "HTTQ/1.1", "FTP/1.1"),
)
BAD_HEADERS = (
    *(b"no colon", b": no name", b"X-A", b"X Space: a", b"X-Space : a", b"X\x01: a", b"X-(a): b", b"X-\xe9: a"),
    *(b'"X": a', b"X-A: a\x00b"),
)
ODD_HEADERS = (b"X-A: a\rb: c", b"X-A: \x7f", b"X-A: \x01")
"""Parsers differ about control characters that cannot split a header."""

REFUSED = frozenset(range(400, 500))
"""The request is wrong, and any 4xx says so."""

ACCEPTED = frozenset({200})
EITHER = REFUSED | {200, 204, 301, 308}
"""A server may be lenient or strict here."""

Ending = Literal["wait", "half", "close"]
"""After the last byte a client waits, closes its sending side, or goes away."""

Family = Callable[[random.Random, int], "Case"]


@dataclass(frozen=True)
class Case:
    """What is sent, and what is allowed to come back."""

    family: str
    sent: bytes
    allowed: frozenset[int]
    """Statuses of the first answer."""

    ending: Ending = "wait"
    methods: tuple[str, ...] = ("GET",)
    """Of the requests in it, because an answer to HEAD has no body."""

    answers: tuple[int, int] = (1, 1)
    """At least and at most this many answers."""

    reset: bool = False
    """Whether the server may close while the client still sends, so that the answer is lost."""

    document: str | None = None
    """The id of the document that the server stores if its first answer is 200; None if it may store nothing."""


def cases(count: int, seed: int) -> Iterator[Case]:
    """So many cases, from all families in turn."""
    for number in range(count):
        yield FAMILIES[number % len(FAMILIES)](random.Random(f"{seed} {number}"), number)


def head(method: str, target: str, *headers: tuple[str, str], version: str = "HTTP/1.1", host: bool = True) -> bytes:
    """A request line and headers."""
    lines = [f"{method} {target} {version}", *(["Host: cotag"] if host else []), *(f"{n}: {v}" for n, v in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def get(chosen: random.Random, *headers: tuple[str, str]) -> bytes:
    """A sound request for something, the last on its connection."""
    return head("GET", chosen.choice(READS), *headers, CLOSE)


def document(name: str) -> bytes:
    """A line that would be stored."""
    return json.dumps({"id": name, "tags": ["payment", "cash"]}).encode() + b"\n"


def post(*headers: tuple[str, str]) -> bytes:
    """The head of a push that may write."""
    return head("POST", DOCUMENTS, ("X-API-Key", KEY), ("Content-Type", "application/x-ndjson"), *headers, CLOSE)


def chunked(*chunks: bytes) -> bytes:
    """A sound chunked body."""
    return b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in chunks) + b"0\r\n\r\n"


def split(chosen: random.Random, body: bytes) -> list[bytes]:
    """A body in one to four pieces."""
    cuts = sorted(chosen.sample(range(1, len(body)), chosen.randint(0, 3)))
    return [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]


def noise(chosen: random.Random, longest: int = 40) -> bytes:
    """Any bytes."""
    return chosen.randbytes(chosen.randint(1, longest))


# Request lines


def bad_line(chosen: random.Random, number: int) -> Case:
    target = chosen.choice(READS)
    line = chosen.choice(
        [
            f"GET{target} HTTP/1.1",
            "GET  HTTP/1.1",
            f"GET {target} HTTP/1.1 more",
            f"GET {target} {target} HTTP/1.1",
            f" GET {target} HTTP/1.1",
            f"GET\t{target}\tHTTP/1.1",
            "GET",
            "THIS IS NOT HTTP",
            f"GET relative{target} HTTP/1.1",
            f"GET {target} HTTP/1.1\x00",
            '{"id": "x"}',
        ]
    )
    return Case("bad line", line.encode("latin-1") + b"\r\nHost: cotag\r\n\r\n", REFUSED, "half")


def bad_bytes(chosen: random.Random, number: int) -> Case:
    return Case("bad bytes", b"\x16\x03\x01" + noise(chosen, 300) + b"\r\n\r\n", REFUSED, "half")


def bad_version(chosen: random.Random, number: int) -> Case:
    version = chosen.choice(BAD_VERSIONS)
    return Case("bad version", head("GET", chosen.choice(READS), CLOSE, version=version), REFUSED, "half")


def other_version(chosen: random.Random, number: int) -> Case:
    version = chosen.choice(["HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/3.0", ""])
    sent = head("GET", chosen.choice(READS), CLOSE, version=version)
    return Case("other version", sent.replace(b" \r\n", b"\r\n", 1), EITHER, "half")


def bad_method(chosen: random.Random, number: int) -> Case:
    method = chosen.choice(["G@T", "GE T", "GET,", "(GET)", "GET/", "G\x00T", "\x7fGET", 'G"T', "gét", "[GET]"])
    return Case("bad method", head(method, chosen.choice(READS), CLOSE), REFUSED, "half")


def invented_method(chosen: random.Random, number: int) -> Case:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    method = "".join(chosen.choices(letters, k=chosen.randint(3, 40)))
    known = {"GET", "PUT"}
    return Case("invented method", head(f"Q{method}" if method in known else method, "/v1/corpora", CLOSE), REFUSED)


def wrong_method(chosen: random.Random, number: int) -> Case:
    method = chosen.choice(["PUT", "PATCH", "TRACE", "PROPFIND", "LOCK", "DELETE", "POST"])
    return Case("wrong method", head(method, "/v1/corpora", ("Content-Length", "0"), CLOSE), REFUSED, methods=(method,))


def long_line(chosen: random.Random, number: int) -> Case:
    size = chosen.choice([8300, 10_000, 20_000, 64_000, 66_000, 200_000])
    where = chosen.choice(
        ["/" + "a" * size, f"/v1/corpora/small/related?tag={'a' * size}", "/?" + "a=b&" * (size // 4)]
    )
    return Case("long line", head("GET", where, CLOSE), frozenset({414}), reset=size > 20_000)


def odd_path(chosen: random.Random, number: int) -> Case:
    piece = chosen.choice(
        ["%zz", "%", "%f", "%ff%fe", "%00", "%2e%2e%2f", "%u1234", "%c0%af", "..", "//", "%0d%0aX-A:b"]
    )
    target = chosen.choice([f"/v1/corpora/{piece}/cloud", f"/{piece}", f"/v1/{piece}", f"/v1/corpora/small/{piece}"])
    return Case("odd path", head("GET", target, CLOSE), EITHER)


def odd_query(chosen: random.Random, number: int) -> Case:
    piece = chosen.choice(
        ["%zz", "%", "%ff", "%00", "%e2%82", "a&&b", "=", "==", "&" * 30, "+", "%0d%0a", ";", "tag=%f0%9f"]
    )
    name = chosen.choice(["related", "cloud", "tags", "tag", "clusters"])
    target = f"/v1/corpora/small/{name}?{chosen.choice(['tag', 'q', 'prefix', 'limit', 'k'])}={piece}"
    return Case("odd query", head("GET", target, CLOSE), EITHER)


def non_ascii_path(chosen: random.Random, number: int) -> Case:
    word = chosen.choice(
        ["/é", "/v1/corpora/ü/cloud", "/v1/corpora/small/related?tag=naïve", "/v1/corpora/small/cloud?q=日本"]
    )
    raw = word.encode(chosen.choice(["utf-8", "utf-16-le"])).replace(b"\x00", b"")
    return Case(
        "non-ASCII path", b"GET " + raw + b" HTTP/1.1\r\nHost: cotag\r\nConnection: close\r\n\r\n", EITHER, "half"
    )


def nul(chosen: random.Random, number: int) -> Case:
    sent = bytearray(get(chosen, ("X-Some", "value")))
    place = chosen.randrange(len(sent) - 4)
    sent[place : place + chosen.randint(0, 1)] = b"\x00"
    return Case("NUL", bytes(sent), REFUSED, "half")


def absolute(chosen: random.Random, number: int) -> Case:
    scheme = chosen.choice(["http://cotag", "http://127.0.0.1:80", "http://other.example"])
    return Case("absolute target", head("GET", scheme + chosen.choice(READS), CLOSE), ACCEPTED)


def odd_target(chosen: random.Random, number: int) -> Case:
    method, target = chosen.choice(
        [
            ("CONNECT", "cotag:443"),
            ("CONNECT", "/v1/corpora"),
            ("GET", "*"),
            ("GET", "http://"),
            ("GET", "http:///v1/corpora"),
            ("GET", "?tag=a"),
            ("GET", "#"),
            ("GET", "/v1/corpora#part"),
            ("GET", "ftp://cotag/"),
            ("GET", "http://[::1/"),
            ("GET", "http://user@cotag:port/"),
            ("PRI", "*"),
        ]
    )
    return Case("odd target", head(method, target, CLOSE), EITHER, "half", methods=(method,))


def options(chosen: random.Random, number: int) -> Case:
    target = chosen.choice(["*", *READS])
    headers = [("Origin", "https://example.org"), ("Access-Control-Request-Method", "GET")][: chosen.randint(0, 2)]
    return Case("OPTIONS", head("OPTIONS", target, *headers, CLOSE), EITHER, methods=("OPTIONS",))


def head_method(chosen: random.Random, number: int) -> Case:
    return Case("HEAD", head("HEAD", chosen.choice(READS), CLOSE), ACCEPTED, methods=("HEAD",))


def http_1_0(chosen: random.Random, number: int) -> Case:
    return Case("HTTP/1.0 without Host", head("GET", chosen.choice(READS), version="HTTP/1.0", host=False), ACCEPTED)


def hosts(chosen: random.Random, number: int) -> Case:
    values = chosen.choice([(), ("a", "b"), ("",), ("a b",), ("a,b",), ("cotag:port",), ("a/b",)])
    return Case(
        "odd Host", head("GET", chosen.choice(READS), *(("Host", v) for v in values), CLOSE, host=False), EITHER
    )


# Headers


def bad_header(chosen: random.Random, number: int) -> Case:
    line = chosen.choice(BAD_HEADERS + ODD_HEADERS)
    sent = b"GET /v1/corpora HTTP/1.1\r\nHost: cotag\r\n" + line + b"\r\nConnection: close\r\n\r\n"
    return Case("bad header", sent, EITHER if line in ODD_HEADERS else REFUSED, "half")


def folded(chosen: random.Random, number: int) -> Case:
    fold = chosen.choice([b" folded", b"\tfolded", b"  ", b" X-Hidden: a"])
    sent = b"GET /v1/corpora HTTP/1.1\r\nHost: cotag\r\nX-A: a\r\n" + fold + b"\r\nConnection: close\r\n\r\n"
    return Case("folded header", sent, EITHER, "half")


def bare_line_feeds(chosen: random.Random, number: int) -> Case:
    sent = get(chosen).replace(b"\r\n", chosen.choice([b"\n", b"\r", b"\n\r", b"\r\r\n"]), chosen.randint(1, 4))
    return Case("other line ends", sent, EITHER, "half", answers=(0, 1))


def long_header(chosen: random.Random, number: int) -> Case:
    size = chosen.choice([70_000, 100_000, 300_000])
    name, value = chosen.choice([("X-Long", "a" * size), ("X-" + "a" * size, "b"), ("Cookie", "a=b; " * (size // 5))])
    return Case("long header", get(chosen, (name, value)), frozenset({431}), reset=True)


def many_headers(chosen: random.Random, number: int) -> Case:
    headers = [(f"X-Many-{n}", "a" * 30) for n in range(chosen.choice([2000, 3000, 5000]))]
    return Case("many headers", get(chosen, *headers), frozenset({431}), reset=True)


def some_headers(chosen: random.Random, number: int) -> Case:
    headers = [(f"X-Some-{n}", "a" * chosen.randint(1, 60)) for n in range(chosen.randint(5, 60))]
    return Case("some headers", get(chosen, *headers), ACCEPTED)


def upgrade(chosen: random.Random, number: int) -> Case:
    wanted = chosen.choice(["websocket", "h2c", "TLS/1.0", "nonsense"])
    more = [("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")][: chosen.randint(0, 2)]
    sent = head("GET", chosen.choice(READS), ("Connection", "Upgrade, close"), ("Upgrade", wanted), *more)
    return Case("upgrade", sent, EITHER, "half")


def expectation(chosen: random.Random, number: int) -> Case:
    body = document(name := f"expected-{number}")
    value = chosen.choice(["100-continue", "100-Continue"])
    return Case(
        "Expect: 100-continue",
        post(("Expect", value), ("Content-Length", str(len(body)))) + body,
        ACCEPTED,
        methods=("POST",),
        document=name,
    )


def odd_expectation(chosen: random.Random, number: int) -> Case:
    value = chosen.choice(["200-ok", "", "100-continue, 100-continue", "x" * 500])
    return Case("other Expect", get(chosen, ("Expect", value)), EITHER)


# Bodies


def sound_body(chosen: random.Random, number: int) -> Case:
    body = document(name := f"sound-{number}")
    sent = post(("Content-Length", str(len(body)))) + body
    return Case("sound body", sent, ACCEPTED, methods=("POST",), document=name)


def sound_chunks(chosen: random.Random, number: int) -> Case:
    body = chunked(*split(chosen, document(name := f"chunked-{number}")))
    form = chosen.choice(["plain", "extension", "trailer", "capitals", "zeros"])
    if form == "extension":
        body = body.replace(b"0\r\n\r\n", chosen.choice([b"0;a\r\n\r\n", b"0;a=b\r\n\r\n", b'0;a="b"\r\n\r\n']))
    elif form == "trailer":
        body = body.removesuffix(b"\r\n") + b"X-Trailer: a\r\n\r\n"
    elif form == "capitals":
        first, rest = body.split(b"\r\n", 1)
        body = first.upper() + b"\r\n" + rest
    elif form == "zeros":
        body = b"000" + body
    sent = post(("Transfer-Encoding", "chunked")) + body
    return Case("sound chunks", sent, ACCEPTED, methods=("POST",), document=name)


def bad_length(chosen: random.Random, number: int) -> Case:
    body = document(f"length-{number}")
    size = len(body)
    value = chosen.choice(
        [
            *("abc", "1e3", "٣", "9" * 30, "-5", f"-{size}", f"+{size}", f"0x{size:x}", f"{size} {size}", f"{size};"),
            *(f"{size}.0", f"{size},{size + 1}", f"{size}\x0b", f"_{size}", f"{size}_0"),
        ]
    )
    sent = post().removesuffix(b"\r\n") + b"Content-Length: " + value.encode() + b"\r\n\r\n" + body
    return Case("bad Content-Length", sent, REFUSED, "half", methods=("POST",))


def two_lengths(chosen: random.Random, number: int) -> Case:
    body = document(f"lengths-{number}")
    lengths = [len(body), chosen.choice([0, 1, len(body) - 1, len(body) + 5])]
    chosen.shuffle(lengths)
    sent = post(*(("Content-Length", str(each)) for each in lengths)) + body
    return Case("two Content-Lengths", sent, REFUSED, "half", methods=("POST",))


def length_and_chunks(chosen: random.Random, number: int) -> Case:
    hidden = document(f"smuggled-{number}")
    second = post(("Content-Length", str(len(hidden)))) + hidden
    body = chosen.choice([b"0\r\n\r\n" + second, chunked(document(f"both-{number}")) + second, chunked(second)])
    headers = [("Content-Length", str(chosen.choice([len(body), 5, 0]))), ("Transfer-Encoding", "chunked")]
    chosen.shuffle(headers)
    sent = post(*headers).replace(b"Connection: close\r\n", b"") + body
    return Case("Content-Length and chunks", sent, REFUSED, "half", methods=("POST", "POST"), answers=(1, 2))


def bad_coding(chosen: random.Random, number: int) -> Case:
    coding = chosen.choice(
        [
            "chunked, identity",
            "gzip",
            "xchunked",
            "chunked\x0b",
            "identity, chunked, gzip",
            "chunked, chunked",
            "chun ked",
        ]
    )
    sent = post(("Transfer-Encoding", coding)) + chunked(document(f"coding-{number}"))
    return Case("bad Transfer-Encoding", sent, REFUSED, "half", methods=("POST",))


def bad_chunks(chosen: random.Random, number: int) -> Case:
    body = document(f"chunks-{number}")
    size = len(body)
    sizes = [b"g", b"-1", b"-%x" % size, b"0x%x" % size, b"", b"%x" % (1 << 70), b"\xff", b"+%x" % size, b"%xz" % size]
    form = chosen.choice(["size", "size", "small", "no end of chunk", "noise", "late size", "trailer"])
    if form == "size":
        sent = chosen.choice(sizes) + b"\r\n" + body + b"\r\n0\r\n\r\n"
    elif form == "small":
        sent = b"%x\r\n%s\r\n0\r\n\r\n" % (chosen.randint(1, size - 4), body)
    elif form == "no end of chunk":
        sent = b"%x\r\n%s0\r\n\r\n" % (size, body)
    elif form == "noise":
        sent = b"%x\r\n%s\r\n" % (size, body) + b"\x80" + noise(chosen) + b"\r\n0\r\n\r\n"
    elif form == "late size":
        sent = b"%x\r\n%s\r\n" % (size, body) + chosen.choice(sizes) + b"\r\nmore\r\n0\r\n\r\n"
    else:
        sent = b"%x\r\n%s\r\n0\r\n" % (size, body) + chosen.choice([b"no colon", b": a", b"X\x00: a"]) + b"\r\n\r\n"
    return Case("bad chunks", post(("Transfer-Encoding", "chunked")) + sent, REFUSED, "half", methods=("POST",))


def odd_chunks(chosen: random.Random, number: int) -> Case:
    body = document(name := f"odd-{number}")
    size = b"%x" % len(body)
    sent = chosen.choice(
        [
            size + b" \r\n" + body + b"\r\n0\r\n\r\n",
            b" " + size + b"\r\n" + body + b"\r\n0\r\n\r\n",
            size + b"\n" + body + b"\n0\n\n",
            size + b";" + b"a" * 5000 + b"\r\n" + body + b"\r\n0\r\n\r\n",
            size + b";\x01\r\n" + body + b"\r\n0\r\n\r\n",
            b"0" * 40 + size + b"\r\n" + body + b"\r\n0\r\n\r\n",
            size + b"\r\n" + body + b"\r\n0\r\nContent-Length: 5\r\n\r\n",
        ]
    )
    sent = post(("Transfer-Encoding", "chunked")) + sent
    return Case("odd chunks", sent, EITHER, "half", methods=("POST",), document=name)


def unfinished_chunks(chosen: random.Random, number: int) -> Case:
    body = chunked(*split(chosen, document(f"unfinished-{number}")))
    sent = post(("Transfer-Encoding", "chunked")) + body[: chosen.randint(0, len(body) - 5)]
    ending: Ending = chosen.choice(["half", "close"])
    return Case("unfinished chunks", sent, REFUSED, ending, methods=("POST",))


def short_body(chosen: random.Random, number: int) -> Case:
    lines = [document(f"short-{number}-{each}") for each in range(3)]
    body = b"".join(lines)
    missing = chosen.choice([1, 10, len(lines[-1]), len(body)])
    sent = post(("Content-Length", str(len(body) + chosen.choice([0, 1, 500])))) + body[: len(body) - missing]
    ending: Ending = chosen.choice(["half", "close"])
    return Case("short body", sent, REFUSED, ending, methods=("POST",))


def large_body(chosen: random.Random, number: int) -> Case:
    size = chosen.choice([33554433, 40_000_000, 10**12])
    sent = post(("Content-Length", str(size))) + document(f"large-{number}")
    return Case("large body", sent, REFUSED, "half", methods=("POST",))


def bad_lines(chosen: random.Random, number: int) -> Case:
    wrong = chosen.choice([noise(chosen) + b"{", b"[]\n", b"{}\n", b"\xff\xfe\n", b"\x00", b'{"id": 1}\n', b"[" * 2000])
    body = document(f"lines-{number}") + wrong
    sent = post(("Content-Length", str(len(body)))) + body
    return Case("bad lines", sent, frozenset({400, 422}), methods=("POST",))


def body_of_get(chosen: random.Random, number: int) -> Case:
    body = noise(chosen, 200)
    framed = [("Content-Length", str(len(body)))], body
    chunks = [("Transfer-Encoding", "chunked")], chunked(body)
    headers, sent = chosen.choice([framed, chunks])
    return Case("body of GET", get(chosen, *headers) + sent, EITHER)


# Connections


def pipelined(chosen: random.Random, number: int) -> Case:
    count = chosen.randint(2, 12)
    sent = b"".join(head("GET", chosen.choice(READS)) for _ in range(count - 1)) + get(chosen)
    return Case("pipelined", sent, ACCEPTED, methods=("GET",) * count, answers=(count, count))


def pipelined_then_bad(chosen: random.Random, number: int) -> Case:
    count = chosen.randint(1, 4)
    sent = b"".join(head("GET", chosen.choice(READS)) for _ in range(count)) + b"\x01\x02" + noise(chosen) + b"\r\n\r\n"
    return Case("pipelined, then bad bytes", sent, EITHER, "half", ("GET",) * (count + 1), (1, count + 1))


def after_a_body(chosen: random.Random, number: int) -> Case:
    body = document(name := f"followed-{number}")
    sent = post(("Content-Length", str(len(body)))).replace(b"Connection: close\r\n", b"") + body + get(chosen)
    return Case("after a body", sent, ACCEPTED, methods=("POST", "GET"), answers=(2, 2), document=name)


def half_closed(chosen: random.Random, number: int) -> Case:
    return Case("half-closed", get(chosen), ACCEPTED, "half")


def unfinished_head(chosen: random.Random, number: int) -> Case:
    sent = get(chosen, ("X-Some", "value"))
    ending: Ending = chosen.choice(["half", "close"])
    return Case("unfinished head", sent[: chosen.randint(0, len(sent) - 3)], REFUSED, ending, answers=(0, 1))


def gone(chosen: random.Random, number: int) -> Case:
    return Case("client goes away", get(chosen), ACCEPTED, "close")


def empty_lines_first(chosen: random.Random, number: int) -> Case:
    return Case("empty lines first", b"\r\n" * chosen.randint(1, 3) + get(chosen), EITHER, "half")


FAMILIES: tuple[Family, ...] = (
    bad_line,
    bad_bytes,
    bad_version,
    other_version,
    bad_method,
    invented_method,
    wrong_method,
    long_line,
    odd_path,
    odd_query,
    non_ascii_path,
    nul,
    absolute,
    odd_target,
    options,
    head_method,
    http_1_0,
    hosts,
    bad_header,
    folded,
    bare_line_feeds,
    long_header,
    many_headers,
    some_headers,
    upgrade,
    expectation,
    odd_expectation,
    sound_body,
    sound_chunks,
    bad_length,
    two_lengths,
    length_and_chunks,
    bad_coding,
    bad_chunks,
    bad_chunks,
    bad_chunks,
    odd_chunks,
    unfinished_chunks,
    short_body,
    large_body,
    bad_lines,
    body_of_get,
    pipelined,
    pipelined_then_bad,
    after_a_body,
    half_closed,
    unfinished_head,
    gone,
    empty_lines_first,
)
"""In the order in which cases take turns. Malformed chunks have three turns."""
