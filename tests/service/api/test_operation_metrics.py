"""What the service tells Prometheus about runs, queue, workers and the store."""

import math
import time

import pytest

from service.api.operation_metrics import operating_metrics
from service.live.snapshots import LiveSnapshots
from snapshot import CorpusRegister, RegisteredCorpus, RunStatus, SnapshotStore, StatusBoard, connect
from snapshot.store.operation.counters import count_run
from tests.clustered import NOON, VERSION
from tests.service.heartbeats import write_heartbeats
from worker.runs.outcome import SUCCESSES

NOW = NOON.timestamp() + 3600


@pytest.fixture
def read(live):
    """The samples of a scrape an hour after noon, by name and labels."""

    def read():
        live.refresh()
        return samples(live)

    return read


def samples(live):
    families = operating_metrics(live, NOW).collect()
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


def test_a_served_corpus_has_version_age_and_bytes_and_one_without_a_snapshot_is_infinitely_old(read):
    found = read()
    assert found["cotag_snapshot_info", "small", VERSION] == 1.0
    assert found["cotag_snapshot_age_seconds", "small"] == 3600.0
    assert found["cotag_snapshot_age_seconds", "pushed"] == math.inf
    assert found["cotag_index_bytes", "small"] > 1000


def test_queued_and_requested_runs_wait_and_the_first_of_them_has_an_age(read, redis):
    assert (read()["cotag_queue_length",], read()["cotag_queue_age_seconds",]) == (0, 0)
    board = StatusBoard(redis)
    board.write("small", RunStatus("small-1", "queued", NOW - 90, NOW - 90))
    board.request("pushed", NOW - 30)
    assert (read()["cotag_queue_length",], read()["cotag_queue_age_seconds",]) == (2, 90)
    board.write("small", RunStatus("small-1", "running", NOW - 5, NOW))
    assert (read()["cotag_queue_length",], read()["cotag_queue_age_seconds",]) == (1, 30)


def test_a_run_under_way_tells_its_stage_and_how_long_it_takes(read, redis):
    write_heartbeats(redis, job="small-1")
    StatusBoard(redis).write("small", RunStatus("small-1", "running", NOW - 70, NOW - 40, stage="relate"))
    found = read()
    assert found["cotag_run_seconds", "small", "relate"] == 70
    assert found["cotag_last_run", "small", "running"] == 1
    assert (found["cotag_workers",], found["cotag_workers_busy",], found["cotag_schedulers",]) == (1, 1, 1)


def test_a_run_that_died_is_not_under_way(read, redis):
    write_heartbeats(redis)
    StatusBoard(redis).write("small", RunStatus("small-1", "running", NOW - 70, NOW - 40, stage="relate"))
    found = read()
    assert ("cotag_run_seconds", "small", "relate") not in found
    assert found["cotag_workers_busy",] == 0


def test_the_last_success_is_remembered_through_failures_and_held_runs(read, redis):
    assert read()["cotag_last_success_timestamp_seconds", "small"] == 0
    for moment, state in ((10.0, "done"), (20.0, "unchanged"), (30.0, "held"), (40.0, "failed")):
        succeeded = state in SUCCESSES
        count_run(redis, "small", state, {}, succeeded=succeeded, clock=lambda moment=moment: moment)
    StatusBoard(redis).write("small", RunStatus("small-1", "failed", NOW, NOW))
    found = read()
    assert found["cotag_last_success_timestamp_seconds", "small"] == 20.0
    assert found["cotag_last_run", "small", "failed"] == 1


def test_a_run_that_nobody_queued_is_overdue(read, redis):
    CorpusRegister(redis).write(
        {
            "small": RegisteredCorpus("small", "Small", "1h", NOW - 120),
            "pushed": RegisteredCorpus("pushed", "Pushed", "1h", NOW + 5),
        }
    )
    found = read()
    assert found["cotag_overdue_seconds", "small"] == 120
    assert found["cotag_overdue_seconds", "pushed"] == 0


def test_while_the_store_is_away_only_what_this_process_serves_is_known(live):
    assert samples(live)["cotag_store_up",] == 1
    live._note_outage(OSError("gone"))
    found = samples(live)
    assert found["cotag_store_up",] == 0
    assert {name for name, *_ in found} == {
        "cotag_store_up",
        "cotag_snapshot_info",
        "cotag_snapshot_age_seconds",
        "cotag_index_bytes",
    }


def test_records_that_make_no_sense_do_not_stop_the_service(redis, store):
    redis.hset("cotag:successes", "small", "yesterday")
    redis.lpush("cotag:requests", b"garbage")
    live = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis))
    live.refresh()
    assert (live.state.operating.successes, live.state.operating.requested) == ({}, ())
    redis.delete("cotag:successes", "cotag:requests")
    redis.set("cotag:successes", "x")
    redis.set("cotag:requests", "x")
    live.refresh()
    assert (live.state.operating.successes, live.state.operating.requested) == ({}, ())


def test_a_corpus_without_a_snapshot_is_not_ready_though_others_are(client):
    """A load balancer that asks for one corpus gets the truth about it."""
    everything = client.get("/readyz")
    assert (everything.status_code, everything.json["missing"]) == (200, {"pushed": "no-scheduler"})
    assert client.get("/readyz?corpus=small").json["corpora"] == {"small": VERSION}
    missing = client.get("/readyz?corpus=pushed")
    assert (missing.status_code, missing.json["ready"], missing.json["corpora"]) == (503, False, {})
    assert client.get("/readyz?corpus=nothing").status_code == 404


def test_a_service_whose_store_is_away_at_its_start_says_so(redis_url):
    away = connect("unix:///nowhere/store.sock", timeout=0.1)
    live = LiveSnapshots(SnapshotStore(away), StatusBoard(away))
    live._try_refresh()
    assert operating_metrics(live, time.time()) is not None
    assert samples(live) == {("cotag_store_up",): 0.0}
