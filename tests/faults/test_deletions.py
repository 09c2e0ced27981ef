"""Deletions through a whole Cotag: gone from every process, whatever becomes of the next run, and never back."""

import hashlib
import os
import subprocess
import sys

import httpx
import pytest

from snapshot import connect
from tests.conftest import topic_documents, write_jsonl
from tests.e2e.launching import Up
from tests.traces import places_of
from tests.waiting import DEADLINE, wait_until

KEY = "a key for tests"
LIVE = "/v1/corpora/live"
EVERY = f"{LIVE}/documents?limit=1"


@pytest.fixture(scope="module")
def up(tmp_path_factory):
    """Every part, two processes of the service, and a corpus into which 200 documents were pushed."""
    folder = tmp_path_factory.mktemp("deleting")
    write_jsonl(folder / "topics.jsonl", topic_documents())
    file = folder / "corpora.toml"
    file.write_text(
        '[corpora.topics]\nsource = "topics.jsonl"\n'
        '[corpora.live]\nsource = { pushed = true }\nschedule = "24h"\nmax_loss = 0.5\n'
    )
    keys = hashlib.sha256(KEY.encode()).hexdigest()
    settings = {"COTAG_WEB_WORKERS": "2", "COTAG_API_KEYS": keys, "COTAG_FRESH_LIMIT": "100"}
    with Up(folder / "data", file, **settings) as up:
        up.ready()
        assert write(up, "POST", "/documents", json=list(topic_documents()))["documents"] == 200
        assert recluster(up)["state"] == "done"
        up.everywhere(lambda answer: answer.get("total") == 200, "the first version in every process", EVERY)
        yield up


def write(up, method, path, **body):
    """What the service says to a write; repeated while a process or the store is away: the same write again."""

    def answer():
        try:
            response = httpx.request(
                method, f"{up.url}{LIVE}{path}", headers={"X-API-Key": KEY}, timeout=DEADLINE, trust_env=False, **body
            )
        except httpx.TransportError:
            return None
        return response if response.status_code < 500 else None

    response = wait_until(answer, f"an answer to {method} {path}")
    assert response.is_success, response.text
    return response.json()


def recluster(up):
    """A run of the corpus, to its end."""
    job = write(up, "POST", "/jobs")["job"]
    ended = {"done", "failed", "held", "unchanged"}
    return wait_until(
        lambda: (status := status_of(up, job)) and status["state"] in ended and status, "the end of a run"
    )


def status_of(up, job):
    response = httpx.get(f"{up.url}/v1/jobs/{job}", headers={"X-API-Key": KEY}, timeout=DEADLINE, trust_env=False)
    return response.json() if response.is_success else None


def kill_and_wait(up, name):
    before = up.kill(name)
    wait_until(lambda: up.pid(name) not in {before, None}, f"a new {name}")


def test_a_deletion_holds_through_held_and_failing_runs_deaths_of_every_part_and_an_empty_corpus(up):
    doomed = [each["id"] for each in topic_documents()][:150]
    for start in range(0, len(doomed), 50):
        write(up, "DELETE", "/documents", params={"id": doomed[start : start + 50]})

    def fifty_left():
        up.everywhere(lambda answer: answer.get("total") == 50, "50 documents left in every process", EVERY)
        for name in (doomed[0], doomed[-1]):
            address = f"{LIVE}/document?id={name}"
            up.everywhere(lambda answer: answer.get("status") == 404, f"{name} being gone in every process", address)

    fifty_left()
    held = recluster(up)
    assert held["state"] == "held", held
    assert "max_loss" in held["error"]
    fifty_left()
    for part in ("store", "service"):
        kill_and_wait(up, part)
        fifty_left()
    assert write(up, "DELETE", "/documents", params={"all": "true"})["documents"] == 0

    def empty():
        up.everywhere(lambda answer: answer.get("reason") == "empty", "nothing being served in every process", EVERY)

    empty()
    failed = recluster(up)
    assert (failed["state"], failed["error"]) == ("failed", "live: no documents"), failed
    empty()
    for part in ("worker", "service"):
        kill_and_wait(up, part)
        empty()
    write(up, "POST", "/documents", json=[{"id": "first", "tags": ["rain", "sun"], "title": "The first"}])
    up.everywhere(lambda answer: answer.get("total") == 1, "the one document in every process", EVERY)
    for name in (doomed[0], "d199"):
        address = f"{LIVE}/document?id={name}"
        up.everywhere(lambda answer: answer.get("status") == 404, f"{name} staying away", address)


def test_more_fresh_documents_than_a_process_takes_up_bring_about_a_run_at_once(up):
    """The schedule is a day, and nobody asks for a run."""
    more = [{**each, "id": f"more-{each['id']}"} for each in topic_documents(150)]
    write(up, "POST", "/documents", json=more)
    for name in ("more-d0", "more-d149"):
        address = f"{LIVE}/document?id={name}"
        up.everywhere(lambda answer: answer.get("fresh") == 0 and "document" in answer, f"{name} in a version", address)


def test_after_a_purge_the_text_of_a_document_is_in_no_file_of_the_data_directory_and_in_no_key(up):
    secret = {"id": "id-of-josephine", "title": "Title about Josephine", "text": "Josephine was here all the time"}
    texts = [*secret.values(), "josephine-alone"]
    store = connect(up.store_url)
    store.config_set("rdbcompression", "no")  # what the files of the store have can be read
    write(up, "POST", "/documents", json=list(topic_documents()))
    write(up, "POST", "/documents", json=[{**secret, "tags": ["rain", "sun", "josephine-alone"]}])
    assert recluster(up)["state"] == "done"
    address = f"{LIVE}/document?id={secret['id']}"
    up.everywhere(
        lambda answer: answer.get("fresh") == 0 and "document" in answer, "the document in a version", address
    )
    copies, files = up.data / "snapshots", up.data / "store"
    for text in texts:  # the search finds what is there, in each place
        assert places_of(text, store), text
        assert places_of(text, store, files) != places_of(text, store), text
    assert places_of(secret["id"], store, copies) != places_of(secret["id"], store)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    environment = {**clean, "COTAG_DATA_DIR": str(up.data)}
    purge = [sys.executable, "-m", "cotag", "purge", "live", secret["id"]]
    done = subprocess.run(purge, env=environment, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stderr
    assert "the store wrote its files anew" in done.stdout
    up.everywhere(lambda answer: answer.get("status") == 404, "the document being gone in every process", address)
    for text in texts:
        wait_until(lambda text=text: places_of(text, store, up.data) == [], f"{text} being nowhere")
    up.everywhere(lambda answer: answer.get("total", 0) >= 200, "the other documents in every process", EVERY)
