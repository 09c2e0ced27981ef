"""Stores that Sentinels watch: every part finds the new master, and what replicas confirmed is not lost."""

import hashlib
import os
import subprocess
import sys
from contextlib import ExitStack

import httpx
import pytest

from bench.system.sentinels.network import refused
from bench.system.sentinels.split import outcome
from bench.system.sentinels.store import WatchedStore, local_hosts
from runtime.sentinels import parse_sentinel_url
from runtime.settings import without_password
from snapshot import PushedDocument, PushedDocuments, SettingsError, StatusBoard, StoreSettings, connect, read_settings
from snapshot.errors import StoreUnavailable
from snapshot.store import keys
from tests.e2e.launching import free_port
from tests.faults.test_store_urls import redis_binary
from tests.faults.test_worker_store import ended
from tests.needs import missing
from tests.waiting import DEADLINE, wait_until


@pytest.fixture
def watched(tmp_path_factory):
    store = WatchedStore(tmp_path_factory.mktemp("s"), local_hosts(), redis_binary())
    try:
        yield store.start()
    finally:
        store.stop()


def put(redis, name):
    """Whether a document was confirmed."""
    try:
        PushedDocuments(redis, "live").put([PushedDocument(name, ["rain"])])
    except StoreUnavailable:
        return False
    return True


def test_what_a_replica_has_confirmed_survives_the_death_of_the_master(watched):
    """The master is killed while documents are pushed; every one that was confirmed is there afterwards."""
    redis = connect(watched.url, timeout=2.0, confirm_replicas=1)
    first = watched.master()
    confirmed = [name for name in map(str, range(50)) if put(redis, name)]
    assert len(confirmed) == 50
    watched.kill(first, first.server)
    wait_until(lambda: put(redis, "after"), "a push to the new master", pause=0.1)
    assert watched.master() != first
    stored = {name.decode() for name in redis.hkeys("cotag:live:pushed")}
    assert {*confirmed, "after"} <= stored


def test_too_few_replicas_confirm_nothing(watched):
    redis = connect(watched.url, timeout=5.0, confirm_replicas=2)
    assert put(redis, "a")
    replica = next(host for host in watched.hosts if host != watched.master())
    watched.kill(replica, replica.server)
    wait_until(lambda: watched.online(watched.master()) == 1, "one replica", pause=0.1)
    with pytest.raises(StoreUnavailable, match="only 1 of 2 replicas have the change"):
        PushedDocuments(redis, "live").put([PushedDocument("b", ["rain"])])
    assert put(connect(watched.url, confirm_replicas=1), "c")


@pytest.mark.parametrize("replicas", [0, 1])
def test_what_a_replica_has_confirmed_survives_a_split_of_the_network(replicas):
    """The master loses both replicas, another is elected, and clients write on either side and from outside.

    Without replicas demanded, what the old master took meanwhile is lost: the split is real. With one demanded nothing
    is, the old master confirms nothing, and who reaches all servers goes on with the new one while the split lasts.
    """
    if reason := refused():
        missing(reason)
    redis_binary()
    told = outcome(replicas)
    assert told["during"]["majority"] > 0
    if replicas:
        assert told["lost"] == []
        assert told["during"]["minority"] == 0
        assert told["during"]["outside"] > 0
    else:
        assert told["during"]["minority"] > 0
        assert any(name.startswith("minority") for name in told["lost"])


def test_all_parts_go_on_with_the_new_master(watched, corpora_file, tmp_path):
    """Scheduler, worker and service run through a failover; the service answers throughout, and a run follows.

    The service confirms a push by two replicas, and refuses it when one of them has become the master.
    """
    port, key = free_port(), "k" * 20
    corpora_file.write_text(f"{corpora_file.read_text()}[corpora.live]\nsource = {{ pushed = true }}\n")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("COTAG_")}
    settings = {
        **clean,
        "COTAG_REDIS_URL": watched.url,
        "COTAG_CORPORA": str(corpora_file),
        "COTAG_PORT": str(port),
        "COTAG_WEB_WORKERS": "1",
        "COTAG_API_KEYS": hashlib.sha256(key.encode()).hexdigest(),
        "COTAG_CONFIRM_REPLICAS": "2",
    }

    def pushed(name):
        url, document = f"http://127.0.0.1:{port}/v1/corpora/live/documents", {"id": name, "tags": ["rain"]}
        return httpx.post(url, json=[document], headers={"X-API-Key": key}, timeout=20)

    with ExitStack() as stack:
        for command in ("scheduler", "worker", "serve"):
            log = stack.enter_context((tmp_path / f"{command}.log").open("w"))
            process = subprocess.Popen([sys.executable, "-m", "cotag", command], env=settings, stdout=log, stderr=log)
            stack.callback(process.wait, DEADLINE)
            stack.callback(process.terminate)
        redis = connect(watched.url)
        wait_until(lambda: (run := StatusBoard(redis).read("topics")) and ended(redis, run.job), "the first run")

        def served():
            try:
                return httpx.get(f"http://127.0.0.1:{port}/v1/corpora/topics/tags", timeout=5).status_code == 200
            except httpx.TransportError:
                return False

        wait_until(served, "an answer", pause=0.2)
        assert pushed("a").status_code == 200
        first = watched.master()
        watched.kill(first, first.server)
        wait_until(lambda: watched.master() != first and served(), "a new master", pause=0.1)
        command = [sys.executable, "-m", "cotag", "recluster", "topics", "--fresh", "--wait"]

        def done():
            assert served()
            return subprocess.run(command, env=settings, check=False, capture_output=True).returncode == 0

        wait_until(done, "a run with the new master", pause=0.2)

        def reached():
            answer = pushed("b")
            return answer if redis.hexists(keys.pushed("live"), "b") else None

        answer = wait_until(reached, "a push that reaches the new master", pause=0.2)
        assert answer.status_code == 503, "it has the document, and cannot confirm it"


@pytest.mark.parametrize(
    "url",
    [
        "redis+sentinel://host:26379",
        "redis+sentinel:///name",
        "redis+sentinel://a:1,,b:2/name",
        "redis+sentinel://a:port/name",
        "redis+sentinel://a:1/name/0/1",
        "redis+cluster://a:1",
    ],
)
def test_a_url_that_names_no_sentinels_is_refused_without_its_password(environment, url):
    environment.setenv("COTAG_REDIS_URL", url.replace("://", "://user:geheim@"))
    with pytest.raises(SettingsError, match="COTAG_REDIS_URL") as caught:
        read_settings(StoreSettings)
    assert "geheim" not in str(caught.value)


def test_a_url_names_sentinels_store_database_and_both_passwords():
    parsed = parse_sentinel_url("rediss+sentinel://u:p%40@a:1,b,[::1]:3/my/2?sentinel_password=s&ssl_ca_certs=/ca.pem")
    assert parsed.sentinels == (("a", 1), ("b", 26379), ("::1", 3))
    assert parsed.name == "my"
    assert parsed.store == {"username": "u", "password": "p@", "db": 2, "ssl": True, "ssl_ca_certs": "/ca.pem"}
    assert parsed.own == {"password": "s", "ssl": True, "ssl_ca_certs": "/ca.pem"}
    shown = without_password("redis+sentinel://u:geheim@a:1/my?sentinel_password=geheim")
    assert "geheim" not in shown
