"""Drives `cotag up` as a user would: a real process tree, real HTTP."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import psutil

from cotag.processes import Session
from snapshot import StatusBoard, connect

START_SECONDS = 120


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds=60.0, what="it", pause=0.05):
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds} s"
        time.sleep(pause)


class Up:
    """One `cotag up` on a data directory of its own."""

    def __init__(self, data, corpora, **environment):
        self.data = Path(data)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = self.data.parent / f"up-{self.port}.log"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "cotag", "up"],
                env={
                    **clean,
                    "COTAG_PORT": str(self.port),
                    "COTAG_DATA_DIR": str(self.data),
                    "COTAG_CORPORA": str(corpora),
                    **environment,
                },
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(60)
        for session in self.sessions():
            session.end(0.0)

    def ready(self):
        wait_until(lambda: "ready: " in self.output() or self.process.poll() is not None, START_SECONDS, "being ready")
        assert self.process.poll() is None, self.output()
        return self

    def output(self):
        return self.log.read_text()

    def get(self, path, status=200):
        answer = httpx.get(f"{self.url}{path}", timeout=10, trust_env=False)
        assert answer.status_code == status, answer.text
        return answer.json()

    def version(self, corpus="topics"):
        return self.get(f"/v1/corpora/{corpus}")["version"]

    def everywhere(self, condition, seconds, what):
        """Wait until a condition holds eight times in a row, whichever process of the service answers."""
        wait_until(lambda: all(condition() for _ in range(8)), seconds, what)

    def board(self):
        """The status of runs as the store has it, without the delay of the service."""
        return StatusBoard(connect(f"unix://{self.data}/store.sock"))

    def sessions(self):
        try:
            return [Session(**record) for record in json.loads((self.data / "processes.json").read_text())]
        except FileNotFoundError:
            return []

    def pid(self, name):
        """Of a part that runs; None between its death and its restart."""
        return next((session.pid for session in self.sessions() if session.name == name and alive(session.pid)), None)

    def kill(self, name):
        """Kill a part with -9, once it runs; returns the pid it had."""
        return wait_until(lambda: killed(self.pid(name)), 30, f"a running {name}")


def killed(pid):
    """The pid if such a process ran and was killed; None if there was none to kill."""
    if pid is None:
        return None
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return None
    return pid


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
