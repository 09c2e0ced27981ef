"""Pushes, replacements and deletions over HTTP through two processes that are killed meanwhile: totals stay exact."""

import hashlib
import os
import random
import signal
import subprocess
import sys
from urllib.parse import quote

import httpx
import psutil
import pytest

from snapshot import CorpusRegister, RegisteredCorpus, SnapshotStore
from tests import clustered
from tests.clustered import TAGS, published
from tests.e2e.launching import answers_of_each, free_port
from tests.servers import Server
from tests.waiting import DEADLINE, wait_until

KEY = "a key for tests"
CORPUS = "/v1/corpora/small"
EVERY = f"{CORPUS}/documents?limit=1"


@pytest.fixture
def service(tmp_path, tmp_path_factory):
    """`cotag serve` with two processes, its port, and its store."""
    store = Server(tmp_path_factory.mktemp("s")).start()
    redis = store.client()
    SnapshotStore(redis).publish(published())
    CorpusRegister(redis).write({"small": RegisteredCorpus("small", "Small", "1h", 1.8e9, pushed=True)})
    port = free_port()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    settings = {
        "COTAG_REDIS_URL": store.url,
        "COTAG_PORT": str(port),
        "COTAG_CACHE_DIR": str(tmp_path / "copies"),
        "COTAG_WEB_WORKERS": "2",
        "COTAG_API_KEYS": hashlib.sha256(KEY.encode()).hexdigest(),
    }
    log = (tmp_path / "service.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "cotag", "serve"], env={**clean, **settings}, stdout=log, stderr=log
    )
    try:
        yield process, port, store
    finally:
        process.terminate()
        process.wait(DEADLINE)
        store.stop()
        log.close()


@pytest.mark.parametrize("steps", [40, pytest.param(200, marks=pytest.mark.nightly)])
def test_each_change_is_in_every_process_and_none_is_lost_or_comes_back_while_all_are_killed(service, steps):
    process, port, store = service
    chance = random.Random(37)
    plain = {each["id"]: set(each["tags"]) for each in clustered.documents()}
    client = httpx.Client(
        base_url=f"http://127.0.0.1:{port}",
        timeout=DEADLINE,
        trust_env=False,
        limits=httpx.Limits(max_keepalive_connections=0),
        headers={"X-API-Key": KEY},
    )

    def asked(method, path, **body):
        """The first answer that is no sign of a killed process: a write repeated is the same write."""

        def answer():
            try:
                response = client.request(method, path, **body)
            except httpx.TransportError:
                return None
            return response if response.status_code < 500 else None

        return wait_until(answer, f"an answer to {method} {path}")

    asked("GET", "/healthz")
    for step in range(steps):
        if chance.random() < 0.4:
            name = chance.choice(sorted(plain))
            assert asked("DELETE", f"{CORPUS}/documents", params={"id": name}).status_code == 200
            del plain[name]
            expect_document(process.pid, port, name, None)
        else:
            name = chance.choice([chance.choice(sorted(plain)), f"fresh-{step}"])
            tags = chance.sample([*TAGS, "never seen", "nor this"], chance.randrange(1, 6))
            pushed = asked("POST", f"{CORPUS}/documents", json=[{"id": name, "tags": tags}])
            assert pushed.status_code == 200
            plain[name] = set(tags)
            expect_document(process.pid, port, name, plain[name])
        if step % 10 == 4:
            victim = chance.choice(psutil.Process(process.pid).children())
            victim.send_signal(signal.SIGKILL)
        if step % 20 == 12:
            store.stop()
            store.start()
        if step % 10 == 9:
            expect_everywhere(process.pid, port, plain)
    assert asked("DELETE", f"{CORPUS}/documents", params={"all": "true"}).json()["documents"] == 0
    wait_until(
        lambda: all(answer.get("reason") == "empty" for answer in answers_of_each(process.pid, port, EVERY).values()),
        "nothing being served after all documents were deleted",
    )


def expect_document(server, port, name, tags):
    """Wait until each process has a document with these tags; None: until none has it."""

    def told():
        answers = answers_of_each(server, port, f"{CORPUS}/document?id={quote(name)}&limit=0").values()
        return all(
            answer.get("status") == 404 if tags is None else set(answer.get("document", {}).get("tags", ())) == tags
            for answer in answers
        )

    wait_until(told, f"{name} with {tags} in every process")


def expect_everywhere(server, port, plain):
    """Wait until each process has the totals of a plain count: of all documents, and of those with a tag."""

    def equal():
        everything = answers_of_each(server, port, EVERY)
        one = answers_of_each(server, port, f"{CORPUS}/documents?limit=1&match=all&tag={TAGS[3]}")
        having = sum(TAGS[3] in tags for tags in plain.values())
        return all(answer.get("total") == len(plain) for answer in everything.values()) and all(
            answer.get("total") == having for answer in one.values()
        )

    wait_until(equal, f"{len(plain)} documents in every process")
