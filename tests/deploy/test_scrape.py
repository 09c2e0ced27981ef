"""Alerts and dashboard against scrapes of a running Cotag: a failed run, a held run, a stopped worker, no store."""

import signal
import time
from base64 import b64encode
from contextlib import suppress
from urllib.request import urlopen

import psutil
import pytest

from snapshot import SnapshotStore, connect
from snapshot.store import keys
from tests.clustered import published
from tests.conftest import topic_documents, write_jsonl
from tests.deploy.promql import dashboard_expressions, firing, metrics_in, rules, samples
from tests.e2e.launching import Up, free_port
from tests.waiting import DEADLINE, wait_until

pytestmark = pytest.mark.slow

SECRET = "whsec_" + b64encode(bytes(32)).decode()
CORPORA = f"""
[corpora.good]
source = "good.jsonl"
[[corpora.good.webhooks]]
url = "http://127.0.0.1:9/nobody-listens"
secret = "{SECRET}"
[corpora.broken]
source = "broken.jsonl"
[corpora.shrunk]
source = "shrunk.jsonl"
watch = true
"""


class System:
    """A running Cotag, and what it tells Prometheus."""

    def __init__(self, up, port):
        self.up, self.port = up, port

    def scrape(self):
        """The samples of service and scheduler, as Prometheus stores them."""
        found = [("up", {"job": "cotag-service", "instance": "cotag-service:1"}, 1.0)]
        for job, port in (("cotag-service", self.up.port), ("cotag-scheduler", self.port)):
            text = urlopen(f"http://127.0.0.1:{port}/metrics", timeout=DEADLINE).read().decode()
            found += samples(text, job)
        return found

    def value(self, name, **labels):
        """The largest sample with these labels; None if there is none."""
        values = [value for each, found, value in self.scrape() if each == name and labels.items() <= found.items()]
        return max(values, default=None)

    def wait(self, expected, name, **labels):
        wait_until(lambda: self.value(name, **labels) == expected, f"{name} {labels} = {expected}")


def stopped(process):
    """Stop a process and all below it, as kill -STOP does."""
    for each in [*process.children(recursive=True), process]:
        with suppress(psutil.NoSuchProcess):  # a run may have ended
            each.send_signal(signal.SIGSTOP)


def continued(process):
    for each in [process, *process.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            each.send_signal(signal.SIGCONT)


@pytest.fixture(scope="module")
def situations(tmp_path_factory):
    """What is scraped in each situation, by name."""
    folder = tmp_path_factory.mktemp("scraped")
    write_jsonl(folder / "good.jsonl", topic_documents())
    write_jsonl(folder / "shrunk.jsonl", topic_documents())
    (folder / "broken.jsonl").write_text("nonsense\n")
    (folder / "corpora.toml").write_text(CORPORA)
    port = free_port()
    told = {}
    environment = {
        "COTAG_METRICS_PORT": str(port),
        "COTAG_UNDECLARED": "true",
        "COTAG_WEB_WORKERS": "1",
        "COTAG_WORKERS": "1",
    }
    with Up(folder / "data", folder / "corpora.toml", **environment).ready() as up:
        system = System(up, port)
        system.wait(1.0, "cotag_last_run", corpus="shrunk", state="done")
        system.wait(1.0, "cotag_last_run", corpus="broken", state="failed")
        write_jsonl(folder / "shrunk.jsonl", topic_documents(60))
        system.wait(1.0, "cotag_last_run", corpus="shrunk", state="held")
        up.get("/v1/corpora/good/clusters")
        damage(connect(up.store_url))
        system.wait(1.0, "cotag_snapshots_refused_total", corpus="small")
        wait_until(lambda: system.value("cotag_notices_total", result="not-sent"), "an attempt to tell")
        told["failed and held"] = system.scrape()
        wait_until(lambda: running(up, system), "a run that is scraped under way")
        told["running"] = system.scrape()
        worker = psutil.Process(up.pid("worker"))
        stopped(worker)
        try:
            system.wait(0.0, "cotag_workers")
            told["worker stopped"] = system.scrape()
            store = psutil.Process(up.pid("store"))
            stopped(store)
            try:
                system.wait(0.0, "cotag_store_up", job="cotag-service")
                told["store away"] = system.scrape()
            finally:
                continued(store)
        finally:
            continued(worker)
        system.wait(1.0, "cotag_workers")
        told["well again"] = system.scrape()
    return told


def running(up, system):
    """Whether a run is seen under way; asks for one if none is queued."""
    up.board().request("good", time.time(), fresh=True)
    return system.value("cotag_run_seconds", corpus="good") is not None


def damage(client):
    """A version that cannot be read, and a record that makes no sense."""
    encoded = published()
    SnapshotStore(client).publish(encoded, serve=False)
    client.set(keys.part("small", encoded.version, "meta"), b"damaged")
    client.set(keys.run("small"), b"nonsense")
    SnapshotStore(client).activate("small", encoded.version)


@pytest.fixture(scope="module")
def scraped(situations):
    return {name for found in situations.values() for name, _, _ in found}


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_every_metric_of_an_alert_is_scraped(scraped, rule):
    assert metrics_in(rule["expr"]) <= scraped


def test_every_metric_of_the_dashboard_is_scraped(scraped):
    named = set().union(*map(metrics_in, dashboard_expressions()))
    assert len(named) > 20
    assert named - scraped == set()


@pytest.mark.parametrize(
    ("situation", "expected"),
    [
        ("failed and held", {("CotagRunFailed", "broken"), ("CotagNoSnapshot", "broken"), ("CotagRunHeld", "shrunk")}),
        ("worker stopped", {("CotagNoWorker", ""), ("CotagRunFailed", "broken")}),
        ("store away", {("CotagStoreAway", ""), ("CotagNoSnapshot", "broken")}),
    ],
)
def test_each_situation_raises_its_alerts(situations, situation, expected, tmp_path):
    found = firing(situations[situation], tmp_path)
    assert expected <= found
    foreign = {"failed and held": {"CotagNoWorker", "CotagStoreAway"}, "worker stopped": {"CotagStoreAway"}}
    assert not {name for name, _ in found} & foreign.get(situation, {"CotagNoWorker", "CotagServiceDown"})


def test_an_alert_ends_when_its_cause_does(situations, tmp_path):
    names = {name for name, _ in firing(situations["well again"], tmp_path)}
    assert not names & {"CotagNoWorker", "CotagStoreAway"}
