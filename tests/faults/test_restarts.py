"""Restarts: of the launcher, of the service, of one of its processes. No read fails."""

import os
import signal
import subprocess
import sys

import psutil
import pytest

from cotag.launcher.processes import Session
from tests.conftest import topic_documents, write_jsonl
from tests.e2e.launching import Up, alive, free_port
from tests.faults.reading import Readers
from tests.waiting import DEADLINE, wait_until

PATH = "/v1/corpora/topics/cloud?q=payment"


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def web_processes(up):
    return {process.pid for process in psutil.Process(up.pid("service")).children()}


def start_again(up, corpora_file, **environment):
    """Kill a launcher and start another one on its port."""
    up.process.kill()
    up.process.wait()
    return Up(up.data, corpora_file, port=up.port, **environment)


def test_a_launcher_that_was_killed_and_started_again_adopts_what_still_runs(corpora_file, data):
    """No read fails, no process is replaced, the log goes on; parts that die later, gunicorn too, are started again."""
    with Up(data, corpora_file).ready() as first, Readers(first.port, PATH) as readers:
        sessions = first.sessions()
        second = start_again(first, corpora_file)
        with second.ready():
            readers.go_on()
            assert second.sessions() == sessions
            assert second.output().count("cotag     | adopting ") == 5
            wait_until(lambda: "service   | " in second.output(), "a line of the adopted service")
            before = second.kill("worker")
            wait_until(lambda: second.pid("worker") not in {before, None}, "a new worker")
            write_jsonl(corpora_file.parent / "topics.jsonl.gz", topic_documents(240))
            second.board().request("topics", 5.0)
            second.everywhere(lambda corpus: corpus["documents"] == 240, "a new version", "/v1/corpora/topics")
            before = second.kill("service")
            wait_until(lambda: second.pid("service") not in {before, None}, "a new service")
            second.everywhere(lambda state: state["ready"], "its answers")
            readers.go_on()
            readers.__exit__()
            assert readers.failed == []
            second.process.send_signal(signal.SIGINT)
            assert second.process.wait(DEADLINE) == 0
        assert [session for session in sessions if session.members()] == []


def test_parts_that_run_with_other_settings_are_started_anew(corpora_file, data):
    """The store has none, so it goes on."""
    with Up(data, corpora_file).ready() as first:
        before = {session.name: session.pid for session in first.sessions()}
        with start_again(first, corpora_file, COTAG_WEB_WORKERS="1").ready() as second:
            after = {session.name: session.pid for session in second.sessions()}
            assert [name for name in before if before[name] == after[name]] == ["store"]
            assert "left over from an earlier start" in second.output()
            assert len(web_processes(second)) == 1


def test_a_launcher_in_front_of_head_leaves_nobody_behind(corpora_file, data):
    """It goes on when head has ended. Ctrl-C, which reaches all processes of the pipeline, ends everything."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    settings = {"COTAG_PORT": str(free_port()), "COTAG_DATA_DIR": str(data), "COTAG_CORPORA": str(corpora_file)}
    command = f"{sys.executable} -m cotag up 2>&1 | head -1; echo ended"
    with subprocess.Popen(
        ["bash", "-c", command],
        env={**environment, **settings},
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as shell:
        try:
            assert b" | " in shell.stdout.readline()
            names = lambda: {session.name for session in sessions_in(data) if session.members()}  # noqa: E731
            wait_until(lambda: names() == {"store", "worker", "worker-2", "scheduler", "service"}, "all parts")
            wait_until(lambda: len(psutil.Process(shell.pid).children()) == 1, "the end of head")
            sessions = sessions_in(data)
            (launcher,) = psutil.Process(shell.pid).children()
        finally:
            os.killpg(shell.pid, signal.SIGINT)
        wait_until(lambda: not alive(launcher.pid), "the end of the launcher")
        shell.wait(DEADLINE)
    assert [session for session in sessions if session.members()] == []


def sessions_in(data):
    stand_in = Up.__new__(Up)
    stand_in.data = data
    return stand_in.sessions()


def test_a_rolling_restart_loses_no_read(corpora_file, data):
    """SIGHUP replaces the processes of the service one by one."""
    with Up(data, corpora_file).ready() as up, Readers(up.port, PATH) as readers:
        before = web_processes(up)
        os.kill(up.pid("service"), signal.SIGHUP)
        wait_until(lambda: len(web_processes(up) - before) == 2 == len(web_processes(up)), "new processes")
        readers.go_on()
        readers.__exit__()
        assert readers.failed == []


def test_after_gunicorn_itself_is_killed_its_processes_answer_until_the_next_one_does(corpora_file, data):
    """Then they end. No connection is refused."""
    with Up(data, corpora_file).ready() as up, Readers(up.port, PATH) as readers:
        orphans = web_processes(up)
        killed = up.kill("service")
        wait_until(lambda: up.pid("service") not in {killed, None}, "a new service")
        wait_until(lambda: not any(alive(pid) for pid in orphans), "the end of its processes")
        readers.go_on()
        readers.__exit__()
        print(f"reads: {readers.sent}, slowest: {readers.slowest:.2f} s")
        assert readers.failed == []
        assert web_processes(up).isdisjoint(orphans)


def test_the_processes_of_a_service_end_when_gunicorn_is_killed_and_nobody_supervises_it(
    corpora_file, data, redis, redis_url
):
    """Otherwise they would hold the port for ever."""
    port = free_port()
    environment = {**os.environ, "COTAG_REDIS_URL": redis_url, "COTAG_PORT": str(port)}
    with subprocess.Popen(
        [sys.executable, "-m", "cotag", "serve"], env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    ) as service:
        session = Session("service", service.pid, psutil.Process(service.pid).create_time())
        wait_until(lambda: len(session.members()) == 3, "two processes")
        service.kill()
        service.wait()
        try:
            wait_until(lambda: session.members() == [], "their end")
        finally:
            session.end(0.0)
