"""The launcher survives errors of its own: a full disk, or a part that cannot be started."""

import errno
import sys
import time

import pytest

from cotag import up
from cotag.processes import leftovers
from cotag.up import Launch, SupervisedPart


class Lines(list):
    def say(self, text, level="info"):
        self.append((level, text))

    def forward(self, part, line):
        """Nobody reads the lines of parts here."""


class Settings:
    redis_url = "redis://127.0.0.1:1/0"


@pytest.fixture
def launch(tmp_path):
    launch = Launch(Settings(), tmp_path, ["topics"], None, Lines(), external_store=True)
    yield launch
    for part in launch._parts:
        if part.child is not None:
            part.child.end(0.0)


@pytest.fixture
def part():
    return SupervisedPart("sleeper", [sys.executable, "-c", "import time; time.sleep(600)"], {})


def full_disk(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_ends_no_part_and_is_said_once(launch, part, monkeypatch, tmp_path):
    """When there is space again, the processes are recorded."""
    with monkeypatch.context() as full:
        full.setattr(up, "remember", full_disk)
        launch._start(part)
        launch._record_parts()
    assert part.child.ended() is None
    ((level, line),) = launch._output
    assert level == "warning"
    assert "No space left on device" in line
    assert leftovers(tmp_path / "processes.json") == []
    launch._record_parts()
    assert [session.pid for session in leftovers(tmp_path / "processes.json")] == [part.child.process.pid]


def test_a_part_that_cannot_be_started_is_tried_again_later(launch, part, monkeypatch):
    launch._parts.append(part)
    with monkeypatch.context() as exhausted:
        exhausted.setattr(up, "Child", full_disk)
        launch._restart_if_ended(part)
    assert part.child is None
    assert part.not_before > time.monotonic()
    assert "cannot start sleeper" in launch._output[0][1]
    part.not_before = 0.0
    launch._restart_if_ended(part)
    assert part.child.ended() is None
