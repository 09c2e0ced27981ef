"""A corpus that suddenly shrinks is held for inspection, and the message says how to accept it."""

from cotag.commands.jobs import list_corpora
from cotag.commands.snapshots import run_snapshots_action
from snapshot import RunStatus, SnapshotStore, StatusBoard
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from worker.runs.job import run


def test_a_corpus_that_lost_most_of_its_documents_is_held_until_it_is_accepted(redis, corpora_file, capsys):
    """The served version stays; accepted, the small one is what later runs are compared with."""
    corpus = read_corpora(corpora_file)["topics"]
    served = run(corpus, redis, "job-1")["version"]
    write_jsonl(corpus.path, topic_documents(80))
    held = run(corpus, redis, "job-2")
    assert held["state"] == "held"
    accept = f"cotag snapshots topics activate {held['version']}"
    reason = f"the source has only 80 documents, 200 before (max_loss = 0.5); to serve it: {accept}"
    assert held["error"] == reason
    StatusBoard(redis).write("topics", RunStatus("job-2", started=5.0, updated=5.0, **held))  # as its worker does
    list_corpora(redis, as_json=True)
    assert accept in capsys.readouterr().out
    assert SnapshotStore(redis).current("topics") == served
    run_snapshots_action(redis, "topics", "activate", (held["version"],), as_json=True)
    write_jsonl(corpus.path, topic_documents(60))
    assert run(corpus, redis, "job-3")["state"] == "done"


def test_a_smaller_loss_and_an_accepted_one_are_published(redis, corpora_file):
    corpus = read_corpora(corpora_file)["topics"].model_copy(update={"max_drift": 1.0})
    run(corpus, redis, "job-1")
    write_jsonl(corpus.path, topic_documents(100))
    assert run(corpus, redis, "job-2")["state"] == "done"
    write_jsonl(corpus.path, topic_documents(40))
    assert run(corpus.model_copy(update={"max_loss": 1.0}), redis, "job-3")["state"] == "done"
