"""An implication followed through: trial, matrix, totals, cloud, and taken back to the same bytes."""

import json

import pytest

from service.questions.clouds.cloud import cloud
from service.questions.documents.documents import documents as found_documents
from service.questions.text.query import parse_query
from service.view.document_store import DocumentStore
from service.view.view import View
from snapshot import SnapshotStore, index_checksums, new_job_id, table_in
from snapshot.edits import Edit, check_change
from snapshot.store.edits import EditStore
from tests.clustered import documents
from tests.conftest import write_jsonl
from tests.corpora import read_corpora
from worker.runs.job import run

IMPLIES = Edit("implies", "drizzle", "rain")
CHANGING = {"version", "created", "timings", "lineage", "checksum"}
"""What two runs of the same documents say differently in the part `meta`; the checksum is that of this part."""


@pytest.fixture
def corpus(tmp_path):
    """The small corpus; four documents about weather have a rare tag, two of them without rain."""
    written = list(documents())
    wet = [each for each in written if "rain" in each["tags"]][:2]
    dry = [each for each in written if "wind" in each["tags"] and "rain" not in each["tags"]][:2]
    for each in (*wet, *dry):
        each["tags"] = [*each["tags"], "drizzle"]
    write_jsonl(tmp_path / "small.jsonl", written)
    (tmp_path / "corpora.toml").write_text('[corpora.small]\nsource = "small.jsonl"\ninertia = 0\n')
    return read_corpora(tmp_path / "corpora.toml")["small"], written


def with_any(written, *tags):
    return {each["id"] for each in written if {*each["tags"]} & {*tags}}


def served(redis):
    """The view of the current version, with its documents in memory."""
    store = SnapshotStore(redis)
    version = store.current("small")
    snapshot = store.load("small", version)
    checksums = index_checksums(store.raw_meta("small", version))
    table = table_in(b"".join(store.index_chunks("small", version, checksums)))
    return View(snapshot, documents=DocumentStore(table, snapshot)).with_edits(EditStore(redis).read("small"))


def parts(redis):
    """All bytes of the current version in the store, but for what every run says anew."""
    version = SnapshotStore(redis).current("small")
    found = {}
    for key in sorted(redis.scan_iter(match=f"*small*{version}*")):
        name = key.decode().replace(version, "VERSION")
        if redis.type(key) == b"hash":
            found |= {f"{name} {field.decode()}": value for field, value in redis.hgetall(key).items()}
        elif redis.type(key) == b"string":
            found[name] = redis.get(key)
    return {name: _without_what_changes(value) for name, value in found.items()}


def _without_what_changes(value):
    try:
        record = json.loads(value)
    except ValueError:
        return value
    if not isinstance(record, dict):
        return value
    kept = {name: each for name, each in record.items() if name not in CHANGING}
    if "parameters" in kept:
        kept["parameters"] = {name: each for name, each in kept["parameters"].items() if name != "declaration"}
    return json.dumps(kept, sort_keys=True)


def total(view, *tags):
    query = parse_query(view, list(tags), "")
    return found_documents(view, query, cluster=None, match="all", limit=100, offset=0).total


def test_a_trial_says_how_many_documents_an_implication_changes(corpus, redis):
    """With rare tags in the corpus; nothing is published."""
    declared, written = corpus
    assert run(declared, redis, "first")["state"] == "done"
    version, store = SnapshotStore(redis).current("small"), EditStore(redis)
    job = new_job_id("small", trial=True)
    store.store_trial(job, check_change(store.read("small"), [IMPLIES]))
    outcome = run(declared, redis, job)
    assert outcome["state"] == "done", outcome
    before, after = len(with_any(written, "rain")), len(with_any(written, "rain", "drizzle"))
    assert outcome["report"]["documents"] == [{"tag": "rain", "before": before, "after": after}]
    assert after == before + 2
    assert SnapshotStore(redis).versions("small") == [version]


def test_an_implication_changes_matrix_totals_and_clouds_and_is_taken_back_to_the_same_bytes(corpus, redis):
    declared, written = corpus
    run(declared, redis, "first")
    view, original = served(redis), parts(redis)
    assert len(original) > 10
    assert total(view, "rain") == len(with_any(written, "rain"))
    assert total(view, "drizzle", "rain") == 2

    EditStore(redis).change("small", 0, add=[IMPLIES])
    assert run(declared, redis, "second")["state"] == "done"
    view = served(redis)
    assert view.edit_forces[IMPLIES.id] == ("active", None)
    assert total(view, "rain") == len(with_any(written, "rain", "drizzle"))
    assert total(view, "drizzle", "rain") == total(view, "drizzle") == 4
    answer = cloud(view, parse_query(view, ["drizzle"], ""), limit=50, groups=9, specificity=0.5)
    assert "rain" in {tag["tag"] for group in answer.groups for tag in group["tags"]}
    assert parts(redis) != original

    EditStore(redis).change("small", 1, remove=[IMPLIES.id])
    assert run(declared, redis, "third")["state"] == "done"
    again = parts(redis)
    assert again.keys() == original.keys()
    assert [name for name in original if again[name] != original[name]] == []
