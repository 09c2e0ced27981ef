"""Cotag as SECURITY.md hardens it: real processes, each with the user that the document gives it, over TLS."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from cotag.launcher.store_server import server_binary, wait_for_store
from snapshot import StatusBoard, connect
from tests.e2e.launching import free_port
from tests.faults.test_store_urls import redis_binary
from tests.faults.test_worker_store import ended
from tests.tls import certificate, tls_proxy
from tests.waiting import DEADLINE, wait_until

ROOT = Path(__file__).parents[2]
RULES = [line for line in (ROOT / "SECURITY.md").read_text().splitlines() if line.startswith("user ")]


@pytest.fixture(params=["redis", "valkey"])
def urls(request, tmp_path_factory):
    """A server that knows the users of SECURITY.md and nobody else, reached by TLS alone; the URL of each user."""
    binary = server_binary() if request.param == "valkey" else redis_binary()
    folder = tmp_path_factory.mktemp("s")
    files, path, tls_port = certificate(folder), folder / "store.sock", free_port()
    users = folder / "users.acl"
    users.write_text("\n".join([*RULES, "user default off"]) + "\n")
    command = [
        *(binary, "--port", "0", "--unixsocket", str(path), "--aclfile", str(users), "--dir", str(folder)),
        *("--appendonly", "yes", "--save", "", "--logfile", str(folder / "log")),
    ]
    with ExitStack() as stack:
        if request.param == "redis":
            own = ("--tls-cert-file", str(files[0]), "--tls-key-file", str(files[1]), "--tls-auth-clients", "no")
            command += ["--tls-port", str(tls_port), *own]
        else:  # the wheel's server is built without TLS
            tls_port = stack.enter_context(tls_proxy(files, path))
        process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        stack.callback(process.kill)
        found = {
            name: f"rediss://cotag-{name}:{name.upper()}@127.0.0.1:{tls_port}/0?ssl_ca_certs={files[0]}"
            for name in ("writer", "reader")
        }
        wait_for_store(found["writer"], give_up=lambda: process.poll() is not None)
        yield found


@pytest.fixture
def start(tmp_path):
    """Starts commands of Cotag; their log is in a file of their name."""
    with ExitStack() as stack:

        def started(name, url, **settings):
            clean = {key: value for key, value in os.environ.items() if not key.startswith("COTAG_")}
            log = stack.enter_context((tmp_path / f"{name}.log").open("w"))
            process = subprocess.Popen(
                [sys.executable, "-m", "cotag", name],
                env={**clean, "COTAG_REDIS_URL": url, **settings},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            stack.callback(process.wait, DEADLINE)
            stack.callback(process.terminate)
            return process

        yield started


def test_every_part_runs_with_the_user_that_the_document_gives_it(urls, start, corpora_file, tmp_path):
    """From the corpora file with edits to the answer over HTTP; the service may only read, and has the edits."""
    corpora_file.write_text(corpora_file.read_text() + 'move = {"rain" = "snow"}\n')
    port = free_port()
    start("scheduler", urls["writer"], COTAG_CORPORA=str(corpora_file))
    start("worker", urls["writer"], COTAG_CORPORA=str(corpora_file))
    start("serve", urls["reader"], COTAG_PORT=str(port), COTAG_WEB_WORKERS="1")
    redis = connect(urls["writer"])
    wait_until(lambda: (status := StatusBoard(redis).read("topics")) and ended(redis, status.job), "the first run")

    def answered():
        try:
            answer = httpx.get(f"http://127.0.0.1:{port}/v1/corpora/topics/clusters", timeout=5)
        except httpx.TransportError:
            return None
        return answer if answer.status_code == 200 and int(answer.headers["Cotag-Revision"]) > 0 else None

    wait_until(answered, "an answer with the edits", pause=0.2)
    assert httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200
    for name in ("scheduler", "worker", "serve"):
        text = (tmp_path / f"{name}.log").read_text()
        assert "permissions" not in text, name
        assert "Traceback" not in text, name
