"""A service whose log nobody reads: it answers, its memory stays, it counts what it drops, and goes on when read."""

import json
import os
import re
import subprocess
import sys
import threading

import httpx
import psutil
import pytest

from tests.e2e.launching import free_port
from tests.servers import Server
from tests.waiting import DEADLINE, wait_until

LONG = "x" * 3500
"""A corpus that does not exist: its name makes the log line long."""


@pytest.fixture
def store(tmp_path):
    server = Server(tmp_path / "s").start()
    yield server
    server.stop()


@pytest.fixture
def unread(store):
    """A `cotag serve` that logs to a pipe: its client, process, and the end of the pipe for reading."""
    port = free_port()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    settings = {"COTAG_REDIS_URL": store.url, "COTAG_PORT": str(port), "COTAG_WEB_WORKERS": "2"}
    process = subprocess.Popen(
        [sys.executable, "-m", "cotag", "serve"], env={**clean, **settings}, stdout=subprocess.PIPE
    )
    alone = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=DEADLINE, trust_env=False, limits=alone) as client:
        wait_until(lambda: alive(client), "the service")
        yield client, process
    if process.poll() is None:
        process.terminate()
        process.wait(DEADLINE)
    process.stdout.close()


def alive(client):
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def dropped(client):
    return float(re.search(r"^cotag_log_lines_dropped_total (\S+)$", client.get("/metrics").text, re.MULTILINE)[1])


def ask(client, count):
    for _ in range(count):
        assert client.get(f"/v1/corpora/{LONG}/cloud").status_code == 404


def lost(lines):
    """How many lines the processes say they lost."""
    events = [json.loads(line)["event"] for line in lines if b"were lost" in line]
    return sum(int(event.split()[0]) for event in events)


def logged(lines):
    return sum(LONG.encode() in line for line in lines)


def test_a_service_whose_log_nobody_reads(unread):
    client, process = unread
    asked = 0
    while dropped(client) < 300:
        ask(client, 100)
        asked += 100
    memory = sum(child.memory_info().rss for child in psutil.Process(process.pid).children())
    ask(client, 4000)
    asked += 4000
    grown = sum(child.memory_info().rss for child in psutil.Process(process.pid).children()) - memory
    assert grown < 7_000_000, "these lines alone have 14 MB; each of two processes may hold 2"

    lines = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout), daemon=True)
    reader.start()
    wait_until(lambda: lost(lines) + logged(lines) == asked, "a line, or a share in those lost, of every request")
    assert lost(lines) == dropped(client)
    assert client.get("/v1/corpora/after/cloud").status_code == 404
    wait_until(lambda: any(b"after" in line for line in lines), "a line of now")
    assert {json.loads(line)["part"] for line in lines} == {"service"}


def test_a_service_whose_log_nobody_reads_ends_when_it_is_told_to(unread):
    client, process = unread
    while dropped(client) < 10:
        ask(client, 100)
    process.terminate()
    assert process.wait(DEADLINE) == 0


def test_a_service_whose_reader_is_gone_answers(unread):
    client, process = unread
    process.stdout.close()
    while dropped(client) < 10:
        ask(client, 100)
    assert client.get("/healthz").status_code == 200
