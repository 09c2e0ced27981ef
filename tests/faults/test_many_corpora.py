"""Sixty corpora at rest: how many commands service and scheduler send does not depend on how many corpora there are."""

import pytest

from service.live.snapshots import LiveSnapshots
from snapshot import (
    CorpusRegister,
    Heartbeats,
    RunStatus,
    SnapshotStore,
    StatusBoard,
    Turn,
    encode_record,
)
from snapshot.store import keys
from snapshot.store.edits import EditStore
from tests.clustered import NOON, published
from tests.conftest import topic_documents, write_jsonl
from tests.service.asking import Served
from worker.corpora.declaration import read_sections
from worker.runs.scheduler import Scheduler

MANY = 60
MOST_COMMANDS = 14
"""Of one round of the service, or of the scheduler."""


def sent(redis, action):
    """How many commands the store ran for an action."""

    def count():
        return sum(each["calls"] for name, each in redis.info("commandstats").items() if name != "cmdstat_info")

    before = count()
    action()
    return count() - before


@pytest.fixture
def declared(redis, tmp_path):
    """Sixty corpora that were published and are not due."""
    write_jsonl(tmp_path / "topics.jsonl", topic_documents())
    names = [f"corpus{number}" for number in range(MANY)]
    file = tmp_path / "corpora.toml"
    file.write_text("".join(f'[corpora.{name}]\nsource = "topics.jsonl"\nschedule = "24h"\n' for name in names))
    store, board, moment = SnapshotStore(redis), StatusBoard(redis), NOON.timestamp()
    for name, corpus in read_sections(file).corpora.items():
        store.publish(published(corpus=name))
        board.write(name, RunStatus(f"{name}-0", "done", moment, moment, name))
        redis.set(keys.schedule(name), encode_record(Turn(moment, corpus.digest())))
    return file


def live_service(redis):
    return LiveSnapshots(
        SnapshotStore(redis),
        StatusBoard(redis),
        register=CorpusRegister(redis),
        heartbeats=Heartbeats(redis),
        edits=EditStore(redis),
    )


def test_an_idle_service_and_scheduler_send_few_commands(redis, declared):
    scheduler = Scheduler(redis, declared, clock=lambda: NOON.timestamp() + 60)
    assert scheduler.tick() == []
    live = live_service(redis)
    live.refresh()
    assert len(live.views()) == MANY
    assert sent(redis, live.refresh) <= MOST_COMMANDS
    assert sent(redis, scheduler.tick) <= MOST_COMMANDS


def test_a_corpus_that_is_due_among_many_is_queued_once(redis, declared):
    scheduler = Scheduler(redis, declared, clock=lambda: NOON.timestamp() + 60)
    scheduler.tick()
    redis.delete(keys.schedule("corpus7"))
    assert scheduler.tick() == ["corpus7"]
    assert scheduler.tick() == []


def test_changes_announced_together_are_told_once(redis):
    announcements = SnapshotStore(redis).announcements(wait=0.01)
    assert next(announcements) is None
    for number in range(MANY):
        EditStore(redis).declare(f"corpus{number}", [])
    assert next(announcements) is not None
    assert next(announcements) is None


def test_the_operators_page_shows_25_corpora_at_a_time(redis, declared):
    from service.app import create_gateway
    from service.settings import ServiceSettings
    from service.web.metrics import Metrics

    Scheduler(redis, declared, clock=lambda: NOON.timestamp() + 60).tick()
    moment = NOON.timestamp()
    StatusBoard(redis).write("corpus9", RunStatus("corpus9-1", "failed", moment, moment, "corpus9", error="E: secret"))
    live = live_service(redis)
    live.refresh()
    client = Served(create_gateway(live, redis, ServiceSettings(), Metrics())).test_client()
    pages = [client.get(f"/ops?page={number}").text for number in (1, 2, 3)]
    assert [page.count('<section class="corpus"') for page in pages] == [25, 25, 10]
    assert "Corpora 26 to 50 of 60" in pages[1]
    assert 'href="/ops?page=3" rel="next"' in pages[1]
    assert 'href="/ops?page=3#corpus-corpus9">corpus9</a>' in pages[0]  # what failed is told on every page
    assert "secret" not in pages[0]
    shown = {name for name in live.views() for page in pages if f'id="corpus-{name}"' in page}
    assert shown == set(live.views())
    for wrong in ("0", "99", "-1", "x", "²"):
        assert client.get(f"/ops?page={wrong}").status_code == 200
