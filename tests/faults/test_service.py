"""The service against a store that stops, pauses, slows down and forgets, while clients ask all the time."""

import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime

import httpx
import numpy as np
import psutil
import pytest

from snapshot import SCHEMA, SnapshotStore, connect
from tests.clustered import published, snapshot_at
from tests.e2e.launching import fetched, free_port, wait_everywhere
from tests.servers import Server
from tests.waiting import DEADLINE, wait_until

QUESTIONS = (
    "cloud?q=payments",
    "cloud?limit=5&groups=2",
    "related?tag=payment&tag=cash",
    "tags?infix=a",
    "tag?tag=snow",
    "clusters?k=4",
    "dendrogram?k=3&format=svg",
)


class Store(Server):
    """A store that gets versions of a small corpus."""

    def publish(self):
        """A version of its own content, now."""
        moment = datetime.now(UTC)
        encoded = published(moment, counts=snapshot_at().counts + np.int32(moment.microsecond // 1000))
        client = self.client()
        SnapshotStore(client).publish(encoded)
        client.close()
        self.written()
        return encoded.version


class Service:
    """`cotag serve` with two processes."""

    def __init__(self, folder, store):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
        settings = {
            "COTAG_REDIS_URL": store.url,
            "COTAG_PORT": str(self.port),
            "COTAG_CACHE_DIR": str(folder / "copies"),
            "COTAG_WEB_WORKERS": "2",
        }
        # Every request over a connection of its own, so that any process may answer it.
        alone = httpx.Limits(max_keepalive_connections=0)
        self.client = httpx.Client(base_url=self.url, timeout=DEADLINE, trust_env=False, limits=alone)
        self.log = folder / f"service-{self.port}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "cotag", "serve"], env={**clean, **settings}, stdout=log, stderr=log
            )
        wait_until(self.alive, "the service")

    def alive(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            return self.get("/healthz").status_code == 200
        except httpx.TransportError:
            return False

    def get(self, path):
        return self.client.get(path)

    def everywhere(self, condition, what):
        """Wait until what each process says of itself fulfils a condition."""
        wait_everywhere(self.process.pid, self.port, condition, what)

    def ready(self):
        """The state of one process."""
        _, state, connection = fetched(self.port, "/readyz")
        connection.close()
        return state

    def processes(self):
        """The pids of those that answer requests."""
        return {child.pid for child in psutil.Process(self.process.pid).children()}

    def stop(self):
        self.client.close()
        self.process.terminate()
        self.process.wait(DEADLINE)


class Client(threading.Thread):
    """Asks all questions over and over, and notes every answer by question and version."""

    def __init__(self, service, seed):
        super().__init__()
        self.service = service
        self.seed = seed
        self.stopping = threading.Event()
        self.statuses = Counter()
        self.broken = []
        self.slowest = 0.0
        self.stale = 0
        self.bodies = defaultdict(set)

    def run(self):
        with httpx.Client(base_url=self.service.url, timeout=DEADLINE, trust_env=False) as client:
            number = self.seed
            while not self.stopping.is_set():
                number += 1
                self.ask(client, QUESTIONS[number % len(QUESTIONS)])
                time.sleep(0.02)

    def ask(self, client, question):
        began = time.monotonic()
        try:
            answer = client.get(f"/v1/corpora/small/{question}")
        except httpx.TransportError as error:
            self.broken.append(repr(error))
            return
        self.slowest = max(self.slowest, time.monotonic() - began)
        self.statuses[answer.status_code] += 1
        if answer.status_code != 200:
            self.broken.append(answer.text)
            return
        version = answer.headers["Cotag-Version"]
        if not question.endswith("svg") and answer.json()["version"] != version:
            self.broken.append(f"{version} answered as {answer.json()['version']}")
        self.stale += "Cotag-Stale" in answer.headers
        self.bodies[question, version].add(hashlib.sha256(answer.content).hexdigest())


class Load:
    """Several clients at once, and the sum of what they saw."""

    def __init__(self, service, clients=4):
        self.clients = [Client(service, seed) for seed in range(clients)]

    def __enter__(self):
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, *_):
        for client in self.clients:
            client.stopping.set()
        for client in self.clients:
            client.join()

    def sent(self):
        return sum(client.statuses.total() for client in self.clients)

    def versions(self):
        """Those seen so far."""
        return {version for client in self.clients for _, version in list(client.bodies)}

    def go_on(self, requests=50):
        """Wait until clients have asked so many times more."""
        goal = self.sent() + requests
        wait_until(lambda: self.sent() >= goal, f"{requests} more requests")

    def report(self, published, what):
        """All answered, each version always the same, nothing that was never published."""
        sent = self.sent()
        failed = [fault for client in self.clients for fault in client.broken]
        bodies = defaultdict(set)
        for client in self.clients:
            for key, digests in client.bodies.items():
                bodies[key] |= digests
        versions = {version for _, version in bodies}
        stale = sum(client.stale for client in self.clients)
        slowest = max(client.slowest for client in self.clients)
        print(
            f"\n{what}: requests sent: {sent}, failed: {len(failed)}, mixed: "
            f"{sum(len(digests) != 1 for digests in bodies.values())}, versions seen: {len(versions)} of "
            f"{len(published)}, marked stale: {stale}, slowest: {slowest * 1000:.0f} ms"
        )
        assert failed == []
        assert all(len(digests) == 1 for digests in bodies.values())
        assert versions <= set(published)
        assert sent > 200
        return versions


@pytest.fixture
def store(tmp_path):
    started = Store(tmp_path / "s").start()
    yield started
    if started.process.poll() is None:
        os.kill(started.process.pid, signal.SIGCONT)
        started.stop()


@pytest.fixture
def service(tmp_path, store):
    store.first = store.publish()
    started = Service(tmp_path, store)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def lasting(tmp_path_factory):
    """A service and its store, for tests that let both go on."""
    store = Store(tmp_path_factory.mktemp("s")).start()
    store.publish()
    service = Service(tmp_path_factory.mktemp("lasting"), store)
    service.store = store
    yield service
    service.stop()
    store.stop()


def test_a_store_that_stops_pauses_slows_down_and_forgets_is_invisible_to_readers(service, store):
    published = [store.first]
    with Load(service) as load:
        load.go_on()

        store.stop()
        service.everywhere(lambda ready: ready["ready"] and not ready["store"], "noticing that the store stopped")
        service.everywhere(lambda ready: set(ready["stale"]) == {"small"}, "saying so")
        assert service.get("/v1/corpora/small/cloud").headers["Cotag-Stale"].isdigit()
        assert service.get("/v1/corpora/small").json()["stale"] is True
        load.go_on()
        store.start()
        service.everywhere(lambda ready: ready["store"] and not ready["stale"], "recovery from a stop")

        os.kill(store.process.pid, signal.SIGSTOP)
        service.everywhere(lambda ready: ready["stale"] and not ready["store"], "noticing a pause")
        os.kill(store.process.pid, signal.SIGCONT)
        service.everywhere(lambda ready: ready["store"] and not ready["stale"], "recovery from a pause")

        with connect(store.url) as client:
            for _ in range(8):
                client.execute_command("CLIENT", "PAUSE", "250", "ALL")
                client.ping()  # answered when the pause is over
        published.append(store.publish())
        newest = published[-1]
        service.everywhere(lambda ready: ready["corpora"]["small"] == newest, "a version published after slowness")
        load.go_on()

        store.empty()
        service.everywhere(lambda ready: ready["ready"] and set(ready["stale"]) == {"small"}, "noticing emptiness")
        published.append(store.publish())
        last = published[-1]
        service.everywhere(
            lambda ready: ready["corpora"]["small"] == last and not ready["stale"], "a version after emptiness"
        )
        load.go_on(250)
    assert load.report(published, "faults") == set(published)
    assert sum(client.stale for client in load.clients) > 0


def test_versions_swapped_every_200_ms_under_load_are_never_mixed(lasting):
    service, store = lasting, lasting.store
    published = [service.ready()["corpora"]["small"]]

    def swap():
        published.append(store.publish())
        return len(load.versions()) > 10

    def taken_up():
        """Seconds until the version published now is served by all processes."""
        published.append(store.publish())
        began, newest = time.monotonic(), published[-1]
        service.everywhere(lambda ready: ready["corpora"]["small"] == newest, "being taken up")
        return time.monotonic() - began

    with Load(service) as load:
        wait_until(swap, "ten versions seen", pause=0.2)
        wait_until(lambda: taken_up() < 2.0, "being taken up by all processes within 2 s")
        load.go_on(250)
    load.report(published, "swaps")


def test_a_start_without_the_store_serves_the_copy_on_disk_and_recovers(service, store, tmp_path):
    version = store.first
    service.stop()
    store.stop()
    again = Service(tmp_path, store)
    try:
        again.everywhere(lambda ready: ready["ready"] and not ready["store"], "the copy")
        answer = again.get("/v1/corpora/small/cloud?q=payment")
        assert answer.json()["version"] == version
        assert int(answer.headers["Cotag-Stale"]) >= 0
        assert again.get("/v1/corpora/small/snapshots").status_code == 503
        store.start()
        again.everywhere(lambda ready: ready["store"] and not ready["stale"], "recovery")
    finally:
        again.stop()


def test_a_damaged_copy_is_refused_and_the_service_waits(service, store, tmp_path):
    service.stop()
    store.stop()
    (copy,) = (tmp_path / "copies").glob("*.snapshot")
    blob = bytearray(copy.read_bytes())
    blob[-100] ^= 1
    copy.write_bytes(blob)
    again = Service(tmp_path, store)
    try:
        wait_until(lambda: again.log.read_text().count("copy refused") == 2, "both processes refusing the copy")
        assert again.get("/readyz").status_code == 503
    finally:
        again.stop()


def test_corrupt_and_newer_snapshots_are_refused_counted_and_the_old_one_stays(lasting):
    """Written as a publisher with a fault would: the pointer moves to parts that are not what they should be."""
    service, store = lasting, lasting.store
    held = service.ready()["corpora"]["small"]
    with connect(store.url) as client:
        for reason, part, change in (
            ("corrupt", "arrays", lambda blob: blob[:-50] + b"damage" + blob[-44:]),
            ("schema", "meta", lambda blob: blob.replace(b'"schema":%d' % SCHEMA, b'"schema":99')),
        ):
            moment = datetime.now(UTC)
            encoded = published(moment)
            bad = replace(encoded, **{part: change(getattr(encoded, part))})
            SnapshotStore(client).publish(bad)
            count = f'cotag_snapshots_refused_total{{corpus="small",reason="{reason}"}} 2.0'
            wait_until(lambda count=count: count in service.get("/metrics").text, f"refusing it as {reason}")
            service.everywhere(lambda ready: set(ready["stale"]) == {"small"}, "saying so")
            assert service.ready()["corpora"] == {"small": held}
            answer = service.get("/v1/corpora/small/cloud")
            assert (answer.status_code, answer.json()["version"]) == (200, held)
            listed = service.get("/v1/corpora/small/snapshots").json()
            assert listed["served"] == held != listed["current"]
    wait_until(lambda: service.log.read_text().count("snapshot refused") >= 4, "the log")
    assert service.log.read_text().count("snapshot refused") == 4
    good = store.publish()
    service.everywhere(lambda ready: ready["corpora"]["small"] == good, "the next good version")


def test_processes_share_their_metrics_and_a_killed_one_leaves_no_gauges(lasting):
    service = lasting
    for _ in range(60):
        service.get("/v1/corpora/small/curve")
    name = 'cotag_request_seconds_count{method="GET",route="/v1/corpora/<string:corpus>/curve",status="200"}'
    counts = {line.rpartition(" ")[2] for line in service.get("/metrics").text.splitlines() if line.startswith(name)}
    assert counts == {"60.0"}
    killed = min(service.processes())
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: len(service.processes() - {killed}) == 2, "another process")
    service.everywhere(lambda ready: ready["ready"], "its answer")
    text = service.get("/metrics").text
    assert f"{name} 60.0" in text
    assert "pid=" not in text


def test_slow_and_broken_clients_get_problems_and_hold_no_thread_for_long(lasting):
    service = lasting

    def talk(data, timeout=60):
        with socket.create_connection(("127.0.0.1", service.port), timeout=timeout) as connection:
            connection.sendall(data)
            return connection.recv(65536)

    assert b"414" in talk(b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n\r\n").splitlines()[0]
    answer = talk(b"GET / HTTP/9.9\r\n\r\n")
    assert b"400" in answer.splitlines()[0]
    assert b"application/problem+json" in answer
    assert b"408" in talk(b"GET /healthz HTTP/1.1\r\nHost: x\r\n").splitlines()[0]
    assert "Traceback" not in service.log.read_text()


def test_a_hung_store_keeps_only_those_waiting_who_ask_for_it(service, store):
    """Twenty clients ask for what needs the store; reads, pages and health go on."""
    asked = ["/v1/jobs/x", "/v1/corpora/small/snapshots", "/ops", "/v1/corpora/small/dendrogram?side=documents"]
    stop, refused = threading.Event(), Counter()

    def insist(path):
        while not stop.is_set():
            with httpx.Client(base_url=service.url, timeout=DEADLINE, trust_env=False) as client:
                refused[client.get(path).status_code] += 1

    insisting = [threading.Thread(target=insist, args=(asked[number % 4],)) for number in range(20)]
    os.kill(store.process.pid, signal.SIGSTOP)
    with Load(service) as load:
        for thread in insisting:
            thread.start()
        load.go_on(200)
        for path in ("/", "/explore", "/healthz", "/readyz", "/v1/corpora/small/dendrogram"):
            assert service.get(path).status_code == 200
        wait_until(lambda: refused[503] > 40, "refusals")
        load.go_on(100)
        stop.set()
        for thread in insisting:
            thread.join()
    os.kill(store.process.pid, signal.SIGCONT)
    load.report([store.first], "store hung, twenty clients insist")
    assert set(refused) <= {200, 503}


def test_sighup_replaces_the_processes_and_no_reader_notices(service, store):
    before = service.processes()
    seen = Counter()
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            seen[service.get("/v1/corpora/small/cloud?q=payments").status_code] += 1

    asking = [threading.Thread(target=ask) for _ in range(3)]
    for thread in asking:
        thread.start()
    os.kill(service.process.pid, signal.SIGHUP)
    wait_until(lambda: len(service.processes() - before) == 2 == len(service.processes()), "new processes")
    goal = seen.total() + 50
    wait_until(lambda: seen.total() > goal, "their answers")
    stop.set()
    for thread in asking:
        thread.join()
    assert set(seen) == {200}
    name = 'cotag_request_seconds_count{method="GET",route="/v1/corpora/<string:corpus>/cloud",status="200"}'
    assert f"{name} {seen.total():.1f}" in service.get("/metrics").text


def test_a_process_that_is_told_to_end_does_so_whoever_is_connected(service):
    crowd = []
    for number in range(90):
        client = socket.create_connection(("127.0.0.1", service.port), timeout=DEADLINE)
        client.sendall([b"", b"GET / HTTP/1.1\r\nX: ", b"GET /docs HTTP/1.1\r\nHost: x\r\n\r\n" * 50][number % 3])
        crowd.append(client)
    service.process.terminate()
    assert service.process.wait(DEADLINE) == 0
    log = service.log.read_text()
    assert "Traceback" not in log
    assert "SIGKILL" not in log
    for client in crowd:
        client.close()
