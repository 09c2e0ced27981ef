"""Processes of the launcher: started, ended, recovered after a kill."""

import io
import os
import shutil
import signal
import subprocess
import sys
import time

import psutil
import pytest

from cotag.errors import StartError
from cotag.launcher.data_folder import prepare_folder, single_instance
from cotag.launcher.processes import AdoptedChild, Session, StartedChild, leftovers, remember
from cotag.launcher.store_server import LONGEST_SOCKET_PATH, server_binary, socket_path
from tests.waiting import wait_until

FAMILY = """
import subprocess, sys, time, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import os, time; os.setpgrp(); print('begun', flush=True); time.sleep(600)"])
time.sleep(600)
"""


def start(code):
    output = io.StringIO()
    child = StartedChild(
        "part", [sys.executable, "-c", code], dict(os.environ), lambda *line: print(*line, file=output)
    )
    wait_until(lambda: "begun" in output.getvalue(), "the start")
    return child, output


def test_output_is_forwarded_line_by_line_under_the_name_of_the_part():
    child, output = start("print('begun'); print('two', flush=True)")
    child.end(grace=1.0)
    assert output.getvalue() == "part b'begun\\n'\npart b'two\\n'\n"


def test_ending_a_part_ends_its_descendants_even_if_it_ignores_the_request():
    child, _ = start(FAMILY)
    assert len(child.session.members()) == 2
    child.end(grace=0.4)
    assert child.session.members() == []


def test_ending_waits_for_members_that_start_meanwhile():
    """A part that hands over to another process of its session has ended when that one has."""
    child, output = start(
        "import signal, subprocess, sys, time\n"
        "late = \"import time; time.sleep(0.6); print('late', flush=True)\"\n"
        "def hand_over(*_):\n"
        "    subprocess.Popen([sys.executable, '-c', late])\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, hand_over)\n"
        "print('begun', flush=True)\n"
        "time.sleep(60)\n"
    )
    child.end(grace=20.0)
    assert "late" in output.getvalue()
    assert child.session.members() == []


def test_a_part_that_ends_at_once_is_not_waited_for_longer():
    child, _ = start("import time; print('begun', flush=True); time.sleep(60)")
    began = time.monotonic()
    child.end(grace=30.0)
    assert time.monotonic() - began < 10


def test_descendants_of_a_killed_part_are_found(tmp_path):
    child, _ = start(FAMILY)
    remember(tmp_path / "processes.json", [child.session])
    os.kill(child.session.pid, signal.SIGKILL)
    wait_until(child.ended, "its end")
    (left,) = leftovers(tmp_path / "processes.json")
    assert left == child.session
    left.end(grace=0.2)
    child.end(grace=0.0)
    assert leftovers(tmp_path / "processes.json") == []


ORPHAN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_DFL)
number = 0
while True:
    number += 1
    try:
        os.write(1, b"begun %d\\n" % number)
    except BrokenPipeError:
        pass
    time.sleep(0.01)
"""


def test_an_adopted_process_is_read_watched_and_ended():
    """Its output comes from the pipe whose first reader is gone; nobody knows its exit code."""
    with subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, start_new_session=True) as orphan:
        orphan.stdout.readline()
        orphan.stdout.close()
        lines = []
        session = Session("part", orphan.pid, psutil.Process(orphan.pid).create_time())
        adopted = AdoptedChild(session, lambda *line: lines.append(line))
        wait_until(lambda: len(lines) > 3, "its output")
        assert lines[0][0] == "part"
        assert lines[-1][1].startswith(b"begun ")
        assert not adopted.ended()
        adopted.end(grace=20.0)
        assert adopted.ended()
        assert adopted.exit_code is None


def test_a_stranger_with_a_reused_pid_is_left_alone(tmp_path):
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as stranger:
        remember(tmp_path / "processes.json", [Session("store", stranger.pid, time.time() - 1000)])
        assert leftovers(tmp_path / "processes.json") == []
        Session("store", stranger.pid, time.time() - 1000).end(grace=0.0)
        assert stranger.poll() is None
        stranger.kill()


def test_a_damaged_list_of_processes_is_no_obstacle(tmp_path):
    for content in ("{", "[1]", '[{"name": "store"}]'):
        (tmp_path / "processes.json").write_text(content)
        assert leftovers(tmp_path / "processes.json") == []


def test_one_launcher_per_data_directory(tmp_path):
    with (
        single_instance(tmp_path),
        pytest.raises(StartError, match=f"already running on .* \\(pid {os.getpid()}\\)"),
        single_instance(tmp_path),
    ):
        pass
    with single_instance(tmp_path):
        pass


def test_the_data_directory_is_made(tmp_path):
    assert prepare_folder(tmp_path / "a" / "b").is_dir()


def test_a_long_path_gets_a_short_socket(tmp_path):
    deep = tmp_path / ("x" * LONGEST_SOCKET_PATH)
    assert len(str(socket_path(deep))) <= LONGEST_SOCKET_PATH
    assert socket_path(tmp_path / "short").parent == tmp_path / "short"


def test_a_server_on_path_stands_in_for_the_wheel(tmp_path, monkeypatch):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StartError, match="there is no store"):
        server_binary()
    fake = tmp_path / "redis-server"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    assert server_binary() == str(fake)


def test_a_copied_record_gives_no_right_over_the_processes_of_another(tmp_path):
    """A copy of a data directory names processes that run for the original; a moved one is still the same."""
    original = tmp_path / "original"
    original.mkdir()
    child, _ = start("print('begun', flush=True); import time; time.sleep(600)")
    try:
        remember(original / "processes.json", [child.session])
        shutil.copytree(original, tmp_path / "copy")
        assert leftovers(tmp_path / "copy" / "processes.json") == []
        moved = original.rename(tmp_path / "moved")
        assert [session.pid for session in leftovers(moved / "processes.json")] == [child.session.pid]
    finally:
        child.end(grace=1.0)
