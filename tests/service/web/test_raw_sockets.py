"""Malformed and odd requests over raw sockets against a real server: no 5xx, sound answers, nothing stored wrongly."""

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from service.web.policy.access import digest
from snapshot import CorpusRegister, PushedDocuments, RegisteredCorpus, SnapshotStore
from tests.clustered import published
from tests.e2e.launching import fetched, free_port
from tests.servers import Server
from tests.service.raw_answers import IllFormed, Outcome, faults, parse, send, storage_faults
from tests.service.raw_requests import ACCEPTED, CORPUS, FAMILIES, KEY, REFUSED, Case, cases
from tests.waiting import DEADLINE, wait_until

SEED = 16
AT_ONCE = 8
SHOWN = 40


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with a snapshot, and a corpus that takes documents over HTTP."""
    server = Server(tmp_path_factory.mktemp("store")).start()
    client = server.client()
    SnapshotStore(client).publish(published())
    CorpusRegister(client).write({CORPUS: RegisteredCorpus(CORPUS, "Pushed", "1h", 1.8e9, pushed=True)})
    client.close()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def service(store, tmp_path_factory):
    """`cotag serve` with two processes: its port, and its process."""
    port = free_port()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    settings = {
        "COTAG_REDIS_URL": store.url,
        "COTAG_PORT": str(port),
        "COTAG_WEB_WORKERS": "2",
        "COTAG_API_KEYS": digest(KEY),
    }
    log = tmp_path_factory.mktemp("service") / "service.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "cotag", "serve"], env={**clean, **settings}, stdout=file, stderr=file
        )

    def ready():
        assert process.poll() is None, log.read_text()
        try:
            status, _, connection = fetched(port, "/readyz")
        except OSError:
            return False
        connection.close()
        return status == 200 and len(psutil.Process(process.pid).children()) == 2

    wait_until(ready, "the service")
    yield port, process
    process.terminate()
    process.wait(DEADLINE)


def stored(store):
    """The ids of all pushed documents."""
    client = store.client()
    ids = {json.loads(record)["id"] for record in PushedDocuments(client, CORPUS).records()}
    client.close()
    return ids


@pytest.mark.slow
@pytest.mark.parametrize("count", [3 * len(FAMILIES), pytest.param(5000, marks=pytest.mark.nightly)])
def test_malformed_and_odd_requests_get_sound_answers_and_store_nothing(service, store, count):
    port, process = service
    workers = {child.pid for child in psutil.Process(process.pid).children()}
    before = stored(store)
    campaign = list(cases(count, SEED))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(lambda case: send(port, case), campaign))
    found = stored(store) - before
    wrong = [
        (case, fault)
        for case, outcome in zip(campaign, outcomes, strict=True)
        for fault in [*faults(case, outcome), *storage_faults(case, outcome, found)]
    ]
    for (family, fault), times in sorted(Counter((case.family, fault) for case, fault in wrong).items()):
        print(f"{times:5d} {family}: {fault}")
    assert not wrong, "\n".join(f"{case.family}: {fault}: {case.sent[:300]!r}" for case, fault in wrong[:SHOWN])
    assert found <= {case.document for case in campaign}, "documents of malformed requests are stored"
    assert {child.pid for child in psutil.Process(process.pid).children()} == workers, "a process ended"
    status, answer, connection = fetched(port, "/v1/corpora/small/related?tag=payment")
    connection.close()
    assert (status, bool(answer["related"])) == (200, True)


def test_the_same_seed_gives_the_same_cases():
    assert list(cases(100, 1)) == list(cases(100, 1)) != list(cases(100, 2))


def test_a_small_sample_has_all_families():
    assert {case.family for case in cases(len(FAMILIES), SEED)} == {case.family for case in cases(2000, SEED)}


SOUND = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nX-A: \x01\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nok\r\n0\r\n\r\n",
        SOUND + b"more",
    ],
)
def test_ill_formed_answers_are_noticed(data):
    with pytest.raises(IllFormed):
        parse(data, ("GET",))


def test_sound_answers_are_read_one_after_the_other():
    data = b"HTTP/1.1 100 Continue\r\n\r\n" + SOUND + SOUND.replace(b"ok", b"OK")
    assert [answer.body for answer in parse(data, ("POST", "GET"))] == [b"ok", b"OK"]
    assert [answer.body for answer in parse(SOUND.removesuffix(b"ok"), ("HEAD",))] == [b""]
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n"
    assert [answer.body for answer in parse(chunks, ("GET",))] == [b"ok"]


def answered(status, kind="application/problem+json"):
    return Outcome(f"HTTP/1.1 {status} -\r\nContent-Type: {kind}\r\nContent-Length: 0\r\n\r\n".encode())


@pytest.mark.parametrize(
    ("case", "outcome", "fault"),
    [
        (Case("a", b"", REFUSED), answered(400), None),
        (Case("a", b"", REFUSED), answered(500), "status 500"),
        (Case("a", b"", REFUSED), answered(200), "status 200"),
        (Case("a", b"", REFUSED), answered(400, "text/html"), "status 400 as text/html"),
        (Case("a", b"", REFUSED), Outcome(b""), "0 answers instead of 1 to 1"),
        (Case("a", b"", REFUSED), Outcome(b"", reset=True), "0 answers instead of 1 to 1"),
        (Case("a", b"", REFUSED, reset=True), Outcome(b"", reset=True), None),
        (Case("a", b"", ACCEPTED), Outcome(SOUND, open=True), "the connection stays open"),
        (Case("a", b"", ACCEPTED), Outcome(SOUND + SOUND), "2 answers instead of 1 to 1"),
        (Case("a", b"", ACCEPTED), Outcome(b"?"), "ill-formed: a head without an end: b'?'"),
    ],
)
def test_what_counts_as_wrong(case, outcome, fault):
    assert faults(case, outcome) == ([] if fault is None else [fault])


@pytest.mark.parametrize(
    ("case", "outcome", "ids", "expected"),
    [
        (Case("a", b'{"id": "x"}', REFUSED), answered(400), set(), []),
        (Case("a", b'{"id": "x"}', REFUSED), answered(400), {"x"}, ["stored"]),
        (Case("a", b"", ACCEPTED, document="x"), answered(200), {"x"}, []),
        (Case("a", b"", ACCEPTED, document="x"), answered(200), set(), ["accepted and not stored"]),
        (Case("a", b"", ACCEPTED, document="x"), answered(400), {"x"}, ["refused and stored"]),
        (Case("a", b"", ACCEPTED, "close", document="x"), Outcome(b""), {"x"}, []),
    ],
)
def test_what_may_be_stored(case, outcome, ids, expected):
    assert storage_faults(case, outcome, ids) == expected
