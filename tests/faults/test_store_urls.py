"""COTAG_REDIS_URL with password, TLS, Unix socket and database number, with a real redis-server and a real Valkey."""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack

import pytest

from cotag.launcher.store_server import server_binary, wait_for_store
from service.live.snapshots import LiveSnapshots
from snapshot import PushedDocument, PushedDocuments, SnapshotStore, StatusBoard, StoreUnavailable, connect
from snapshot.store import keys
from snapshot.store.health.confirmation import confirmation_warning
from tests.clustered import published
from tests.e2e.launching import free_port
from tests.needs import missing
from tests.tls import certificate, tls_proxy

PASSWORD, ENCODED = "p@ss/word:1", "p%40ss%2Fword%3A1"
WAYS = ["password", "database", "unix", "tls"]


def redis_binary():
    return shutil.which("redis-server") or missing("redis-server (apt-get install redis-server)")


@pytest.fixture(params=["valkey", "redis"])
def server(request, tmp_path_factory):
    """A server with a password, on a port, on a Unix socket and with TLS; the URLs of each way to it."""
    binary = server_binary() if request.param == "valkey" else redis_binary()
    folder = tmp_path_factory.mktemp("s")
    port, files = free_port(), certificate(folder)
    path = folder / "store.sock"
    command = [
        *(binary, "--bind", "127.0.0.1", "--port", str(port), "--unixsocket", str(path), "--requirepass", PASSWORD),
        *("--dir", str(folder), "--appendonly", "yes", "--save", "", "--logfile", str(folder / "log")),
    ]
    with ExitStack() as stack:
        if request.param == "redis":
            tls_port = free_port()
            own = ("--tls-cert-file", str(files[0]), "--tls-key-file", str(files[1]), "--tls-auth-clients", "no")
            command += ["--tls-port", str(tls_port), *own]
        else:  # the wheel's server is built without TLS
            tls_port = stack.enter_context(tls_proxy(files, path))
        process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        stack.callback(process.kill)
        wait_for_store(f"redis://:{ENCODED}@127.0.0.1:{port}/0", give_up=lambda: process.poll() is not None)
        yield {
            "kind": request.param,
            "password": f"redis://default:{ENCODED}@127.0.0.1:{port}",
            "database": f"redis://:{ENCODED}@127.0.0.1:{port}/3",
            "unix": f"unix://:{ENCODED}@{path}?db=3",
            "tls": f"rediss://:{ENCODED}@127.0.0.1:{tls_port}/3?ssl_ca_certs={files[0]}",
            "no password": f"redis://127.0.0.1:{port}",
            "unknown certificate": f"rediss://:{ENCODED}@127.0.0.1:{tls_port}/3",
        }


def test_a_version_is_published_and_served_whichever_way_leads_to_the_store(server):
    """Each way once: what is written is in the database that the URL names, and in no other."""
    raw = {number: connect(server["database"].replace("/3", f"/{number}")) for number in (0, 3)}
    for way in WAYS:
        for client in raw.values():
            client.flushdb()
        redis = connect(server[way])
        SnapshotStore(redis).publish(published())
        PushedDocuments(redis, "live").put([PushedDocument("a", ["x"])])
        live = LiveSnapshots(SnapshotStore(connect(server[way])), StatusBoard(redis))
        live.refresh()
        assert list(live.views()) == ["small"]
        holds = {number: bool(client.exists(keys.current("small"))) for number, client in raw.items()}
        assert holds == {0: way == "password", 3: way != "password"}
        environment = {**os.environ, "COTAG_REDIS_URL": server[way]}
        subprocess.run([sys.executable, "-m", "cotag", "ping"], env=environment, check=True)


def test_a_wrong_way_is_refused_with_its_reason(server):
    for way, reason in (("no password", "(?i)authenticat"), ("unknown certificate", "certificate verify")):
        with pytest.raises(StoreUnavailable, match=reason):
            SnapshotStore(connect(server[way])).current("topics")


def test_a_server_without_waitaof_is_named(server):
    warning = confirmation_warning(connect(server["unix"]))
    if server["kind"] == "valkey":
        assert warning is None
    else:  # Debian's redis-server may be older than 7.2
        info = connect(server["unix"]).info("server")["redis_version"]
        older = tuple(map(int, info.split(".")[:2])) < (7, 2)
        assert (warning is not None) == older
        assert not older or "WAITAOF" in warning
