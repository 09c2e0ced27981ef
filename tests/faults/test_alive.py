"""The health check of a worker: it asks the worker and not the store."""

import os
import signal
import subprocess
import sys

from tests.servers import Server
from tests.waiting import DEADLINE, wait_until


def pinged(part, environment):
    command = [sys.executable, "-m", "cotag", "ping", part]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=DEADLINE, check=False)


def test_a_worker_and_a_scheduler_are_healthy_while_the_store_is_away_and_not_after_their_end(tmp_path, corpora_file):
    server = Server(tmp_path / "s")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("COTAG_")},
        "TMPDIR": str(tmp_path),
        "COTAG_REDIS_URL": server.url,
        "COTAG_CORPORA": str(corpora_file),
    }
    refused = pinged("worker", environment)
    assert (refused.returncode, refused.stderr) == (1, "cotag: no worker of this user lives on this machine\n")
    parts = {
        part: subprocess.Popen([sys.executable, "-m", "cotag", part], env=environment, stdout=subprocess.DEVNULL)
        for part in ("worker", "scheduler")
    }
    try:
        for part in parts:
            wait_until(lambda part=part: pinged(part, environment).returncode == 0, f"a healthy {part}")
        assert pinged("store", environment).returncode == 1
        server.start()
        wait_until(lambda: pinged("store", environment).returncode == 0, "the store")
        server.stop()
        for part, process in parts.items():
            assert pinged(part, environment).returncode == 0
            process.send_signal(signal.SIGKILL)
            process.wait(DEADLINE)
            assert pinged(part, environment).returncode == 1
    finally:
        server.stop()
        for process in parts.values():
            process.kill()
            process.wait(DEADLINE)
