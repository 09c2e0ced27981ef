"""The whole house: from a corpus file to answers over HTTP, with the processes that users run."""

import json
import os
import signal
import time
from http.client import HTTPException

import pytest

from cotag.launcher.processes import KILL_SECONDS
from cotag.launcher.supervision import GRACE_SECONDS
from tests.conftest import TOPICS, topic_documents, write_jsonl
from tests.e2e.launching import Up, alive, fetched
from tests.waiting import DEADLINE, wait_until


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A Cotag for tests that leave it running."""
    folder = tmp_path_factory.mktemp("shared")
    write_jsonl(folder / "topics.jsonl.gz", topic_documents())
    (folder / "corpora.toml").write_text('[corpora.topics]\nsource = "topics.jsonl.gz"\n')
    with Up(folder / "data", folder / "corpora.toml").ready() as up:
        yield up


def test_from_the_corpus_to_the_page_and_at_the_next_start_without_clustering(corpora_file, data):
    with Up(data, corpora_file).ready() as up:
        (corpus,) = up.get("/v1/corpora")["corpora"]
        version = corpus["version"]
        assert (corpus["name"], corpus["documents"], corpus["tags"]) == ("topics", 200, 32)

        cloud = up.get("/v1/corpora/topics/cloud?q=payments")
        first = {tag["tag"] for tag in cloud["groups"][0]["tags"]}
        assert "payment" not in first
        assert len(first & set(TOPICS["money"])) > 2 * len(first - set(TOPICS["money"]))
        assert len(first) >= 5

        related = up.get("/v1/corpora/topics/related?tag=guitar&limit=5")["related"]
        assert {each["tag"] for each in related} <= set(TOPICS["music"])
        assert up.get("/readyz")["corpora"] == {"topics": corpus["version"]}

        wait_until(lambda: "published" in up.output() and "try: " in up.output(), "the last lines of the start")
        output = up.output()
        for stage in ("load", "smooth", "agglomerate"):
            assert stage in output
        *_, ready, invitation = [line for line in output.splitlines() if line.startswith("cotag ")]
        assert ready == f"cotag     | ready: http://127.0.0.1:{up.port}/"
        assert invitation.startswith("cotag     | try:   curl")
        assert "Traceback" not in output

        up.process.send_signal(signal.SIGINT)
        assert up.process.wait(4 * (GRACE_SECONDS + KILL_SECONDS)) == 0, "each of four parts has so long to end"
        assert [session.members() for session in up.sessions()] == []
        ended = [line.split()[-1] for line in up.output().splitlines() if "cotag     | ending" in line]
        assert ended == ["service", "scheduler", "worker-2", "worker", "store"]
    with Up(data, corpora_file).ready() as up:
        assert up.version() == version
        assert "agglomerate" not in up.output()


def test_a_new_version_is_served_without_a_restart(shared):
    before = shared.version()
    write_jsonl(shared.data.parent / "topics.jsonl.gz", topic_documents(240))
    shared.board().request("topics", time.time())
    shared.everywhere(lambda corpus: corpus["documents"] == 240, "a new version", "/v1/corpora/topics")
    assert shared.version() > before


def test_after_the_launcher_is_killed_a_start_on_another_port_replaces_the_parts(corpora_file, data):
    with Up(data, corpora_file).ready() as first:
        version = first.version()
        sessions = first.sessions()
        first.process.kill()
        first.process.wait()
        assert first.version() == version, "the service goes on without its launcher"
        with Up(data, corpora_file).ready() as second:
            assert second.version() == version
            assert "left over from an earlier start" in second.output()
            assert [session.name for session in sessions if alive(session.pid)] == ["store"]
    assert not any(session.members() for session in sessions)


def test_a_launcher_killed_in_the_middle_of_the_first_clustering_leaves_a_usable_directory(
    corpora_file, data, tmp_path
):
    write_jsonl(tmp_path / "topics.jsonl.gz", topic_documents(900))
    with Up(data, corpora_file) as first:
        wait_until(lambda: "smooth" in first.output(), "clustering")
        first.process.kill()
        first.process.wait()
        with Up(data, corpora_file).ready() as second:
            assert second.get("/v1/corpora/topics")["documents"] == 900


@pytest.mark.parametrize("part", ["store", "worker", "scheduler", "service"])
def test_a_part_that_is_killed_is_started_again(shared, part):
    version = shared.version()
    shared.written()
    before = shared.kill(part)
    wait_until(lambda: shared.pid(part) not in {before, None}, f"a new {part}")
    wait_until(lambda: answers(shared) == version, "an answer")
    shared.everywhere(lambda ready: ready["store"], "the store")


def answers(up):
    try:
        return up.version()
    except (OSError, HTTPException):
        return None


def test_two_launchers_do_not_share_a_data_directory(shared):
    second = Up(shared.data, shared.data.parent / "corpora.toml")
    assert second.process.wait(DEADLINE) == 1
    assert f"already running on {shared.data}" in second.output()
    assert shared.get("/healthz") == {"alive": True}


def test_a_corpus_that_cannot_be_read_ends_the_start_with_one_line(corpora_file, data, tmp_path):
    (tmp_path / "topics.jsonl.gz").write_bytes(b"no gzip")
    with Up(data, corpora_file) as up:
        assert up.process.wait(DEADLINE) == 1
        assert up.output().rstrip().splitlines()[-1].startswith("cotag: ")
        assert "topics.jsonl.gz: unreadable after line 0" in up.output().splitlines()[-1]
        assert "Traceback" not in up.output()
        assert up.sessions() == []


def test_a_store_given_by_its_url_is_used_and_left_running(corpora_file, data, redis, redis_url):
    with Up(data, corpora_file, COTAG_REDIS_URL=redis_url).ready() as up:
        assert [session.name for session in up.sessions()] == ["worker", "worker-2", "scheduler", "service"]
        assert redis.get("cotag:topics:current").decode() == up.version()
    assert redis.ping()
    assert not os.path.exists(data / "store.sock")  # noqa: PTH110 - a socket, not a file


def test_json_lines_have_the_part_inside(corpora_file, data):
    with Up(data, corpora_file, COTAG_LOG_FORMAT="json", PYTHONFAULTHANDLER="1").ready() as up:
        up.get("/v1/corpora/topics/cloud?q=payment")
        wait_until(lambda: '"path":"/v1/corpora/topics/cloud"' in up.output(), "the line of the request")
        os.kill(up.pid("worker"), signal.SIGSEGV)
        wait_until(lambda: '"event":"worker ended' in up.output(), "the end of the worker")
        up.process.send_signal(signal.SIGINT)
        assert up.process.wait(DEADLINE) == 0
        lines = [json.loads(line) for line in up.output().splitlines()]
    assert {line["part"] for line in lines} == {"up", "worker", "scheduler", "service"}
    assert all({"event", "level", "timestamp"} <= line.keys() for line in lines)
    plain = [line for line in lines if "Segmentation fault" in line["event"]]
    assert [(line["part"], line["level"]) for line in plain] == [("worker", "warning")]


def is_ready(up):
    try:
        status, _, connection = fetched(up.port, "/readyz")
    except (OSError, HTTPException):
        return False
    connection.close()
    return status == 200


@pytest.mark.parametrize("reader", ["stuck", "gone"])
def test_a_launcher_whose_output_nobody_reads_goes_on(corpora_file, data, reader):
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    while reader == "stuck":
        try:
            os.write(writing, b"#" * 4096)
        except BlockingIOError:
            break
    os.set_blocking(writing, True)
    if reader == "gone":
        os.close(reading)
    with Up(data, corpora_file, stdout=writing) as up:
        os.close(writing)
        wait_until(lambda: is_ready(up), "the service")
        for _ in range(500):
            up.get(f"/v1/corpora/{'x' * 7000}/cloud", status=404)
        before = up.kill("service")
        wait_until(lambda: up.pid("service") not in {before, None}, "a new service")
        wait_until(lambda: is_ready(up), "the service")
        if reader == "stuck":
            text = b""
            while b"lines were lost" not in text:
                text += os.read(reading, 1 << 20)
        up.process.send_signal(signal.SIGINT)
        assert up.process.wait(DEADLINE) == 0
    if reader == "stuck":
        os.close(reading)
