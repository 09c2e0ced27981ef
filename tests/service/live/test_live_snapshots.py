"""The snapshots in memory: follow the store, refuse what cannot be read, survive garbage and a store that is away."""

import time
from dataclasses import asdict, replace
from datetime import timedelta

import orjson
import pytest

from runtime.log_writer import NO_DESCRIPTOR, LogWriter
from service.app import application
from service.errors import NothingServed, UnknownCorpus
from service.live.disk_cache import DiskCache
from service.live.snapshots import LiveSnapshots
from service.view.names import Names
from snapshot import SCHEMA, CorpusRegister, RegisteredCorpus, RunStatus, SnapshotStore, StatusBoard, connect
from snapshot.store import keys
from tests.clustered import NOON, TAGS, published
from tests.service.asking import Served
from tests.waiting import wait_until


@pytest.fixture
def following(redis, redis_url):
    """Snapshots that follow the store from a thread, as in production."""
    client = connect(redis_url)
    live = LiveSnapshots(SnapshotStore(client), StatusBoard(client))
    live.start()
    yield live
    live.stop()


def test_a_new_version_is_taken_up_without_a_restart(following, store):
    live = following
    store.publish(published(NOON))
    wait_until(lambda: "small" in live.views(), "the first version")
    old = live.view("small")
    store.publish(published(NOON + timedelta(minutes=1)))
    wait_until(lambda: live.view("small") is not old, "the next version")
    assert live.view("small").snapshot.version == store.current("small")


def test_a_corpus_that_appears_later_is_taken_up(following, store):
    assert following.views() == {}
    store.publish(published())
    wait_until(lambda: "small" in following.views(), "the corpus")


def test_a_corrupt_version_is_refused_and_the_old_one_stays(redis, store, live):
    held = live.view("small")
    encoded = published(NOON + timedelta(minutes=1))
    store.publish(encoded)
    redis.setrange(keys.part("small", encoded.version, "arrays"), 50, b"damage")
    live.refresh()
    assert live.view("small") is held


def test_a_corrupt_version_is_logged_once_not_every_second(redis, store, live, capsys):
    encoded = published(NOON + timedelta(minutes=1))
    store.publish(encoded)
    redis.setrange(keys.part("small", encoded.version, "arrays"), 50, b"damage")
    for _ in range(3):
        live.refresh()
    assert capsys.readouterr().out.count("snapshot refused") == 1


def test_a_roll_back_is_followed(store, live):
    first = store.current("small")
    store.publish(published(NOON + timedelta(minutes=1)))
    live.refresh()
    store.activate("small", first)
    live.refresh()
    assert live.view("small").snapshot.version == first


def test_without_a_store_nothing_is_served_and_it_says_so(tmp_path):
    client = connect(f"unix://{tmp_path}/nothing.sock", timeout=0.2)
    live = LiveSnapshots(SnapshotStore(client), StatusBoard(client))
    live.start()
    assert live.views() == {}
    assert not live.freshness.connected
    live.stop()


def test_documents_are_never_loaded_into_memory(redis, store, monkeypatch):
    """Memory grows with tags: the part that grows with documents is not even asked for."""
    store.publish(published())
    asked = []
    part = SnapshotStore._part
    monkeypatch.setattr(SnapshotStore, "_part", lambda self, *names: asked.append(names[2]) or part(self, *names))
    LiveSnapshots(store, StatusBoard(redis)).refresh()
    assert asked == ["meta", "arrays"]


def of_schema(encoded, schema):
    """The same version as a Cotag of another schema writes it."""
    return replace(encoded, meta=encoded.meta.replace(b'"schema":%d' % SCHEMA, b'"schema":%d' % schema))


@pytest.fixture
def process(environment, redis, redis_url, monkeypatch):
    """The web process as gunicorn loads it: an HTTP client, and the snapshots, which the test refreshes itself."""
    environment.setenv("COTAG_REDIS_URL", redis_url)
    environment.setenv("COTAG_LOG_FORMAT", "console")
    started = []
    writer = LogWriter(NO_DESCRIPTOR, bytes)
    writer.close()
    monkeypatch.setattr(LiveSnapshots, "start", lambda live: started.append(live) or live.refresh())

    def start():
        client = Served(application(writer)).test_client()
        return client, started[-1]

    return start


@pytest.mark.parametrize("schema", [0, SCHEMA + 1])
def test_a_version_of_another_schema_is_refused_and_counted_and_the_service_goes_on(process, store, capsys, schema):
    first = published(NOON)
    store.publish(first)
    client, live = process()
    store.publish(of_schema(published(NOON + timedelta(minutes=1)), schema))
    for _ in range(3):
        live.refresh()
    assert client.get("/v1/corpora/small/cloud").get_json()["version"] == first.version
    assert live.stale_seconds("small") is not None
    assert 'cotag_snapshots_refused_total{corpus="small",reason="schema"} 1.0' in client.get("/metrics").text
    assert capsys.readouterr().out.count(f"schema {schema}; this Cotag reads schemas 1 to {SCHEMA}") == 1
    store.publish(published(NOON + timedelta(minutes=2)))
    live.refresh()
    assert live.view("small").snapshot.version == store.current("small")
    assert live.stale_seconds("small") is None


def test_a_service_that_finds_only_versions_of_another_schema_waits_for_the_next_run(process, store, redis):
    CorpusRegister(redis).write({"small": RegisteredCorpus("small", "A small corpus", "24h", 1.8e9)})
    store.publish(of_schema(published(NOON), SCHEMA - 1))
    client, live = process()
    assert client.get("/readyz").status_code == client.get("/v1/corpora/small/cloud").status_code == 503
    assert client.get("/ops").status_code == 200
    store.publish(published(NOON + timedelta(minutes=1)))
    live.refresh()
    assert client.get("/v1/corpora/small/cloud").status_code == 200


GARBLED = [
    b"",
    b"not json",
    b"\xff\xfe",
    b"null",
    b"[]",
    b'{"unknown": 1}',
    b'{"job": "a", "state": "no such state", "started": 1, "updated": 2}',
    b'{"name": "small", "title": null, "schedule": "1h", "next_run": 1}',
]


@pytest.mark.parametrize("record", GARBLED)
def test_unreadable_records_are_logged_once_counted_once_and_skipped(process, store, redis, *, capsys, record):
    store.publish(published(NOON))
    CorpusRegister(redis).write({"small": RegisteredCorpus("small", "A small corpus", "24h", 1.8e9)})
    redis.hset(keys.DECLARED, "other", record)
    redis.set(keys.run("small"), record)
    client, live = process()
    store.publish(published(NOON + timedelta(minutes=1)))
    for _ in range(3):
        live.refresh()
    assert live.view("small").snapshot.version == store.current("small")
    assert live.status("small") is None
    assert set(live.declarations()) == {"small"}
    found = client.get("/v1/corpora/small").get_json()
    assert (found["run"], found["schedule"]) == (None, "24h")
    text = client.get("/metrics").text
    assert 'cotag_bad_records_total{kind="RunStatus"} 1.0' in text
    assert 'cotag_bad_records_total{kind="RegisteredCorpus"} 1.0' in text
    log = capsys.readouterr().out
    assert log.count("unreadable record") == 2
    assert log.count(keys.run("small")) == log.count(f"{keys.DECLARED} other") == 1
    StatusBoard(redis).write("small", RunStatus("job", "running", 1.0, 2.0))
    live.refresh()
    assert live.status("small").job == "job"


def test_an_unreadable_record_of_a_job_is_counted_and_is_no_job(process, redis):
    redis.set(keys.job("small-1"), b"not json")
    client, _ = process()
    assert client.get("/v1/jobs/small-1").status_code == 404
    assert 'cotag_bad_records_total{kind="RunStatus"} 1.0' in client.get("/metrics").text


def test_records_with_fields_of_a_newer_writer_are_read(process, store, redis, capsys):
    store.publish(published(NOON))
    status = RunStatus("job", "running", 1.0, 2.0, "small", stage="smooth", done=1, total=3)
    corpus = RegisteredCorpus("small", "A small corpus", "24h", 1.8e9)
    redis.set(keys.run("small"), orjson.dumps({**asdict(status), "priority": 7}))
    redis.hset(keys.DECLARED, "small", orjson.dumps({**asdict(corpus), "owner": {"name": "somebody"}}))
    client, live = process()
    assert live.status("small") == status
    assert live.declared("small") == corpus
    found = client.get("/v1/corpora/small").get_json()
    assert (found["run"]["stage"], found["schedule"]) == ("smooth", "24h")
    assert "cotag_bad_records_total{" not in client.get("/metrics").text
    assert "unreadable record" not in capsys.readouterr().out


def test_the_disk_cache_is_served_until_the_store_answers(redis, store, tmp_path):
    store.publish(published())
    LiveSnapshots(store, StatusBoard(redis), disk_cache=DiskCache(tmp_path)).refresh()
    gone = connect(f"unix://{tmp_path}/gone.sock", timeout=0.2)
    now = time.time()  # a clock that stands still: how long the test takes decides nothing
    live = LiveSnapshots(SnapshotStore(gone), StatusBoard(gone), clock=lambda: now, disk_cache=DiskCache(tmp_path))
    live._try_refresh()
    live._load_disk_cache()
    assert live.view("small").snapshot.names == tuple(TAGS)
    assert live.stale_seconds("small") is not None
    live._store, live._board = store, StatusBoard(redis)
    live.refresh()
    assert live.stale_seconds("small") is None


def test_files_of_the_disk_cache_that_are_damaged_or_of_another_schema_or_corpus_are_refused(tmp_path):
    encoded = published()
    cache = DiskCache(tmp_path)
    cache.write("a/b", encoded.meta, encoded.arrays)
    assert [path.name for path in tmp_path.iterdir()] == ["a%2Fb.snapshot"]
    assert list(cache.read()) == []
    cache.write("small", encoded.meta, encoded.arrays)
    path = tmp_path / "small.snapshot"
    blob = path.read_bytes()
    for damaged in (b"", blob[:5], blob[:-1], blob[:100] + bytes([blob[100] ^ 1]) + blob[101:], b"\xff" * 8 + blob[8:]):
        path.write_bytes(damaged)
        assert list(cache.read()) == []
    cache.write("small", of_schema(encoded, SCHEMA + 1).meta, encoded.arrays)
    assert list(cache.read()) == []
    path.write_bytes(blob)
    assert [copy.snapshot.corpus for copy in cache.read()] == ["small"]


def test_a_disk_that_cannot_be_written_does_no_harm(tmp_path):
    encoded = published()
    (tmp_path / "file").write_text("")
    DiskCache(tmp_path / "file").write("small", encoded.meta, encoded.arrays)


def test_corpora_that_are_no_longer_declared_are_served_unless_told_otherwise(redis, store, tmp_path):
    store.publish(published())
    register = CorpusRegister(redis)
    register.write({"small": RegisteredCorpus("small", "Small", "24h", 1.8e9)})
    strict = LiveSnapshots(store, StatusBoard(redis), register=register, undeclared=False)
    lenient = LiveSnapshots(store, StatusBoard(redis), register=register)
    for live in (strict, lenient):
        live.refresh()
        assert list(live.views()) == ["small"]
    edition = strict.edition
    register.write({"other": RegisteredCorpus("other", "Other", "24h", 1.8e9)})
    for live in (strict, lenient):
        live.refresh()
    assert list(lenient.views()) == ["small"]
    assert strict.views() == {}
    assert strict.edition > edition
    assert store.current("small"), "its data stays"
    register.write({"small": RegisteredCorpus("small", "Small", "24h", 1.8e9)})
    strict.refresh()
    assert list(strict.views()) == ["small"]


def test_a_copy_on_disk_of_a_corpus_that_is_no_longer_declared_is_not_served(redis, store, tmp_path):
    store.publish(published())
    LiveSnapshots(store, StatusBoard(redis), disk_cache=DiskCache(tmp_path)).refresh()
    live = LiveSnapshots(
        store, StatusBoard(redis), register=CorpusRegister(redis), disk_cache=DiskCache(tmp_path), undeclared=False
    )
    live.start()
    assert live.views() == {}
    live.stop()


def test_a_store_that_lost_everything_takes_nothing_away(redis, store):
    """Neither the snapshots nor what is declared: an empty register is none."""
    store.publish(published())
    register = CorpusRegister(redis)
    register.write({"small": RegisteredCorpus("small", "Small", "1h", 5.0)})
    live = LiveSnapshots(store, StatusBoard(redis), register=register, undeclared=False)
    live.refresh()
    redis.flushall()
    live.refresh()
    assert list(live.views()) == list(live.declarations()) == ["small"]
    assert live.stale_seconds("small") is not None


@pytest.mark.parametrize("damage", ["bytes", "contradiction"])
def test_a_damaged_copy_is_a_503_and_not_a_404(redis, store, tmp_path, monkeypatch, damage):
    """Though the store answers and knows nothing of the corpus."""
    encoded = published()
    DiskCache(tmp_path).write("small", encoded.meta, encoded.arrays)
    (file,) = tmp_path.glob("*.snapshot")
    if damage == "bytes":
        file.write_bytes(file.read_bytes()[:-20])
    else:
        monkeypatch.setattr(Names, "__init__", lambda *_: {}["tag"])
    for undeclared in (False, True) if damage == "bytes" else (True,):
        live = LiveSnapshots(
            store,
            StatusBoard(redis),
            register=CorpusRegister(redis),
            disk_cache=DiskCache(tmp_path),
            undeclared=undeclared,
        )
        live.refresh()
        live._load_disk_cache()
        with pytest.raises(NothingServed, match="the copy on disk cannot be read") as caught:
            live.view("small")
        assert caught.value.absence.reason == "unreadable"
        with pytest.raises(UnknownCorpus):
            live.view("other")
    live._undeclared = False
    CorpusRegister(redis).write({"other": RegisteredCorpus("other", "Other", "1h", 5.0)})
    live.refresh()
    with pytest.raises(UnknownCorpus):
        live.view("small")
