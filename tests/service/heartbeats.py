"""Heartbeats as a worker and a scheduler write them."""

import time

from snapshot import Heartbeat, Heartbeats


def write_heartbeats(redis, parts=("worker", "scheduler"), job=""):
    """A worker, which runs a job or waits for one, and a scheduler."""
    now = time.time()
    for part, pid in (("worker", 7), ("scheduler", 8)):
        if part in parts:
            running = job if part == "worker" else ""
            Heartbeats(redis).write(Heartbeat(part, "here", pid, started=now - 60, at=now, job=running, cotag="1.2"))
