"""The tables of `cotag corpora`, `cotag jobs` and `cotag snapshots`."""

import json
import time

import orjson
import pytest

from cotag.commands.jobs import list_corpora, list_jobs, request_run
from cotag.commands.snapshots import list_versions, show
from cotag.errors import StartError
from snapshot import Alias, CorpusRegister, RegisteredCorpus, RunStatus, SnapshotStore, StatusBoard
from snapshot.store import keys
from snapshot.version.schema import SCHEMA
from tests.clustered import VERSION, clustered, published
from tests.worker.schema_1 import publish_schema_1


def test_the_next_run_is_in_some_time_or_due(redis, capsys):
    now = time.time()
    CorpusRegister(redis).write(
        {
            "late": RegisteredCorpus("late", "Late", "24h", now - 5.0),
            "later": RegisteredCorpus("later", "Later", "24h", now + 5 * 3600 + 12.5 * 60),
        }
    )
    list_corpora(redis, as_json=False)
    late, later = capsys.readouterr().out.splitlines()[1:]
    assert late.split() == ["late", "none", "yet", "every", "24", "hours", "due", "never"]
    assert "in 5 h 12 min" in later


def test_the_start_of_a_job_is_some_time_ago(redis, capsys):
    started = time.time() - 190.0
    StatusBoard(redis).write_job(RunStatus("one", "done", started, started, "topics"))
    list_jobs(redis, as_json=False)
    assert "3 min ago" in capsys.readouterr().out


def publish_later_schema(redis):
    """A version that only a later Cotag can read is current; returns it."""
    corpus, version = publish_schema_1(redis)
    meta = keys.part(corpus, version, "meta")
    redis.set(meta, orjson.dumps(orjson.loads(redis.get(meta)) | {"schema": SCHEMA + 1}))
    return version


def test_a_corpus_whose_version_has_a_later_schema_is_listed_without_its_age(redis, capsys):
    version = publish_later_schema(redis)
    list_corpora(redis, as_json=True)
    (corpus,) = json.loads(capsys.readouterr().out)
    assert (corpus["version"], corpus["age_seconds"]) == (version, None)


def test_versions_of_a_later_schema_are_listed_beside_the_others(redis, capsys):
    publish_later_schema(redis)
    newest = published(clustered()[0].created.replace(hour=13))
    SnapshotStore(redis).publish(newest)
    list_versions(redis, "small", as_json=False)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows[0][:5] == [newest.version, "served", "200", "33", "4"]
    assert rows[1] == [VERSION, "unreadable"]
    assert "schema" in rows[2]
    list_versions(redis, "small", as_json=True)
    newer, older = json.loads(capsys.readouterr().out)
    assert (newer["version"], newer["documents"]) == (newest.version, 200)
    assert f"schema {SCHEMA + 1}" in older["error"]


def test_a_version_is_shown_with_the_other_names_of_its_tags(redis, capsys):
    aliases = (
        Alias("automobile", "car", "synonym", 0),
        Alias("creditcard", "credit card", "spelling", 2),
        Alias("jazz music", "jazz", "synonym", 1),
    )
    SnapshotStore(redis).publish(published(aliases=aliases))
    show(redis, "small", as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[lines.index("other names of tags") + 1 :] == [
        "  car, too rare: automobile (synonym, 0)",
        "  credit card: creditcard (spelling, 2)",
        "  Jazz: jazz music (synonym, 1)",
    ]
    show(redis, "small", as_json=True)
    listed = json.loads(capsys.readouterr().out)["aliases"]
    assert listed[0] == {"name": "automobile", "tag": "car", "how": "synonym", "count": 0}


def test_versions_whose_concepts_mean_little_are_listed_with_a_warning(redis, capsys):
    snapshot = clustered()[0]
    store = SnapshotStore(redis)
    store.publish(published())
    poor = published(snapshot.created.replace(hour=13), quality={**snapshot.quality, "bits": 0.5, "random_bits": 0.49})
    store.publish(poor)
    list_versions(redis, "small", as_json=False)
    headings, newer, older, *warnings = capsys.readouterr().out.splitlines()
    assert "bits beyond random" in headings
    assert " 0.01 " in newer
    assert f" {snapshot.quality['bits'] - max(snapshot.quality['random_bits'], 0):.2f} " in older
    (line,) = warnings
    assert line.startswith(f"{poor.version}: These concepts mean little")
    list_versions(redis, "small", as_json=True)
    assert [each["warning"] is None for each in json.loads(capsys.readouterr().out)] == [False, True]
    show(redis, "small", as_json=False)
    assert "These concepts mean little" in capsys.readouterr().out


def test_a_job_whose_status_makes_no_sense_is_not_followed(redis, monkeypatch):
    CorpusRegister(redis).write({"topics": RegisteredCorpus("topics", "Topics", "24h", 0.0)})
    ask = StatusBoard.request

    def garbled(board, corpus, moment, *, fresh):
        status = ask(board, corpus, moment, fresh=fresh)
        redis.set(keys.job(status.job), b"garbage")
        return status

    monkeypatch.setattr(StatusBoard, "request", garbled)
    with pytest.raises(StartError, match=r"the status of job topics-.* cannot be read"):
        request_run(redis, "topics", wait=True, fresh=False, as_json=True)
