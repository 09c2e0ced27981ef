"""Waiting for an event itself: no test guesses how long something takes on a machine that has other work."""

import time

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
