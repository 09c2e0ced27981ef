"""`cotag edits`: list, export, import, and the dry run of an import."""

import json
import threading

import pytest

from cotag.commands.curation.edits import run_edits_action
from cotag.errors import StartError
from snapshot import SnapshotStore, StatusBoard
from snapshot.edits import Edit, edit_json
from snapshot.store import keys
from snapshot.store.edits import EditStore
from tests.clustered import TAGS, clustered, published
from tests.waiting import wait_until

SNAPSHOT = clustered()[0]


def at(tag):
    return int(SNAPSHOT.partition.item_ids[SNAPSHOT.names.index(tag)])


OTHER = next(tag for tag in TAGS if at(tag) != at(TAGS[0]))


def act(redis, action, *arguments, dry_run=False, as_json=False):
    run_edits_action(redis, "small", action, tuple(map(str, arguments)), dry_run=dry_run, as_json=as_json)


@pytest.fixture
def decisions(tmp_path):
    """A file of edits."""

    def write(*edits):
        path = tmp_path / "decisions.jsonl"
        path.write_text("".join(f"{json.dumps(edit_json(edit))}\n" for edit in edits))
        return path

    return write


def test_what_is_exported_can_be_imported_elsewhere(redis, decisions, tmp_path, capsys):
    """Import, export, remove all, import again: the same edits. What is there already is not added again."""
    SnapshotStore(redis).publish(published())
    edits = [Edit("move", TAGS[0], OTHER), Edit("apart", tags=(TAGS[2], OTHER)), Edit("ban", "misc")]
    act(redis, "import", decisions(*edits))
    assert capsys.readouterr().out.splitlines() == [
        "small: 3 of 3 edits are new; revision 1",
        "1 take effect with the next run: cotag recluster small",
    ]
    act(redis, "export", tmp_path / "copy.jsonl")
    store = EditStore(redis)
    before = store.read("small").stored
    store.change("small", 1, remove=[edit.id for edit in before])
    act(redis, "import", tmp_path / "copy.jsonl")
    assert {edit.id for edit in store.read("small").stored} == {edit.id for edit in before}
    act(redis, "import", tmp_path / "copy.jsonl")
    assert store.read("small").revision == 3
    act(redis, "export")
    assert {json.loads(line)["kind"] for line in capsys.readouterr().out.splitlines()[-3:]} == {"move", "apart", "ban"}


def test_the_list_says_what_is_in_force(redis, decisions, capsys):
    SnapshotStore(redis).publish(published())
    act(redis, "import", decisions(Edit("move", TAGS[0], OTHER), Edit("move", "nowhere", OTHER), Edit("ban", "x")))
    capsys.readouterr()
    act(redis, "list", as_json=True)
    listed = json.loads(capsys.readouterr().out)
    assert listed["revision"] == 1
    assert {edit["tag"]: edit["state"] for edit in listed["edits"]} == {
        TAGS[0]: "active",
        "nowhere": "inactive",
        "x": "waiting",
    }
    act(redis, "list")
    text = capsys.readouterr().out
    assert "there is no tag 'nowhere'" in text
    assert f"move {TAGS[0]!r} to {OTHER!r}" in text


def test_wrong_lines_and_contradictions_are_named_and_nothing_is_imported(redis, decisions, tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"kind": "ban", "tag": "a"}\n{"kind": "fly"}\nno\n')
    with pytest.raises(StartError, match=r"2 wrong lines; nothing was changed\n  line 2: .*\n  line 3: "):
        act(redis, "import", path)
    with pytest.raises(StartError, match=r"1 contradictions; nothing was changed\n  'a' and 'b' can be together"):
        act(redis, "import", decisions(Edit("together", tags=("a", "b")), Edit("apart", tags=("a", "b"))))
    with pytest.raises(StartError, match="No such file"):
        act(redis, "import", tmp_path / "missing")
    with pytest.raises(StartError, match=r"usage: cotag edits NAME import FILE \[--dry-run\]"):
        act(redis, "import")
    assert EditStore(redis).read("small").revision == 0


def test_a_dry_run_reports_at_once_what_moves(redis, decisions, capsys):
    """With recall and bits before and after; nothing is stored."""
    SnapshotStore(redis).publish(published())
    act(redis, "import", decisions(Edit("move", TAGS[0], OTHER)), dry_run=True, as_json=True)
    report = json.loads(capsys.readouterr().out)
    assert report["moved"] == [{"tag": TAGS[0], "before": at(TAGS[0]), "after": at(OTHER)}]
    assert report["bits"]["after"] != report["bits"]["before"]
    assert EditStore(redis).read("small").revision == 0
    act(redis, "import", decisions(Edit("move", TAGS[0], OTHER)), dry_run=True)
    assert "1 tags would move, 2 concepts would change" in capsys.readouterr().out


def test_a_dry_run_of_what_needs_a_run_waits_for_its_report(redis, decisions, capsys):
    """A worker reports for the job; the command prints that."""
    SnapshotStore(redis).publish(published())
    path = decisions(Edit("ban", TAGS[0]))
    asking = threading.Thread(target=lambda: act(redis, "import", path, dry_run=True, as_json=True))
    asking.start()
    raw = wait_until(lambda: redis.lindex(keys.REQUESTS, 0), "the request")
    board = StatusBoard(redis)
    status = board.job(json.loads(raw)["job"])
    board.write("small", status.at(status.updated + 1, state="done", report={"tags_moved": 2}))
    asking.join()
    assert json.loads(capsys.readouterr().out) == {"tags_moved": 2}
