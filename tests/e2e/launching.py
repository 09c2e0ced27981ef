"""Drives `cotag up` as a user would: a real process tree, real HTTP."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil

from cotag.launcher.processes import Session
from snapshot import StatusBoard, connect
from tests.servers import wait_until_written
from tests.waiting import DEADLINE, wait_until


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetched(port, path):
    """Status, decoded JSON, and the open connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read()), connection


def get_json(port, path, status=200):
    """What a service answers."""
    answered, content, connection = fetched(port, path)
    connection.close()
    assert answered == status, content
    return content


def answers_of_each(server, port, path="/readyz"):
    """What each process of a gunicorn answers, by pid. The kernel knows which one holds the other end of a connection.

    An answer during a restart of a process counts for those that are left; then there are fewer.
    """
    answers = {}

    def complete():
        waiting = {process.pid: process for process in psutil.Process(server).children()}
        try:
            _, content, connection = fetched(port, path)
        except (OSError, http.client.HTTPException):
            return False  # a process that was killed had accepted it
        own = connection.sock.getsockname()
        for pid, process in waiting.items():
            try:
                peers = [end.raddr for end in process.net_connections("tcp")]
            except psutil.Error:
                continue
            if own in peers:
                answers[pid] = content
        connection.close()
        return waiting and waiting.keys() <= answers.keys()

    wait_until(complete, f"an answer of each process to {path}", pause=0)
    return answers


def wait_everywhere(server, port, condition, what, path="/readyz"):
    """Wait until what each process of a gunicorn answers fulfils a condition."""
    wait_until(lambda: all(map(condition, answers_of_each(server, port, path).values())), what)


class Up:
    """One `cotag up` on a data directory of its own, with a corpora file or with files as arguments."""

    def __init__(self, data, corpora=None, stdout=None, *, arguments=(), port=None, **environment):
        self.data = Path(data)
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.store_url = f"unix://{self.data}/store.sock"
        self.log = self.data.parent / f"up-{self.port}{'-again' if port else ''}.log"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "cotag", "up", *map(str, arguments)],
                env={
                    **clean,
                    "COTAG_PORT": str(self.port),
                    "COTAG_DATA_DIR": str(self.data),
                    **({} if corpora is None else {"COTAG_CORPORA": str(corpora)}),
                    **environment,
                },
                stdout=stdout or log,
                stderr=subprocess.STDOUT,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(DEADLINE)
        for session in self.sessions():
            session.end(0.0)

    def ready(self):
        wait_until(lambda: "ready: " in self.output() or self.process.poll() is not None, "being ready")
        assert self.process.poll() is None, self.output()
        self.everywhere(lambda state: state["ready"], "being ready in every process")
        return self

    def output(self):
        return self.log.read_text()

    def get(self, path, status=200):
        return get_json(self.port, path, status)

    def version(self, corpus="topics"):
        return self.get(f"/v1/corpora/{corpus}")["version"]

    def everywhere(self, condition, what, path="/readyz"):
        """Wait until what each process of the service answers fulfils a condition."""
        wait_everywhere(self.pid("service"), self.port, condition, what, path)

    def written(self):
        """Wait until the store has written down what it knows; a kill forgets none of it."""
        wait_until_written(self.store_url)

    def board(self):
        """The status of runs as the store has it, without the delay of the service."""
        return StatusBoard(connect(self.store_url))

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
        return wait_until(lambda: killed(self.pid(name)), f"a running {name}")


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
