"""The command line of an operator, against a running Cotag."""

import gzip
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

import demo
from tests.conftest import topic_documents, write_jsonl
from tests.e2e.launching import Up, free_port
from tests.waiting import DEADLINE, wait_until


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("operating")
    write_jsonl(folder / "topics.jsonl", topic_documents())
    (folder / "corpora.toml").write_text('[corpora.topics]\nsource = "topics.jsonl"\nschedule = "0 3 * * *"\n')
    port = free_port()
    with Up(folder / "data", folder / "corpora.toml", COTAG_METRICS_PORT=str(port)).ready() as up:
        up.folder, up.metrics_port = folder, port
        yield up


def cotag(up, *arguments, code=0):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    result = subprocess.run(
        [sys.executable, "-m", "cotag", *arguments],
        env={**clean, "COTAG_DATA_DIR": str(up.data)},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr
    return result.stdout if code == 0 else result.stderr


def test_corpora_are_listed_with_their_next_run(running):
    table = cotag(running, "corpora")
    assert "topics" in table
    assert "daily 03:00 UTC" in table
    (corpus,) = json.loads(cotag(running, "corpora", "--json"))
    assert corpus["version"] == running.version()
    assert 0 < corpus["next_run"] - time.time() <= 86400


def test_a_run_is_asked_for_and_followed_to_its_end(running):
    assert "unchanged" in cotag(running, "recluster", "topics", "--wait")
    write_jsonl(running.folder / "topics.jsonl", topic_documents(260))
    ended = json.loads(cotag(running, "recluster", "topics", "--wait", "--json"))
    assert ended["state"] == "done"
    running.everywhere(lambda ready: ready["corpora"]["topics"] == ended["version"], "the new version")
    jobs = {job["job"]: job for job in json.loads(cotag(running, "jobs", "--json"))}
    assert jobs[ended["job"]]["state"] == "done"
    assert ended["job"] in cotag(running, "jobs")


def test_versions_are_listed_shown_compared_exported_and_activated(running, tmp_path):
    write_jsonl(running.folder / "topics.jsonl", topic_documents(320))
    cotag(running, "recluster", "topics", "--wait")
    listed = json.loads(cotag(running, "snapshots", "topics", "--json"))
    newest, older = listed[0]["version"], listed[1]["version"]
    assert listed[0]["served"]
    assert newest in cotag(running, "snapshots", "topics")
    assert "information_kept" in cotag(running, "snapshots", "topics", "show")
    assert "tags changed cluster" in cotag(running, "snapshots", "topics", "diff", older, newest)
    cotag(running, "snapshots", "topics", "export", str(tmp_path / "out.json"))
    exported = json.loads((tmp_path / "out.json").read_text())
    assert exported["version"] == newest
    assert exported["tags"]["payment"] in {cluster["id"] for cluster in exported["clusters"]}

    cotag(running, "snapshots", "topics", "activate", older)
    running.everywhere(lambda ready: ready["corpora"]["topics"] == older, "rolling back")
    cotag(running, "snapshots", "topics", "activate", newest)
    running.everywhere(lambda ready: ready["corpora"]["topics"] == newest, "rolling forward")


def test_mistakes_are_told_in_one_line(running):
    assert "no corpus nothing is declared" in cotag(running, "recluster", "nothing", code=1)
    assert "there is no job nothing" in cotag(running, "jobs", "--cancel", "nothing", code=1)
    assert "usage: cotag snapshots NAME diff OLD NEW" in cotag(running, "snapshots", "topics", "diff", "1", code=1)
    assert "no version 1" in cotag(running, "snapshots", "topics", "activate", "1", code=1)


def test_a_running_job_is_cancelled(running):
    icons = Path(demo.__file__).parent / "tabler_icons.jsonl.gz"
    (running.folder / "topics.jsonl").write_bytes(gzip.decompress(icons.read_bytes()))
    outcome = {}

    def ask():
        outcome["text"] = cotag(running, "recluster", "topics", "--wait", "--json", code=1)

    before = running.version()
    asking = threading.Thread(target=ask)
    asking.start()
    board = running.board()
    job = wait_until(lambda: running_job(board), "a running job")
    cotag(running, "jobs", "--cancel", job)
    wait_until(lambda: board.job(job).state not in {"queued", "running"}, "the end")
    assert board.job(job).state == "cancelled"
    asking.join()
    assert running.version() == before


def running_job(board):
    status = board.read("topics")
    return status.job if status.state == "running" else None


def test_the_scheduler_shows_metrics(running):
    text = httpx.get(f"http://127.0.0.1:{running.metrics_port}/metrics", trust_env=False, timeout=DEADLINE).text
    assert 'cotag_runs_total{corpus="topics",state="done"}' in text
    assert 'cotag_snapshot_age_seconds{corpus="topics"}' in text
