"""Series by day and week: counted exactly, and going on when the source drops documents and concepts change."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np

from snapshot import (
    ClusterLineage,
    DailyCounts,
    Lineage,
    PushedDocument,
    PushedDocuments,
    Series,
    SnapshotStore,
    continued,
)
from snapshot.version.documents import series as bounds
from snapshot.version.documents.erasure import without_documents
from snapshot.version.documents.series import DAY, WEEK, counted_series
from tests.clustered import NOON
from tests.conftest import topic_documents, write_jsonl
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.continuity.series import heirs
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.runs.job import run

NEWEST = datetime(2026, 11, 15, tzinfo=UTC)


def dated(number):
    """The day of a document, from the epoch; every ninth has none."""
    return None if number % 9 == 4 else int((NEWEST - timedelta(days=number % 40)).timestamp()) // DAY


def documents(among=lambda _: True):
    """Topics over 40 days, and rare tags; those of chosen days, and those without a day."""
    for number, document in enumerate(topic_documents(400)):
        day = dated(number)
        if day is not None and not among(day):
            continue
        shown = {} if day is None else {"date": datetime.fromtimestamp(day * DAY, UTC).date().isoformat()}
        rare = [f"rare{number % 97}"] if number % 11 == 0 else []
        yield {**document, "tags": [*document["tags"], *rare], **shown}


def version(folder, listed, previous=None, **declared):
    """What the real worker makes of some documents."""
    path = write_jsonl(folder / "dated.jsonl", listed)
    source = {"files": path.name, "fields": {"date": "date"}}
    corpus = Corpus(**{"name": "dated", "title": "Dated", "source": source, "path": path, **declared})
    stages = Stages(lambda *_: None)
    tagged, notes = load_documents(corpus, stages)
    return cluster(corpus, tagged, NOON, stages, previous=previous, notes=notes)


def plain(snapshot, table):
    """The same counts, one by one."""
    days, concepts, tags = Counter(), Counter(), Counter()
    for position, seconds in enumerate(table.dates.tolist()):
        if seconds < 0:
            continue
        day = seconds // DAY
        days[day, 0] += 1
        place = int(table.concepts[position])
        if place < len(snapshot.clusters):
            concepts[day, snapshot.clusters[place].id] += 1
        for tag in table.index.tags_of(position).tolist():
            tags[day if tag < len(snapshot.names) else day // WEEK * WEEK, tag] += 1
    return days, concepts, tags


def as_dict(counts):
    pairs = zip(counts.days.tolist(), counts.things.tolist(), strict=True)
    return dict(zip(pairs, counts.counts.tolist(), strict=True))


def test_a_series_counts_documents_by_day_and_rare_tags_by_week(tmp_path):
    snapshot, made = version(tmp_path, documents())
    counted = plain(snapshot, made.table)
    series = snapshot.series
    for found, expected in zip((series.documents, series.concepts, series.tags), counted, strict=True):
        assert as_dict(found) == dict(expected)
    assert len(snapshot.tail) > 0
    assert any(tag >= len(snapshot.names) for tag in series.tags.things.tolist())
    assert series.since == min(day for day, _ in counted[0])
    assert not series.past.any


def test_days_that_the_source_drops_stay_in_the_series_under_the_same_concepts(tmp_path):
    """Counts of the kept days are those of a plain count; of the dropped days, those of the version before."""
    first, made = version(tmp_path, documents())
    horizon = int(NEWEST.timestamp()) // DAY - 20
    second, kept = version(tmp_path, documents(lambda day: day >= horizon), PreviousVersion(first, made))
    assert second.series.since == horizon
    assert set(second.partition.ids) == set(first.partition.ids)
    days, concepts, _ = plain(second, kept.table)
    for found, expected in ((second.series.documents, days), (second.series.concepts, concepts)):
        recent = {pair: count for pair, count in as_dict(found).items() if pair[0] >= horizon}
        assert recent == dict(expected)
    before = {pair: count for pair, count in as_dict(first.series.concepts).items() if pair[0] < horizon}
    assert as_dict(second.series.past.concepts) == before
    names = first.keys + first.tail.keys
    names_now = second.keys + second.tail.keys
    head = {
        (day, names_now[tag]): n
        for (day, tag), n in as_dict(second.series.past.tags).items()
        if tag < len(second.names)
    }
    assert head == {
        (day, names[tag]): n
        for (day, tag), n in as_dict(first.series.tags).items()
        if day < horizon and tag < len(first.names) and names[tag] in second.keys
    }


def test_a_purged_document_leaves_the_series(tmp_path):
    snapshot, made = version(tmp_path, documents())
    gone = {"d0", "d11", "d33"}
    erased = without_documents(snapshot, made, gone, {})
    expected = counted_series(erased.documents.table, erased.snapshot.partition.ids, len(erased.snapshot.names))
    for name in ("documents", "concepts", "tags"):
        assert as_dict(getattr(erased.snapshot.series, name)) == as_dict(getattr(expected, name)), name
    assert sum(expected.documents.counts) == sum(snapshot.series.documents.counts) - len(gone)


def test_the_past_of_merged_and_split_concepts_goes_to_those_that_took_their_tags():
    kept, merged = ClusterLineage((1, 2), "merged"), ClusterLineage((3,), "split")
    lineage = Lineage(1.0, {1: kept, 7: merged, 9: ClusterLineage((3,), "split")}, (2, 3), 0.0, 10, "x", 0)
    assert heirs(lineage, (1, 7, 9)) == {1: 1, 2: 1, 3: 7, 7: 7, 9: 9}
    old = DailyCounts(*(np.array(part, dtype=np.int32) for part in ([5, 5, 6], [1, 2, 4], [2, 3, 9])))
    one = DailyCounts(*(np.array(part, dtype=np.int32) for part in ([5], [0], [14])))
    now = DailyCounts(*(np.array(part, dtype=np.int32) for part in ([8], [1], [1])))
    found = continued(
        Series(8, now, now, DailyCounts()),
        Series(5, one, old, DailyCounts()),
        {1: 1, 2: 1},
        np.empty(0, dtype=np.int64),
    )
    assert as_dict(found.concepts) == {(5, 1): 5, (8, 1): 1}
    assert as_dict(found.past.concepts) == {(5, 1): 5}


def test_a_series_is_bounded_in_days_and_in_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "DAYS", 10)
    monkeypatch.setattr(bounds, "MOST_COUNTS", 50)
    snapshot, _ = version(tmp_path, documents())
    newest = snapshot.series.newest
    assert snapshot.series.documents.days.min() == newest - 9
    assert 0 < len(snapshot.series.tags.days) <= 50
    assert snapshot.series.tags.days.max() == newest


def test_without_dates_there_is_no_series(tmp_path):
    listed = [{name: value for name, value in each.items() if name != "date"} for each in documents()]
    first, made = version(tmp_path, documents())
    second, _ = version(tmp_path, listed, PreviousVersion(first, made))
    assert not second.series.any


def test_of_a_pushed_corpus_a_deletion_is_a_deletion(redis):
    corpus = Corpus(name="dated", title="Dated", source={"pushed": True}, max_loss=1.0)
    pushed = PushedDocuments(redis, "dated")
    listed = [each for each in documents() if "date" in each]
    pushed.put(PushedDocument(e["id"], e["tags"], None, {"fields": {"date": e["date"]}}) for e in listed)
    assert run(corpus, redis, "one")["state"] == "done"
    oldest = min(each["date"] for each in listed)
    pushed.delete([each["id"] for each in listed if each["date"] == oldest])
    outcome = run(corpus, redis, "two")
    series = SnapshotStore(redis).load("dated", outcome["version"]).series
    assert not series.past.any
    assert sum(series.documents.counts.tolist()) == sum(each["date"] != oldest for each in listed)
