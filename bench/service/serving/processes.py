"""Starts servers for measurements, and reads their processor time and memory."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import psutil

from bench.places import ROOT
from cotag.errors import StartError
from cotag.launcher.store_server import server_binary, server_command, wait_for_store

PROCESSES: Final = 2
START_SECONDS: Final = 120.0
STOP_SECONDS: Final = 60.0


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def process(
    command: list[str],
    port: int,
    environment: Mapping[str, str],
    *,
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    ready: str = "/healthz",
) -> Iterator[subprocess.Popen[bytes]]:
    """A server of two processes, from its first answer to its end."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    settings = {"COTAG_PORT": str(port), "COTAG_WEB_WORKERS": str(PROCESSES), **environment}
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        env={**clean, **settings},
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    ) as running:
        try:
            wait_until_answered(port, ready, running)
            yield running
        finally:
            end(running)


@contextmanager
def store(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A real store in a folder: its URL and its process."""
    folder.mkdir()
    path = folder / "store.sock"
    with subprocess.Popen(server_command(server_binary(), folder, path), stdout=subprocess.DEVNULL) as server:
        try:
            wait_for_store(f"unix://{path}")
            yield f"unix://{path}", server
        finally:
            end(server)


def end(running: subprocess.Popen[bytes]) -> float:
    """Ask a process to end, kill it if it does not; the seconds it took."""
    began = time.monotonic()
    running.terminate()
    try:
        running.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        for child in psutil.Process(running.pid).children(recursive=True):
            child.kill()
        running.kill()
        running.wait()
    return time.monotonic() - began


def status(port: int, path: str, seconds: float = 5.0) -> int | None:
    """The status of an answer on a connection of its own; None if there is none in time."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
            head = connection.recv(4096)
    except OSError:
        return None
    return int(head[9:12]) if head.startswith(b"HTTP/1.") else None


def wait_until_answered(port: int, path: str, running: subprocess.Popen[bytes], accepted: int = 200) -> float:
    """Wait until a path is answered with a status; the seconds it took."""
    began = time.monotonic()
    while status(port, path) != accepted:
        if running.poll() is not None:
            raise StartError(f"{running.args!r} ended with {running.returncode}")
        if time.monotonic() - began > START_SECONDS:
            raise StartError(f"{running.args!r} does not answer {path}")
        time.sleep(0.02)
    return time.monotonic() - began


def workers(server: int) -> list[psutil.Process]:
    """The living processes that answer requests, given the one that started them."""
    found = []
    for child in psutil.Process(server).children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if "resource_tracker" not in " ".join(child.cmdline()):
                found.append(child)
    return found


def processor_seconds(server: int) -> float:
    """Processor time that a server's processes have used so far."""
    times = [child.cpu_times() for child in workers(server)]
    return sum(time.user + time.system for time in times)


def memory(server: int) -> float:
    """MB that a web process does not share, the mean of its processes."""
    found = [child.memory_full_info().uss for child in workers(server)]
    return float(sum(found)) / len(found) / 1e6
