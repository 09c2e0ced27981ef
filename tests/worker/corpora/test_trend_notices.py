"""Notices of trends: one for each concept that begins to rise, for those that follow it, once."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from snapshot import SnapshotStore
from tests.clock import Clock
from tests.conftest import TOPICS, topic_documents, write_jsonl
from tests.corpora import read_corpora
from tests.worker.corpora.test_webhooks import SECRET, Receiver
from worker.notices.delivery import Deliverer
from worker.runs.job import run
from worker.runs.rising import rising

NEWEST = datetime(2026, 11, 15, tzinfo=UTC)


@pytest.fixture
def receiver():
    server = Receiver()
    yield server
    server.stop()


@pytest.fixture
def corpus_of(tmp_path, receiver):
    """A corpus of dated documents with a webhook that is told of trends."""

    def declare(documents, concepts=""):
        write_jsonl(tmp_path / "stream.jsonl", documents)
        file = tmp_path / "corpora.toml"
        file.write_text(
            '[corpora.stream]\nmax_loss = 0.9\nsource = { files = "stream.jsonl", fields = { date = "date" } }\n'
            f'[[corpora.stream.webhooks]]\nurl = "{receiver.url}"\nsecret = "{SECRET}"\nevents = ["trend"]\n{concepts}'
        )
        return read_corpora(file)["stream"]

    return declare


def steady():
    """Topics in turn over five weeks."""
    for number, document in enumerate(topic_documents(400)):
        yield {**document, "date": (NEWEST - timedelta(days=number % 35)).date().isoformat()}


def bursting(topic, count=40):
    for number in range(count):
        day = (NEWEST - timedelta(days=number % 7)).date().isoformat()
        yield {"id": f"{topic}{number}", "tags": TOPICS[topic][number % 3 : number % 3 + 4], "date": day}


def told(redis, corpus, receiver):
    """What the receiver is told now."""
    before = len(receiver.got)
    deliverer = Deliverer(redis, lambda: {corpus.name: corpus}, Clock(2e9))
    while deliverer.deliver_next():
        pass
    return [json.loads(body) for _, _, body in receiver.got[before:]]


def concept_of(redis, tag):
    snapshot = SnapshotStore(redis).load("stream", SnapshotStore(redis).current("stream"))
    return snapshot, snapshot.partition.item_ids[snapshot.keys.index(tag)]


def test_a_concept_that_begins_to_rise_is_told_once_with_its_counts(redis, corpus_of, receiver):
    run(corpus_of(steady()), redis, "one")
    corpus = corpus_of([*steady(), *bursting("food")])
    assert told(redis, corpus, receiver) == []
    run(corpus, redis, "two")
    snapshot, food = concept_of(redis, "bread")
    (notice,) = told(redis, corpus, receiver)
    data = notice["data"]
    assert (notice["type"], data["cluster"], data["version"]) == ("trend", food, snapshot.version)
    week = {(NEWEST - timedelta(days=day)).date().isoformat() for day in range(7)}
    recent = sum(each["date"] in week for each in [*steady(), *bursting("food")])
    assert data["documents"] == recent
    assert data["documents"] + data["documents_before"] == 440
    assert data["count"] >= 40
    assert sum(data["series"]) == data["count"] + data["before"]
    assert (data["start"], data["end"]) == ("2026-11-09", "2026-11-16")
    run(corpus_of([*steady(), *bursting("food", 44)]), redis, "three")
    assert told(redis, corpus, receiver) == [], "it rose before"
    assert [rise.cluster for rise in rising(concept_of(redis, "bread")[0].series)] == [food]


def test_only_those_who_follow_a_concept_are_told(redis, corpus_of, receiver):
    run(corpus_of(steady()), redis, "one")
    food = int(concept_of(redis, "bread")[1])
    others = [int(each) for each in concept_of(redis, "rain")[0].partition.ids if each != food]
    corpus = corpus_of([*steady(), *bursting("food")], f"concepts = {others}\n")
    run(corpus, redis, "two")
    assert told(redis, corpus, receiver) == []
    corpus = corpus_of([*steady(), *bursting("food", 39)], f"concepts = [{food}]\n")
    SnapshotStore(redis).activate("stream", SnapshotStore(redis).versions("stream")[-1])
    run(corpus, redis, "three")
    assert [each["data"]["cluster"] for each in told(redis, corpus, receiver)] == [food]


def test_a_first_version_and_one_without_dates_tell_of_nothing(redis, corpus_of, receiver):
    corpus = corpus_of([*steady(), *bursting("food")])
    run(corpus, redis, "one")
    assert told(redis, corpus, receiver) == []
    run(corpus_of(topic_documents(410)), redis, "two")
    assert told(redis, corpus, receiver) == []
