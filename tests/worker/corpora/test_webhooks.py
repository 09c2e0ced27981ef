"""Webhooks: declared in the corpora file alone, signed, tried ten times over a day, never in the way of publishing."""

import hmac
import json
import socket
import threading
from base64 import b64decode, b64encode
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from structlog.testing import capture_logs

from snapshot import SnapshotStore
from snapshot.store import keys
from snapshot.store.operation.control import read_operating
from snapshot.store.operation.outbox import LEASE_SECONDS, Outbox
from snapshot.store.records import RecordReader
from tests.clock import Clock
from tests.clustered import NOON
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from tests.waiting import DEADLINE, wait_until
from tests.worker.ending import run_and_record
from worker.errors import CorpusError
from worker.notices.delivery import PAUSES, Deliverer
from worker.runs.job import run
from worker.runs.metrics import RunCollector
from worker.runs.outcome import notices

KEY = bytes(range(32))
SECRET = "whsec_" + b64encode(KEY).decode()
TOKEN = "a-token-in-the-path"  # noqa: S105 - no password


class Receiver:
    """A real HTTP server that notes what it gets and answers as told."""

    def __init__(self):
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(receiver.status)
                self.send_header("Location", f"http://127.0.0.1:{receiver.port}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.got = []
        self.status = 204
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}/{TOKEN}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    server = Receiver()
    yield server
    server.stop()


@pytest.fixture
def declare(tmp_path, receiver):
    """A corpus with one webhook."""

    def declare(events="", url=None, secret=SECRET, **keys):
        write_jsonl(tmp_path / "topics.jsonl", topic_documents())
        more = "".join(f"{key} = {value!r}\n" for key, value in keys.items())
        file = tmp_path / "corpora.toml"
        file.write_text(
            f'[corpora.topics]\nsource = "topics.jsonl"\n{more}'
            f'[[corpora.topics.webhooks]]\nurl = "{url or receiver.url}"\nsecret = "{secret}"\n{events}'
        )
        return read_corpora(file)["topics"]

    return declare


@pytest.fixture
def clock():
    return Clock(2e9)


@pytest.fixture
def deliverer(redis, declare, clock):
    corpus = declare()
    return Deliverer(redis, lambda: {"topics": corpus}, clock)


def waiting(redis):
    return read_operating(redis, RecordReader(), []).notices


def test_a_published_version_is_told_with_id_timestamp_and_signature(redis, declare, receiver, deliverer, clock):
    outcome = run(declare(), redis, "job-1")
    assert waiting(redis) == 1
    assert deliverer.deliver_next()
    ((path, headers, body),) = receiver.got
    assert path == f"/{TOKEN}"
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    version, signature = headers["webhook-signature"].split(",")
    assert version == "v1"
    assert b64decode(signature) == hmac.digest(KEY, signed, "sha256")
    assert headers["webhook-timestamp"] == "2000000000"
    told = json.loads(body)
    assert told["type"] == "published"
    assert told["data"]["version"] == outcome["version"]
    assert told["data"]["changes"] is None, "there is no version before"
    assert not deliverer.deliver_next()
    assert (waiting(redis), redis.hlen(keys.NOTICES)) == (0, 0)


def test_a_later_version_tells_what_changed(redis, declare, receiver, deliverer):
    corpus = declare()
    run(corpus, redis, "job-1")
    deliverer.deliver_next()
    write_jsonl(corpus.path, [*topic_documents(), *({"id": f"n{n}", "tags": ["new", "rain"]} for n in range(6))])
    run(corpus, redis, "job-2")
    deliverer.deliver_next()
    assert json.loads(receiver.got[1][2])["data"]["changes"]["came"] == 1
    assert receiver.got[0][1]["webhook-id"] != receiver.got[1][1]["webhook-id"]


def test_held_and_failed_runs_are_told_with_their_reason(redis, declare, receiver, deliverer):
    corpus = declare()
    run_and_record(corpus, redis, "job-1")
    write_jsonl(corpus.path, topic_documents(60))
    assert run_and_record(corpus, redis, "job-2")["state"] == "held"
    corpus.path.write_text("nonsense\n")
    assert run_and_record(corpus, redis, "job-3")["state"] == "failed"
    while deliverer.deliver_next():
        pass
    kinds = {json.loads(body)["type"]: json.loads(body)["data"] for _, _, body in receiver.got}
    assert list(kinds) == ["published", "held", "failed"]
    assert "only 60 documents" in kinds["held"]["reason"]
    assert "topics.jsonl" in kinds["failed"]["error"]
    assert kinds["failed"]["retried"] is False


def test_only_the_events_that_a_webhook_wants_are_told(redis, declare, receiver):
    corpus = declare(events='events = ["failed"]\n')
    run(corpus, redis, "job-1")
    assert waiting(redis) == 0


def test_a_redirect_is_not_followed_and_no_success(redis, declare, receiver, deliverer):
    run(declare(), redis, "job-1")
    receiver.status = 307
    deliverer.deliver_next()
    assert [path for path, _, _ in receiver.got] == [f"/{TOKEN}"]
    assert waiting(redis) == 1


def test_a_receiver_has_ten_attempts_over_a_day_then_the_notice_is_given_up_and_counted(
    redis, declare, receiver, deliverer, clock
):
    run(declare(), redis, "job-1")
    receiver.status = 500
    began = clock.now
    for pause in PAUSES:
        assert deliverer.deliver_next()
        assert not deliverer.deliver_next(), "it is not due again at once"
        clock.now += pause - 1
        assert not deliverer.deliver_next()
        clock.now += 1
    assert clock.now - began == 86_400
    with capture_logs() as logs:
        assert deliverer.deliver_next()
    assert len(receiver.got) == 10
    assert len({headers["webhook-id"] for _, headers, _ in receiver.got}) == 1, "the same event"
    assert logs[0]["event"] == "notice given up"
    assert (waiting(redis), redis.hlen(keys.NOTICES)) == (0, 0)
    samples = {
        sample.labels["result"]: sample.value
        for family in RunCollector(redis, clock).collect()
        if family.name == "cotag_notices"
        for sample in family.samples
    }
    assert samples == {"not-sent": 9.0, "given-up": 1.0}


def test_a_notice_whose_sender_died_is_due_again_after_its_lease(redis, declare, clock, deliverer, receiver):
    run(declare(), redis, "job-1")
    assert Outbox(redis).claim(clock.now) is not None
    assert not deliverer.deliver_next(), "somebody else has it"
    clock.now += LEASE_SECONDS
    assert deliverer.deliver_next()
    assert len(receiver.got) == 1


def test_a_receiver_that_does_not_answer_is_no_reason_not_to_publish(redis, declare):
    corpus = declare(url="http://127.0.0.1:9/nobody")
    assert run(corpus, redis, "job-1")["state"] == "done"
    assert SnapshotStore(redis).current("topics")


def test_the_store_cannot_send_anything_elsewhere(redis, declare, deliverer, receiver, clock):
    """Whoever writes to the outbox can name a corpus and a webhook that are declared, and no URL."""
    foreign = notices(declare(url="http://127.0.0.1:9/evil"), "failed", {}, NOON)
    Outbox(redis).add(foreign, 0.0)
    Outbox(redis).add({"x": "garbage"}, 0.0)
    assert deliverer.deliver_next()
    assert not deliverer.deliver_next()
    assert receiver.got == []
    assert (waiting(redis), redis.hlen(keys.NOTICES)) == (0, 0)


def test_url_and_secret_may_come_from_the_environment_and_are_in_no_log(redis, declare, receiver, clock, environment):
    environment.setenv("HOOK", receiver.url)
    corpus = declare(url="${HOOK}", secret="${HOOK_SECRET}")  # noqa: S106 - the name of a variable
    deliverer = Deliverer(redis, lambda: {"topics": corpus}, clock)
    with capture_logs() as logs:
        run(corpus, redis, "job-1")
        deliverer.deliver_next()
        environment.setenv("HOOK_SECRET", "too short")
        clock.now += 10
        deliverer.deliver_next()
        environment.setenv("HOOK_SECRET", SECRET)
        receiver.status = 500
        clock.now += 60
        deliverer.deliver_next()
        environment.setenv("HOOK", f"http://127.0.0.1:9/{TOKEN}")
        clock.now += 300
        deliverer.deliver_next()
    reasons = [line["reason"] for line in logs if line["event"] == "notice not sent"]
    assert reasons[0] == "webhooks.secret: the environment variable HOOK_SECRET is not set"
    assert "24 random bytes" in reasons[1]
    assert reasons[2:] == ["127.0.0.1 answered 500", "127.0.0.1 does not answer: URLError"]
    stored = b"".join(redis.hgetall(keys.NOTICES).values())
    for secret in (TOKEN, SECRET.removeprefix("whsec_"), "too short"):
        assert secret not in repr(logs)
        assert secret.encode() not in stored


@pytest.mark.parametrize(
    ("url", "secret", "message"),
    [
        ("ftp://host/secret-path", SECRET, "line 4: .*webhooks.url: this is no URL such as https://"),
        ("https://user:pass@host/", SECRET, "webhooks.url: this is no URL"),
        ("https://host/", "password", "line 5: .*webhooks.secret: a secret is whsec_ and at least 24 random bytes"),
        ("https://host/", "whsec_c2hvcnQ=", "webhooks.secret: a secret is whsec_"),
    ],
)
def test_a_wrong_webhook_is_refused_with_its_line_and_without_its_value(declare, url, secret, message):
    with pytest.raises(CorpusError, match=message) as raised:
        declare(url=url, secret=secret)
    assert "secret-path" not in str(raised.value)
    assert "pass@" not in str(raised.value)
    assert "c2hvcnQ" not in str(raised.value)


def test_an_unknown_key_of_a_webhook_is_named(declare):
    with pytest.raises(CorpusError, match=r"webhooks.event: unknown key; did you mean events\?"):
        declare(events='event = ["failed"]\n')


def test_a_webhook_does_not_make_a_corpus_run_again(declare):
    assert declare().digest() == declare(url="https://other.example/").digest()
    assert SECRET not in repr(declare())


class DrippingReceiver:
    """A real server that sends a byte of its answer now and then, and never ends."""

    def __init__(self):
        self.ending = threading.Event()
        self.asked = threading.Event()
        self.left = threading.Event()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.server.getsockname()[1]}/slow"
        threading.Thread(target=self._drip, daemon=True).start()

    def _drip(self):
        connection, _ = self.server.accept()
        with connection, suppress(OSError):
            connection.recv(10_000)
            self.asked.set()
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not self.ending.wait(0.05):
                connection.sendall(b"x")
        self.left.set()


@pytest.fixture
def dripping():
    server = DrippingReceiver()
    yield server
    server.ending.set()
    server.server.close()


def test_a_receiver_that_drips_is_left_after_the_deadline(redis, declare, dripping, clock, monkeypatch):
    """However often it sends a byte: a time-out of silence would wait for ever."""
    monkeypatch.setattr("worker.notices.delivery.DEADLINE_SECONDS", 0.5)
    corpus = declare(url=dripping.url)
    run(corpus, redis, "job-1")
    with capture_logs() as logged:
        assert Deliverer(redis, lambda: {"topics": corpus}, clock).deliver_next()
    assert "does not answer" in logged[-1]["reason"]
    assert dripping.left.wait(DEADLINE)


def test_one_slow_receiver_does_not_keep_notices_from_another(redis, declare, receiver, dripping, clock):
    """Two webhooks of one corpus: the fast one is told while the slow one still drips."""
    corpus = declare(
        events=f'[[corpora.topics.webhooks]]\nurl = "{dripping.url}"\nsecret = "{SECRET}"\n', url=receiver.url
    )
    run(corpus, redis, "job-1")
    deliverer = Deliverer(redis, lambda: {"topics": corpus}, clock)
    while deliverer.hand_out_next():
        pass
    assert dripping.asked.wait(DEADLINE)
    wait_until(lambda: receiver.got, "the notice of the fast receiver")
    assert not dripping.left.is_set()
