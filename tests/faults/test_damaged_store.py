"""A damaged append-only file of the embedded store: `cotag up` starts, says so, serves, and heals."""

import hashlib
import shutil
import signal

import httpx
import pytest

from cotag.launcher.salvage import FILES, commands
from snapshot import connect
from snapshot.store import keys
from tests.conftest import topic_documents
from tests.e2e.launching import Up
from tests.faults.reading import Readers
from tests.waiting import DEADLINE, wait_until

KEY = "secret"
SETTINGS = {"COTAG_API_KEYS": hashlib.sha256(KEY.encode()).hexdigest()}
PATH = "/v1/corpora/topics/cloud?q=payment"


@pytest.fixture
def corpora_file(corpora_file):
    """With a second corpus, of pushed documents."""
    pushed = "\n[corpora.pushed]\nsource = { pushed = true }\n"
    corpora_file.write_text(corpora_file.read_text() + pushed)
    return corpora_file


def push(up):
    """Push documents one by one; returns how many were accepted."""
    headers = {"Authorization": f"Bearer {KEY}"}
    with httpx.Client(base_url=up.url, timeout=DEADLINE, trust_env=False, headers=headers) as client:
        wait_until(lambda: client.get("/v1/corpora/pushed").status_code != 404, "the corpus")
        answers = [client.post("/v1/corpora/pushed/documents", json=each) for each in topic_documents(60)]
    assert {answer.status_code // 100 for answer in answers} == {2}
    return len(answers)


def incremental(up):
    return next((up.data / "store" / FILES).glob("*.incr.aof"))


def damage(path):
    """Spoil the beginning of a command in the middle of what was written."""
    data = bytearray(path.read_bytes())
    start = next(start for start, _ in commands(bytes(data)) if start > len(data) // 2)
    data[start : start + 40] = b"\xff" * 40
    path.write_bytes(data)


def stop(up):
    up.process.send_signal(signal.SIGINT)
    assert up.process.wait(DEADLINE) == 0


def test_a_damaged_file_costs_what_was_hit_and_a_run_heals_it(corpora_file, tmp_path):
    with Up(tmp_path / "data", corpora_file, **SETTINGS).ready() as up:
        accepted = push(up)
        stop(up)
    damage(incremental(up))
    with Up(tmp_path / "data", corpora_file, **SETTINGS).ready() as up:
        assert "the append-only file of the store is damaged (Bad file format" in up.output()
        (aside,) = (up.data / "store").glob("damaged-*")
        assert str(aside) in up.output()
        up.everywhere(lambda corpus: corpus["documents"] == 200, "the corpus", "/v1/corpora/topics")
        wait_until(lambda: not up.get("/readyz")["stale"], "a healed store")
        assert connect(up.store_url).hlen(keys.pushed("pushed")) >= accepted - 1


@pytest.mark.parametrize("copy", ["intact", "damaged"])
def test_where_nothing_can_be_read_copies_on_disk_are_served_until_a_run_has_ended(corpora_file, tmp_path, copy):
    """Damaged copies are a 503, and never a 404."""
    with Up(tmp_path / "data", corpora_file).ready() as up:
        version = up.version()
        stop(up)
    for path in (up.data / "store" / FILES).iterdir():
        path.write_bytes(b"\xff" * 1000)
    if copy == "damaged":
        for path in (up.data / "snapshots").glob("*.snapshot"):
            path.write_bytes(b"\xff" * 1000)
    source = tmp_path / "topics.jsonl.gz"
    shutil.move(source, tmp_path / "away")
    with Up(tmp_path / "data", corpora_file) as up:
        wait_until(lambda: "nothing of it can be read" in up.output(), "the message")
        if copy == "intact":
            up.ready()
            assert up.version() == version
        else:
            wait_until(lambda: status(up) is not None, "an answer")
            assert status(up) == 503
        shutil.move(tmp_path / "away", source)
        up.board().request("topics", 5.0)
        wait_until(lambda: status(up) == 200 and up.version() != version, "a new version")


def status(up):
    try:
        return httpx.get(f"{up.url}{PATH}", timeout=DEADLINE, trust_env=False).status_code
    except httpx.TransportError:
        return None


def test_a_file_that_is_damaged_while_everything_runs_is_repaired_when_the_store_starts_again(corpora_file, tmp_path):
    with Up(tmp_path / "data", corpora_file).ready() as up, Readers(up.port, PATH) as readers:
        version = up.version()
        up.written()
        damage(incremental(up))
        before = up.kill("store")
        wait_until(lambda: up.pid("store") not in {before, None}, "a new store")
        wait_until(lambda: "is damaged (Bad file format" in up.output(), "the repair")
        up.everywhere(lambda state: state["store"] and not state["stale"], "a healed store")
        readers.go_on()
        readers.__exit__()
        assert readers.failed == []
        assert up.version() >= version
