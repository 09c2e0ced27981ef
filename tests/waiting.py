"""Waiting for an event itself: no test guesses how long something takes on a machine that has other work."""

import time

import psutil

DEADLINE = 300.0
"""Seconds after which an event counts as missing; most happen within one, also beside eight busy loops."""


def wait_until(condition, what, pause=0.02):
    """The first true value of a condition."""
    deadline = time.monotonic() + DEADLINE
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not happen within {DEADLINE:.0f} s"
        time.sleep(pause)


def gone(pid):
    """Whether a process has ended. Its parent may not have noticed yet."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
