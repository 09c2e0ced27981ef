"""Editors' decisions in the corpora file and in runs: lines, contradictions, what a run obeys, and trials."""

import pytest

from snapshot import RunStatus, SnapshotStore, StatusBoard, new_job_id
from snapshot.edits import Edit, check_change
from snapshot.store.edits import EditStore
from tests.clustered import documents
from tests.conftest import write_jsonl
from tests.corpora import read_corpora
from worker.errors import CorpusError
from worker.runs.job import run
from worker.runs.scheduler import Scheduler

FILE = """
[corpora.small]
source = "small.jsonl"
ban = ["misc"]
together = [
  ["bank", "money"],
  ["rain", "wind"],
]
apart = [["bank", "rain"]]

[corpora.small.move]
album = "rain"
"wind speed" = "wind"

[corpora.small.labels]
bank = "Money matters"
"""


@pytest.fixture
def declared(tmp_path):
    """A corpora file with edits, and the corpus of the small snapshot."""
    write_jsonl(tmp_path / "small.jsonl", documents())

    def write(text=FILE):
        path = tmp_path / "corpora.toml"
        path.write_text(text)
        return path

    return write


def test_the_file_declares_edits_with_their_lines(declared):
    corpus = read_corpora(declared())["small"]
    assert {(edit.kind, edit.names, edit.line) for edit in corpus.edits} == {
        ("ban", ("misc",), 4),
        ("together", ("bank", "money"), 6),
        ("together", ("rain", "wind"), 7),
        ("apart", ("bank", "rain"), 9),
        ("move", ("album", "rain"), 12),
        ("move", ("wind speed", "wind"), 13),
        ("label", ("bank",), 16),
    }
    assert {edit.origin for edit in corpus.edits} == {"file"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('apart = [["bank", "money"]]', "line 9: [corpora.small] apart: 'bank' and 'money' can be together or apart"),
        ('apart = [["bank"]]', "line 9: [corpora.small] apart: ['bank']: \"tags\" is not a list of 2 to 100"),
        ('move = {"a" = "b", "b" = "a"}', "line 9: [corpora.small] move: these go round in a circle"),
        ('move = {"a" = "A"}', "line 9: [corpora.small] move: 'a' = 'A': 'a' and 'A' are one tag"),
        ('mvoe = {"a" = "b"}', "line 9: [corpora.small] mvoe: unknown key; did you mean move?"),
    ],
)
def test_a_wrong_edit_in_the_file_is_named_by_its_line(declared, wrong, message):
    text = FILE.partition("[corpora.small.move]")[0].replace('apart = [["bank", "rain"]]', wrong)
    with pytest.raises(CorpusError) as refused:
        read_corpora(declared(text))
    assert message in str(refused.value)


def test_the_scheduler_writes_the_edits_of_the_file_once_and_again_when_they_change(declared, redis):
    """The revision grows only when the file says something else, or the store has lost it."""
    path = declared()
    scheduler = Scheduler(redis, path)
    store = EditStore(redis)
    scheduler.tick()
    scheduler.tick()
    state = store.read("small")
    assert state.revision == 1
    assert [edit.line for edit in state.declared if edit.kind == "apart"] == [9]
    Scheduler(redis, path).tick()
    assert store.read("small").revision == 1
    path.write_text(FILE.replace("Money matters", "Banking"))
    scheduler.tick()
    assert store.read("small").revision == 2
    redis.flushall()
    scheduler.tick()
    assert store.read("small").declared


def snapshot_of(redis):
    store = SnapshotStore(redis)
    return store.load("small", store.current("small"))


def test_a_run_obeys_synonyms_bans_and_different_tags(declared, redis):
    """Posted ones like those of the file, which come first; moves change nothing in the snapshot."""
    corpus = read_corpora(declared())["small"]
    run(corpus, redis, "first")
    before = snapshot_of(redis)
    edits = [
        Edit("synonym", "album", "song"),
        Edit("ban", "wind"),
        Edit("distinct", tags=("rain", "rains")),
        Edit("synonym", "misc", "song"),
        Edit("move", "bank", "song"),
    ]
    EditStore(redis).change("small", 0, add=edits)
    assert run(corpus, redis, "second")["state"] == "done"
    after = snapshot_of(redis)
    assert set(before.keys) - set(after.keys) == {"album", "wind"}
    assert ("album", "song", "synonym") in {(alias.name, alias.tag, alias.how) for alias in after.aliases}
    assert after.parameters["distinct"] == [["rain", "rains"]]
    assert after.parameters["ban"] == ["misc", "wind"]
    assert run(corpus, redis, "third")["state"] == "unchanged"


def test_moves_cause_no_drift_and_hold_no_version_back(declared, redis):
    """Most tags are moved; the next run still moves none, and the snapshot is as without edits."""
    corpus = read_corpora(declared('[corpora.small]\nsource = "small.jsonl"\nmax_drift = 0.0\n'))["small"]
    run(corpus, redis, "first")
    first = snapshot_of(redis)
    to = first.keys[0]
    EditStore(redis).change("small", 0, add=[Edit("move", key, to) for key in first.keys[1:]])
    assert run(corpus.model_copy(update={"title": "Other"}), redis, "second")["state"] == "done"
    second = snapshot_of(redis)
    assert second.version != first.version
    assert second.lineage.moved == 0.0
    assert second.partition.item_ids.tolist() == first.partition.item_ids.tolist()


def test_a_trial_reports_and_publishes_nothing(declared, redis):
    """Tags, concepts, recall and bits before and after; version and revision stay, the status has the report."""
    corpus = read_corpora(declared('[corpora.small]\nsource = "small.jsonl"\n'))["small"]
    run(corpus, redis, "first")
    version, keys = SnapshotStore(redis).current("small"), snapshot_of(redis).keys
    store, job = EditStore(redis), new_job_id("small", trial=True)
    store.store_trial(job, check_change(store.read("small"), [Edit("ban", keys[0]), Edit("move", keys[1], keys[-1])]))
    outcome = run(corpus, redis, job)
    report = outcome["report"]
    assert outcome["state"] == "done"
    assert SnapshotStore(redis).versions("small") == [version]
    assert store.read("small").revision == 0
    assert report["tags_moved"] >= 1
    assert report["concepts_changed"] >= 1
    assert report["version"] == version
    assert all(report[figure][when] is not None for figure in ("recall", "bits") for when in ("before", "after"))
    ended = RunStatus(job, "running", 0.0, 0.0).at(1.0, **outcome)
    StatusBoard(redis).write_job(ended)
    assert StatusBoard(redis).job(job).report == report


def test_a_trial_whose_edits_have_expired_fails_and_says_so(declared, redis):
    corpus = read_corpora(declared())["small"]
    outcome = run(corpus, redis, new_job_id("small", trial=True))
    assert outcome["state"] == "failed"
    assert "are gone" in outcome["error"]


def test_a_trial_is_never_taken_for_a_run_and_moves_no_turn(declared, redis):
    """A request for a run that comes while a trial waits gets a job of its own."""
    board, store = StatusBoard(redis), EditStore(redis)
    path = declared()
    scheduler = Scheduler(redis, path)
    scheduler.tick()
    job = new_job_id("small", trial=True)
    store.store_trial(job, check_change(store.read("small"), [Edit("ban", "rain")]))
    board.request_trial("small", job, 0.0)
    asked = board.request("small", 0.0, fresh=True)
    assert asked.job != job
    assert board.request("small", 0.0, fresh=True).job == asked.job
