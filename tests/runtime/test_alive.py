"""Whether a worker or scheduler lives on this machine, without asking the store."""

import os
import time

import pytest

from runtime.alive import AliveFile, is_alive


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """A temporary directory of this test alone."""
    monkeypatch.setattr("runtime.alive.tempfile.gettempdir", lambda: str(tmp_path))
    return tmp_path


def test_a_process_that_touches_its_file_lives_until_it_removes_it():
    assert not is_alive("worker")
    file = AliveFile("worker")
    file.touch()
    assert is_alive("worker")
    assert not is_alive("scheduler")
    file.remove()
    assert not is_alive("worker")


def test_a_process_that_is_stuck_or_gone_does_not_live(own_folder):
    AliveFile("worker").touch()
    (path,) = own_folder.glob("*/worker.*")
    os.utime(path, (time.time() - 61, time.time() - 61))
    assert not is_alive("worker")
    AliveFile("worker").touch()
    assert is_alive("worker")
    path.rename(path.with_name("worker.999999999"))
    assert not is_alive("worker")
    path.with_name("worker.999999999").rename(path.with_name("worker.nonsense"))
    assert not is_alive("worker")


def test_a_directory_that_cannot_be_written_to_costs_the_health_check_alone(own_folder):
    (own_folder / f"cotag-alive-{os.getuid()}").write_text("a file is in the way")
    AliveFile("worker").touch()
    AliveFile("worker").remove()
    assert not is_alive("worker")
