"""A full file system below a running `cotag up`: nothing ends, no read fails, and no accepted document is lost."""

import hashlib
import subprocess
from contextlib import suppress

import httpx
import pytest

from snapshot import StoreUnavailable, connect
from snapshot.store import keys
from tests.conftest import topic_documents
from tests.e2e.launching import Up
from tests.faults.reading import Readers
from tests.needs import missing
from tests.waiting import DEADLINE, wait_until

KEY = "secret"
PATH = "/v1/corpora/topics/cloud?q=payment"


@pytest.fixture
def disk(tmp_path):
    """A small file system of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=32m,mode=0700", "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode != 0:
        missing("a user who may mount a file system")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk):
    with (disk / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)


def test_a_full_disk_is_survived_by_all_parts(corpora_file, disk):
    """Pushes are refused while it is full. When there is room again, they are accepted and a run is published."""
    corpora_file.write_text(corpora_file.read_text() + "\n[corpora.live]\nsource = { pushed = true }\n")
    settings = {"COTAG_API_KEYS": hashlib.sha256(KEY.encode()).hexdigest()}
    documents = iter(topic_documents(100_000))
    accepted = set()
    with Up(disk, corpora_file, **settings).ready() as up, Readers(up.port, PATH) as readers:
        headers = {"Authorization": f"Bearer {KEY}"}
        client = httpx.Client(base_url=up.url, timeout=DEADLINE, trust_env=False, headers=headers)

        def push():
            document = {**next(documents), "label": "x" * 400}
            status = client.post("/v1/corpora/live/documents", json=[document]).status_code
            if status < 300:
                accepted.add(document["id"].encode())
            return status

        with client:
            wait_until(lambda: push() < 300, "an accepted push")
            before = {session.name: session.pid for session in up.sessions()}
            fill(disk)
            wait_until(lambda: push() == 503, "a refused push")
            with pytest.raises(StoreUnavailable):
                up.board().request("topics", 5.0)
            readers.go_on()
            (disk / "filler").unlink()
            wait_until(lambda: push() < 300, "an accepted push")
            asked = up.board().request("topics", 6.0).job
            wait_until(lambda: (run := up.board().job(asked)) and run.state in {"done", "unchanged"}, "a run")
        readers.__exit__()
        assert readers.failed == []
        assert up.pid("service") == before["service"]
        assert up.process.poll() is None
        assert accepted <= set(connect(up.store_url).hkeys(keys.pushed("live")))
        up.kill("store")
        up.everywhere(lambda state: state["store"], "the store")
        assert accepted <= set(connect(up.store_url).hkeys(keys.pushed("live")))
