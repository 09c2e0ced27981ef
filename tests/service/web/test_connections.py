"""A real server in this process, and clients that send slowly, read slowly, or say nothing."""

import re
import socket
import threading
from http import HTTPStatus

import orjson
import pytest

from service.app import create_gateway
from service.response_cache import CachedResponse
from service.server import connection_limits, connections
from service.server.connection_limits import affordable
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from service.web.policy.access import digest
from snapshot import PushedDocuments
from tests.service.conftest import KEY
from tests.service.listening import Server, read_all
from tests.waiting import DEADLINE, wait_until

CLOUD = b"/v1/corpora/small/cloud"
PUSH = b"POST /v1/corpora/pushed/documents HTTP/1.1\r\nHost: x\r\nX-API-Key: " + KEY.encode() + b"\r\n"
LINE = b'{"id": "1", "tags": ["cash"]}\n'


def statuses(answers):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]


@pytest.fixture
def serve(environment, live, redis, monkeypatch):
    monkeypatch.setattr(connection_limits, "SWEEP_SECONDS", 0.05)
    running = []

    def start(most=2000, **settings):
        settings = ServiceSettings(api_keys=digest(KEY), **settings)
        running.append(Server(create_gateway(live, redis, settings, Metrics()), most))
        return running[-1]

    yield start
    for server in running:
        server.stop()


def get(path, *headers):
    return b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n" + b"".join(header + b"\r\n" for header in headers) + b"\r\n"


def test_requests_on_one_connection_are_answered_in_order(serve):
    """Quick and long ones, sent without waiting for an answer."""
    server = serve()
    paths = [CLOUD, b"/docs", b"/healthz", b"/", CLOUD, b"/nowhere", b"/explore"] * 5
    answers = server.talk(b"".join(get(path) for path in paths) + get(b"/healthz", b"Connection: close"))
    assert statuses(answers) == [200, 200, 200, 200, 200, 404, 200] * 5 + [200]
    assert answers.endswith(b'{"alive":true}')


def test_thousands_of_requests_sent_at_once_are_answered(serve):
    """They wait while a long one is answered; answering them must not recurse."""
    answers = serve().talk(get(b"/docs") + get(b"/healthz") * 3000 + get(b"/healthz", b"Connection: close"))
    assert statuses(answers) == [200] * 3002


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n\r\n", HTTPStatus.REQUEST_URI_TOO_LONG),
        (b"GET /?q=" + b"x" * 20_000, HTTPStatus.REQUEST_URI_TOO_LONG),
        (get(b"/", b"X: " + b"x" * 40_000), HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 60_000, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE),
        (get(b"/", *[b"X-%d: y" % number for number in range(101)]), HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE),
        (b"hello\r\n\r\n", HTTPStatus.BAD_REQUEST),
        (b"GET / HTTP/9.9\r\n\r\n", HTTPStatus.BAD_REQUEST),
        (b"INVENTED / HTTP/1.1\r\nHost: x\r\n\r\n", HTTPStatus.BAD_REQUEST),
        (PUSH + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", HTTPStatus.BAD_REQUEST),
        (PUSH + b"Content-Length: -1\r\n\r\n", HTTPStatus.BAD_REQUEST),
        (PUSH + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", HTTPStatus.BAD_REQUEST),
        (PUSH + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcdefgh\r\n", HTTPStatus.BAD_REQUEST),
    ],
)
def test_what_is_no_request_is_refused_with_a_problem(serve, redis, request_bytes, status):
    answer = serve().talk(request_bytes)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert statuses(answer) == [status]
    assert b"application/problem+json" in head
    assert b"connection: close" in head.lower()
    problem = orjson.loads(body)
    assert (problem["status"], problem["title"]) == (status, status.phrase)
    assert problem["instance"].encode() in head
    assert PushedDocuments(redis, "pushed").count() == 0


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Length: 90\r\n\r\n" + LINE,
        b"Transfer-Encoding: chunked\r\n\r\n1e\r\n" + LINE + b"\r\n",
        b"Content-Length: 90\r\n",
    ],
)
def test_a_body_that_is_shorter_than_announced_is_400_and_stores_nothing(serve, redis, body):
    assert statuses(serve().talk(PUSH + body, half_close=True)) == [400]
    assert PushedDocuments(redis, "pushed").count() == 0


def test_a_client_that_has_sent_all_may_still_read(serve, redis):
    server = serve()
    chunked = (
        b"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n1e\r\n" + LINE + b"\r\n0\r\n\r\n"
    )
    assert statuses(server.talk(PUSH + chunked, half_close=True)) == [200]
    assert statuses(server.talk(get(b"/docs"), half_close=True)) == [200]
    assert statuses(server.talk(get(CLOUD), half_close=True)) == [200]
    assert PushedDocuments(redis, "pushed").count() == 1


def test_a_large_body_leaves_the_next_head_its_own_limits(serve):
    """The head arrives in two pieces, the first of them together with the end of the body."""
    with serve().open() as client:
        body = b" " * 200_000 + LINE
        client.sendall(PUSH + b"Content-Length: %d\r\n\r\n" % len(body) + body + b"GET /healthz HTTP/1.1\r\nX: ")
        assert statuses(client.recv(65536)) == [200]
        client.sendall(b"y" * 20_000)
        client.sendall(b"\r\nConnection: close\r\n\r\n")
        assert statuses(read_all(client)) == [200]


def test_an_upgrade_is_answered_as_an_ordinary_request(serve):
    answer = serve().talk(get(CLOUD, b"Connection: Upgrade", b"Upgrade: websocket"))
    assert statuses(answer) == [200]


def test_a_head_has_a_deadline_however_it_trickles(serve, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    server = serve()
    with server.open() as silent, server.open() as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        ended = threading.Event()

        def trickle():
            while not ended.wait(0.02):
                try:
                    slow.sendall(b"X: y\r\n")
                except OSError:
                    return

        trickling = threading.Thread(target=trickle)
        trickling.start()
        assert statuses(read_all(slow)) in ([408], [])  # a reset may overtake the answer
        assert read_all(silent) == b""
        ended.set()
        trickling.join()
    assert statuses(server.talk(b"GET / HTTP/1.1\r\n")) == [408]


def test_a_body_has_a_deadline_and_stores_nothing(serve, redis, monkeypatch):
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.2)
    answer = serve().talk(PUSH + b"Content-Length: 90\r\n\r\n" + LINE)
    assert statuses(answer) == [408]
    assert PushedDocuments(redis, "pushed").count() == 0


def test_an_idle_connection_closes(serve, monkeypatch):
    monkeypatch.setattr(connections, "IDLE_SECONDS", 0.2)
    assert statuses(serve().talk(get(CLOUD))) == [200]


def test_a_client_that_does_not_read_is_cut_off(serve, monkeypatch):
    monkeypatch.setattr(connections, "SEND_SECONDS", 0.2)
    server = serve()
    opened, add = [], server.limits.add
    monkeypatch.setattr(server.limits, "add", lambda connection: (opened.append(connection), add(connection)))
    with server.open() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(get(b"/docs") * 100)
        wait_until(lambda: opened and not server.limits._all, "the connection to begin and to end")


def test_answers_that_a_client_does_not_read_are_not_made(serve, live):
    """It asks for forty at once, of 100 kB each, and reads none: a few fill its buffers."""
    server = serve()
    view = live.view("small")
    large = CachedResponse(bytes(100_000), "large")
    view.answers.put("/v1/corpora/small/cloud?limit=7", large)
    hits = "cotag_answer_cache_total"
    metrics = server.gateway._policy._metrics.registry
    with server.open() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(get(CLOUD + b"?limit=7") * 40)
        wait_until(lambda: metrics.get_sample_value(hits, {"result": "hit"}), "the first answer")
        assert statuses(server.talk(get(CLOUD, b"Connection: close"))) == [200]
        assert metrics.get_sample_value(hits, {"result": "hit"}) < 10


def test_a_client_that_reads_late_gets_all_it_asked_for(serve, live):
    """A hundred answers of 100 kB, more than any buffer holds, are held back until it reads."""
    server = serve()
    live.view("small").answers.put("/v1/corpora/small/cloud?limit=7", CachedResponse(bytes(100_000), "large"))
    with server.open() as client:
        client.sendall(get(CLOUD + b"?limit=7") * 100 + get(CLOUD, b"Connection: close"))
        wait_until(lambda: any(each._held_back for each in list(server.limits._all)), "its buffers to fill")
        assert statuses(read_all(client)) == [200] * 101


def test_a_client_that_leaves_without_reading_is_no_error(serve, live, caplog):
    """It asks for answers of the loop and of threads, all at once, more than its buffers hold."""
    server = serve()
    live.view("small").answers.put("/v1/corpora/small/cloud?limit=7", CachedResponse(bytes(100_000), "large"))
    with server.open() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall((get(CLOUD + b"?limit=7") * 5 + get(b"/docs")) * 20)
        wait_until(lambda: any(each.flow.write_paused for each in list(server.limits._all)), "its buffers to fill")
    wait_until(lambda: not server.limits._all, "the connection to end")
    assert statuses(server.talk(get(CLOUD, b"Connection: close"))) == [200]
    assert "Exception" not in caplog.text


def test_requests_that_arrive_together_leave_others_their_turn(serve, monkeypatch):
    server = serve()
    order, answer = [], server.gateway.answer

    def noted(scope):
        if not order:
            server._loop.call_soon(order.append, "another turn")
        order.append("answer")
        return answer(scope)

    monkeypatch.setattr(server.gateway, "answer", noted)
    assert statuses(server.talk(get(CLOUD) * 20 + get(CLOUD, b"Connection: close"))) == [200] * 21
    assert order[:3] == ["answer", "another turn", "answer"]


def test_beyond_the_limit_the_connection_that_waits_longest_is_closed(serve, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 10 * DEADLINE)  # a busy machine opens connections slowly
    server = serve(most=10)
    hold = threading.Event()
    respond = server.gateway.flask.respond
    server.gateway.flask.respond = lambda *given: hold.wait() and respond(*given)
    clients = []
    with server.open() as asking:
        asking.sendall(get(b"/docs", b"Connection: close"))  # the oldest, but it waits for us
        wait_until(lambda: server.limits._all and not server.limits._waiting, "the request to arrive")
        for number in range(9):
            client = socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE)
            client.sendall(b"GET / HT" if number % 2 else b"")
            clients.append(client)
            wait_until(lambda: len(server.limits._all) == len(clients) + 1, "the connection")
        with server.open() as one_more:
            assert read_all(clients[0]) == b""
            one_more.sendall(get(CLOUD, b"Connection: close"))
            assert statuses(read_all(one_more)) == [200]
        for client in clients[1:]:
            client.setblocking(False)
            with pytest.raises(BlockingIOError):
                client.recv(1)
        hold.set()
        assert statuses(read_all(asking)) == [200]
    for client in clients:
        client.close()


def test_a_low_limit_of_files_lowers_the_limit_of_connections_and_says_so(monkeypatch, capsys):
    changed = []
    monkeypatch.setattr(connection_limits.resource, "setrlimit", lambda _, limits: changed.append(limits))
    monkeypatch.setattr(connection_limits.resource, "getrlimit", lambda _: (256, 100_000))
    assert affordable(2000) == 2000
    assert changed == [(2064, 100_000)]
    assert "fewer connections" not in capsys.readouterr().out
    monkeypatch.setattr(connection_limits.resource, "getrlimit", lambda _: (256, 512))
    assert affordable(2000) == 448
    assert "fewer connections" in capsys.readouterr().out


@pytest.mark.slow
def test_slow_heads_slow_readers_and_silence_do_not_keep_others_waiting(serve):
    """A small version of `python -m bench.service.serving.faults`."""
    server = serve()
    crowd = []
    for number in range(120):
        client = socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE)
        client.sendall([b"GET / HTTP/1.1\r\nX: ", get(b"/docs") * 20, b""][number % 3])
        crowd.append(client)
    answered = [statuses(server.talk(get(CLOUD, b"Connection: close"))) for _ in range(50)]
    assert answered == [[200]] * 50
    for client in crowd:
        client.close()
    wait_until(lambda: not server.limits._all, "all connections to end")


def test_uvicorn_still_has_the_names_that_connections_build_on():
    """None of them is public: when a release moves one, this names it. Then change connections.py and the pin."""
    from uvicorn.protocols.http import httptools_impl
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

    setters = (HttpToolsProtocol.__init__, HttpToolsProtocol.on_message_begin)
    own = set(dir(HttpToolsProtocol)).union(*(setter.__code__.co_names for setter in setters))
    assert own >= {
        *("_start_asgi_task", "connection_lost", "connection_made", "data_received", "eof_received", "on_header"),
        *("on_headers_complete", "on_message_begin", "on_message_complete", "on_response_complete", "on_url"),
        *("client", "config", "cycle", "flow", "headers", "loop", "parser", "pipeline", "resume_writing"),
        *("server_state", "transport", "url"),
    }
    assert set(RequestResponseCycle.__init__.__code__.co_names) >= {
        *("disconnected", "keep_alive", "message_event", "response_complete", "response_started", "scope"),
    }
    assert httptools_impl.STATUS_LINE[200].startswith(b"HTTP/1.1 200")
