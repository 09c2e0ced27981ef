"""A text that is too long is a bad line, in whichever source: one tag of 100,000 letters must not stop a worker."""

import json
import sqlite3

import pytest

from service.api.pushed_body import parse_document
from snapshot.version.limits import LONGEST_ID, LONGEST_LABEL, LONGEST_TAG
from worker.sources.declarations import SqlSource
from worker.sources.document import Fields, RowParser, Tally
from worker.sources.formats.registry import FORMATS
from worker.sources.sql import sql_documents

GOOD = {"id": "i" * LONGEST_ID, "tags": ["t" * LONGEST_TAG], "label": "l" * LONGEST_LABEL}
LONG = [
    ({"id": "i" * (LONGEST_ID + 1)}, "the document id has more than 500 characters"),
    ({"tags": ["a", "t" * 100_000]}, "a tag has more than 500 characters"),
    ({"label": "l" * (LONGEST_LABEL + 1)}, "the label has more than 500 characters"),
]


@pytest.mark.parametrize(("change", "fault"), LONG, ids=["id", "tag", "label"])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "sql"])
def test_a_text_that_is_too_long_is_a_bad_line(tmp_path, kind, change, fault):
    records = [GOOD, {**GOOD, "id": "second", **change}, {**GOOD, "id": "third"}]
    tally = Tally()
    if kind == "sql":
        path = tmp_path / "documents.db"
        with sqlite3.connect(path) as database:
            database.execute("create table d (id text, tags text, label text)")
            rows = [(each["id"], json.dumps(each["tags"]), each["label"]) for each in records]
            database.executemany("insert into d values (?, ?, ?)", rows)
        source = SqlSource(sql=f"sqlite:///{path}", query="select id, tags, label from d", layout="list")
        found = list(sql_documents(source, "small", tally, cards=False))
    else:
        path = tmp_path / f"documents.{kind}"
        if kind == "jsonl":
            path.write_text("".join(json.dumps(each) + "\n" for each in records))
        else:
            lines = [f"{each['id']},{' '.join(each['tags'])},{each['label']}" for each in records]
            path.write_text("\n".join(["id,tags,label", *lines]) + "\n")
        parser = RowParser(pairs=False, separator=None if kind == "jsonl" else " ")
        found = list(FORMATS[kind].read(path, path.name, Fields(parser), tally))
    assert [document.id for document in found] == [GOOD["id"], "third"]
    assert (tally.bad, fault in tally.details()) == (1, True), tally.details()


@pytest.mark.parametrize("change", [change for change, _ in LONG], ids=["id", "tag", "label"])
def test_a_pushed_document_has_the_same_limits(change):
    assert parse_document(GOOD).id == GOOD["id"]
    with pytest.raises(ValueError, match="500 characters"):
        parse_document({**GOOD, **change})
