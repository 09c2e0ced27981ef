"""Processes are killed while clients ask: every answer is whole and belongs to one published version."""

import hashlib
import threading
import time
from collections import defaultdict

import httpx
import pytest

from snapshot import StoreUnavailable
from tests.conftest import topic_documents, write_jsonl
from tests.e2e.launching import Up
from tests.waiting import DEADLINE, wait_until

PATH = "/v1/corpora/topics/cloud?q=payment+guitar"


class Client(threading.Thread):
    """Asks the same question over and over, and notes every answer by its version."""

    def __init__(self, up):
        super().__init__()
        self.url = f"{up.url}{PATH}"
        self.stop = threading.Event()
        self.answers = defaultdict(set)
        self.sent = 0
        self.refused = []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.join()

    def run(self):
        with httpx.Client(timeout=DEADLINE, trust_env=False) as client:
            while not self.stop.is_set():
                self.sent += 1
                answer = client.get(self.url)
                if answer.status_code == 200:
                    self.answers[answer.json()["version"]].add(hashlib.sha256(answer.content).hexdigest())
                else:
                    self.refused.append((answer.status_code, answer.text))
                time.sleep(0.02)


def version_of(up, documents):
    """The version that is served, once it has so many documents."""
    corpus = up.get("/v1/corpora/topics")
    return corpus["version"] if corpus["documents"] == documents else None


def latest(up):
    """The latest run that began; None while the store is away."""
    try:
        return up.board().read("topics").job
    except StoreUnavailable:
        return None


@pytest.mark.parametrize(
    "parts",
    [
        ("worker", "store", "scheduler"),
        pytest.param(("worker", "store", "scheduler", "store", "worker") * 4, marks=pytest.mark.nightly),
    ],
    ids=len,
)
def test_killing_worker_store_and_scheduler_is_invisible_to_clients(corpora_file, tmp_path, parts):
    """Versions change all the while; no request fails, and one version never gives two answers."""
    corpora_file.write_text(corpora_file.read_text().replace("1h", "1s"))
    with Up(tmp_path / "data", corpora_file).ready() as up, Client(up) as client:
        wait_until(lambda: client.answers, "the first answer")
        for round_number, part in enumerate(parts):
            run = wait_until(lambda: latest(up), "a store that answers")
            write_jsonl(tmp_path / "topics.jsonl.gz", topic_documents(220 + 20 * round_number))
            wait_until(lambda run=run: latest(up) not in {run, None}, "the next run")
            before = up.kill(part)
            wait_until(lambda part=part, before=before: up.pid(part) not in {before, None}, f"a new {part}")
        write_jsonl(tmp_path / "topics.jsonl.gz", topic_documents(900))
        last = wait_until(lambda: version_of(up, documents=900), "the last version")
        wait_until(lambda: last in client.answers, "the last version in the answers")
        wait_until(lambda: client.sent > 200, "200 requests")
    print(f"requests sent: {client.sent}, refused: {len(client.refused)}, versions seen: {len(client.answers)}")
    assert client.refused == []
    assert len(client.answers) >= 2
    assert {version: len(answers) for version, answers in client.answers.items() if len(answers) != 1} == {}
