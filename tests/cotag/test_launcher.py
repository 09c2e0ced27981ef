"""The launcher survives errors of its own and the death of its predecessor, and keeps the socket of its service."""

import errno
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from cotag.launcher import supervision
from cotag.launcher.processes import leftovers
from cotag.launcher.supervision import SupervisedPart, Supervisor
from service.server.gunicorn import require_socket
from snapshot import SettingsError
from tests.waiting import wait_until


class Lines(list):
    def say(self, text, level="info"):
        self.append((level, text))

    def forward(self, part, line):
        """Nobody reads the lines of parts here."""


@pytest.fixture
def supervisor(tmp_path):
    supervisor = Supervisor(tmp_path / "processes.json", Lines())
    yield supervisor
    supervisor.end()


@pytest.fixture
def part():
    part = SupervisedPart("sleeper", [sys.executable, "-c", "import time; time.sleep(600)"], {})
    yield part
    if part.child is not None:
        part.child.end(0.0)


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_ends_no_part_and_is_said_once(supervisor, part, monkeypatch, tmp_path):
    """When there is space again, the processes are recorded."""
    with monkeypatch.context() as full:
        full.setattr(supervision, "remember", full_disk)
        supervisor.start(part)
        supervisor.record()
    assert not part.child.ended()
    ((level, line),) = supervisor._output
    assert level == "warning"
    assert "No space left on device" in line
    assert leftovers(tmp_path / "processes.json") == []
    supervisor.record()
    assert [session.pid for session in leftovers(tmp_path / "processes.json")] == [part.child.session.pid]


def test_a_part_that_cannot_be_started_is_tried_again_later(supervisor, part, monkeypatch):
    supervisor._parts.append(part)
    with monkeypatch.context() as exhausted:
        exhausted.setattr(supervision, "StartedChild", full_disk)
        supervisor.restart_if_ended(part)
    assert part.child is None
    assert part.not_before > time.monotonic()
    assert "cannot start sleeper" in supervisor._output[0][1]
    part.not_before = 0.0
    supervisor.restart_if_ended(part)
    assert not part.child.ended()


def killed_launcher(supervisor, part, tmp_path):
    """What the next launcher finds: another supervisor, and the part still running."""
    supervisor.start(part)
    supervisor._parts.clear()
    return Supervisor(tmp_path / "processes.json", Lines())


def test_a_part_with_the_same_settings_is_adopted_and_started_again_when_it_ends(supervisor, part, tmp_path):
    following = killed_launcher(supervisor, part, tmp_path)
    again = SupervisedPart(part.name, part.command, {"PATH": "/another"})
    pid = part.child.session.pid
    assert following.adopt(again)
    following.end_left_over()
    assert not part.child.ended()
    assert again.child.session.pid == pid
    part.child.end(0.0)
    wait_until(again.child.ended, "the end of the adopted part")
    following.look_after()
    assert again.child.session.pid != pid
    assert "sleeper ended; starting it again at once" in following._output[-1][1]
    following.end()


@pytest.mark.parametrize("change", ["settings", "command", "leader"])
def test_a_part_that_was_started_otherwise_or_lost_its_leader_is_ended(supervisor, part, tmp_path, change):
    following = killed_launcher(supervisor, part, tmp_path)
    command = [*part.command, "x"] if change == "command" else part.command
    again = SupervisedPart(part.name, command, {"COTAG_PORT": "1"} if change == "settings" else {})
    if change == "leader":
        code = "import os, time; os.fork() or os.execvp('sleep', ['sleep', '600']); time.sleep(600)"
        headless = SupervisedPart("sleeper", [sys.executable, "-c", code], {})
        part.child.end(0.0)
        following = killed_launcher(supervisor, headless, tmp_path)
        again = SupervisedPart("sleeper", headless.command, {})
        wait_until(lambda: len(headless.child.session.members()) == 2, "a descendant")
        headless.child._process.kill()
        wait_until(headless.child.ended, "the end of the leader")
    assert not following.adopt(again)
    following.end_left_over()
    wait_until(part.child.ended, "the end of the old part")
    assert leftovers(tmp_path / "processes.json") == []
    assert "left over from an earlier start" in following._output[0][1]


def test_what_is_left_over_stays_recorded_until_it_is_ended(supervisor, part, tmp_path):
    """A launcher that is killed again in between loses nobody."""
    following = killed_launcher(supervisor, part, tmp_path)
    other = SupervisedPart("other", part.command, {})
    following.start(other)
    assert {session.name for session in leftovers(tmp_path / "processes.json")} == {"sleeper", "other"}
    following.end_left_over()
    following.end()


def test_connections_wait_while_a_part_with_a_socket_starts_again(supervisor):
    """The launcher holds the socket, too: after a kill, and before the new process listens, nobody is refused."""
    code = (
        "import os, socket\n"
        "listening = socket.socket(fileno=int(os.environ['COTAG_LISTEN_FD']))\n"
        "listening.listen()\n"
        "while True:\n"
        "    connection, _ = listening.accept()\n"
        "    connection.sendall(b'%d' % os.getpid())\n"
        "    connection.close()\n"
    )
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        part = SupervisedPart("server", [sys.executable, "-c", code], {}, listening=bound)
        supervisor.start(part)

        def answer():
            try:
                with socket.create_connection(bound.getsockname()) as connection:
                    return int(connection.recv(100))
            except ConnectionError:
                return None

        first = wait_until(answer, "the first answer")
        os.kill(first, signal.SIGKILL)
        wait_until(part.child.ended, "its end")
        with socket.create_connection(bound.getsockname()) as waiting:
            supervisor.look_after()
            assert int(waiting.recv(100)) == part.child.session.pid != first


def test_a_number_that_is_no_open_socket_is_refused_by_name():
    with socket.socket() as bound:
        number = bound.fileno()
        require_socket(number)
    require_socket(None)
    for wrong in (number, 2):
        with pytest.raises(SettingsError, match=f"COTAG_LISTEN_FD={wrong}: "):
            require_socket(wrong)


def test_the_data_directory_is_for_its_user_alone(tmp_path):
    """In a process of its own: files that are written later are private, too."""
    code = "import sys; from pathlib import Path; from cotag.launcher.data_folder import keep_files_private as k;"
    code += "from cotag.launcher.data_folder import prepare_folder as p; k(); (p(Path(sys.argv[1])) / 'file').touch()"
    folder = tmp_path / "data"
    for mode in (None, 0o755):
        if mode is not None:
            folder.chmod(mode)
        subprocess.run([sys.executable, "-c", code, str(folder)], check=True)
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / "file").stat().st_mode & 0o777 == 0o600
    folder.chmod(0o777)
    refused = subprocess.run([sys.executable, "-c", code, str(folder)], check=False, capture_output=True, text=True)
    assert "other users can write to it" in refused.stderr
