"""`cotag recluster --wait` after a roll-back: it says what is served, why, and what to do."""

import time

import pytest

from cotag.commands import jobs
from cotag.commands.jobs import request_run
from snapshot import CorpusRegister, RegisteredCorpus, SnapshotStore, StatusBoard
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from worker.runs.job import run


@pytest.fixture
def run_at_once(redis, monkeypatch):
    """Whoever follows a job does its run, with no worker between."""

    def follow_with(corpus):
        def follow(_, job, *, quiet):
            return StatusBoard(redis).job(job).at(time.time(), **run(corpus, redis, job))

        monkeypatch.setattr(jobs, "follow_job", follow)

    return follow_with


def test_after_a_roll_back_it_says_what_is_served_and_how_to_change_that(redis, tmp_path, capsys, run_at_once):
    write_jsonl(tmp_path / "topics.jsonl", topic_documents(200))
    file = tmp_path / "corpora.toml"
    file.write_text('[corpora.topics]\nsource = "topics.jsonl"\n')
    corpus = read_corpora(file)["topics"]
    CorpusRegister(redis).write({"topics": RegisteredCorpus("topics", "Topics", "24h", time.time() + 1000)})
    old = run(corpus, redis, "job-1")["version"]
    write_jsonl(tmp_path / "topics.jsonl", topic_documents(205))
    new = run(corpus, redis, "job-2")["version"]
    store = SnapshotStore(redis)
    run_at_once(corpus)
    assert request_run(redis, "topics", wait=True, fresh=False, as_json=False) == 0
    assert "serves version" not in capsys.readouterr().out, "the newest is served"
    store.activate("topics", old)
    request_run(redis, "topics", wait=True, fresh=False, as_json=False)
    told = capsys.readouterr().out
    assert f"topics serves version {old}, because somebody activated it." in told
    assert f"cotag snapshots topics activate {new}" in told
    store.activate("topics", old, pin=True)
    request_run(redis, "topics", wait=True, fresh=False, as_json=False)
    assert "because it is pinned" in capsys.readouterr().out
    assert store.current("topics") == old
