"""The whole house: from a corpus file to answers over HTTP, with the processes that users run."""

import os
import signal
import time

import httpx
import pytest

from tests.conftest import TOPICS, topic_documents, write_jsonl
from tests.e2e.launching import Up, alive, wait_until


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def test_from_the_corpus_to_the_page(corpora_file, data):
    with Up(data, corpora_file).ready() as up:
        (corpus,) = up.get("/v1/corpora")["corpora"]
        assert (corpus["name"], corpus["documents"], corpus["tags"]) == ("topics", 200, 32)

        cloud = up.get("/v1/corpora/topics/cloud?q=payments")
        first = {tag["tag"] for tag in cloud["groups"][0]["tags"]}
        assert first <= set(TOPICS["money"]) - {"payment"}
        assert len(first) >= 5

        related = up.get("/v1/corpora/topics/related?tag=guitar&limit=5")["related"]
        assert {each["tag"] for each in related} <= set(TOPICS["music"])
        assert up.get("/readyz")["corpora"] == {"topics": corpus["version"]}

        output = up.output()
        for stage in ("load", "smooth", "agglomerate", "published"):
            assert stage in output
        assert output.rstrip().splitlines()[-1].startswith(("cotag     | try:   curl", "service"))
        assert f"ready: http://127.0.0.1:{up.port}/" in output
        assert "Traceback" not in output

        up.process.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert up.process.wait(30) == 0
        assert time.monotonic() - began < 20
        assert [session.members() for session in up.sessions()] == []
        ended = [line.split()[-1] for line in up.output().splitlines() if "cotag     | ending" in line]
        assert ended == ["service", "scheduler", "worker", "store"]


def test_a_new_version_is_served_without_a_restart(corpora_file, data, tmp_path):
    corpora_file.write_text(corpora_file.read_text().replace("1h", "1s"))
    with Up(data, corpora_file).ready() as up:
        before = up.version()
        write_jsonl(tmp_path / "topics.jsonl.gz", topic_documents(240))
        up.everywhere(lambda: up.get("/v1/corpora/topics")["documents"] == 240, 60, "a new version")
        assert up.version() > before


def test_a_second_start_serves_the_last_snapshot_at_once_and_needs_no_clustering(corpora_file, data):
    with Up(data, corpora_file).ready() as up:
        version = up.version()
    with Up(data, corpora_file).ready() as up:
        assert up.version() == version
        assert "agglomerate" not in up.output()


def test_after_the_launcher_is_killed_the_next_start_recovers(corpora_file, data):
    with Up(data, corpora_file).ready() as first:
        version = first.version()
        sessions = first.sessions()
        first.process.kill()
        first.process.wait()
        assert first.version() == version, "the service goes on without its launcher"
        with Up(data, corpora_file).ready() as second:
            assert second.version() == version
            assert "left over from an earlier start" in second.output()
            assert not any(alive(session.pid) for session in sessions)
    assert not any(session.members() for session in sessions)


def test_a_launcher_killed_in_the_middle_of_the_first_clustering_leaves_a_usable_directory(
    corpora_file, data, tmp_path
):
    write_jsonl(tmp_path / "topics.jsonl.gz", topic_documents(900))
    with Up(data, corpora_file) as first:
        wait_until(lambda: "smooth" in first.output(), 60, "clustering")
        first.process.kill()
        first.process.wait()
        with Up(data, corpora_file).ready() as second:
            assert second.get("/v1/corpora/topics")["documents"] == 900


@pytest.mark.parametrize("part", ["store", "worker", "scheduler", "service"])
def test_a_part_that_is_killed_is_started_again(corpora_file, data, part):
    with Up(data, corpora_file).ready() as up:
        version = up.version()
        before = up.kill(part)
        wait_until(lambda: up.pid(part) not in {before, None}, 30, f"a new {part}")
        wait_until(lambda: answers(up) == version, 30, "an answer")
        wait_until(lambda: up.get("/readyz")["store"], 30, "the store")


def answers(up):
    try:
        return up.version()
    except httpx.HTTPError:
        return None


def test_two_launchers_do_not_share_a_data_directory(corpora_file, data):
    with Up(data, corpora_file).ready() as first, Up(data, corpora_file) as second:
        assert second.process.wait(60) == 1
        assert f"already running on {data}" in second.output()
        assert first.get("/healthz") == {"alive": True}


def test_a_corpus_that_cannot_be_read_ends_the_start_with_one_line(corpora_file, data, tmp_path):
    (tmp_path / "topics.jsonl.gz").write_bytes(b"no gzip")
    with Up(data, corpora_file) as up:
        assert up.process.wait(60) == 1
        assert up.output().rstrip().splitlines()[-1].startswith("cotag: ")
        assert "topics.jsonl.gz: unreadable after line 0" in up.output().splitlines()[-1]
        assert "Traceback" not in up.output()
        assert up.sessions() == []


def test_a_store_given_by_its_url_is_used_and_left_running(corpora_file, data, redis, redis_url):
    with Up(data, corpora_file, COTAG_REDIS_URL=redis_url).ready() as up:
        assert [session.name for session in up.sessions()] == ["worker", "scheduler", "service"]
        assert redis.get("cotag:topics:current").decode() == up.version()
    assert redis.ping()
    assert not os.path.exists(data / "store.sock")  # noqa: PTH110 - a socket, not a file
