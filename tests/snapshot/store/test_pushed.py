"""Pushed documents, read while others write them and while the store goes away."""

import orjson
import pytest

from snapshot import PushedDocument, PushedDocuments, StoreUnavailable, connect
from tests.servers import Server


def test_all_documents_that_stay_are_read_once_while_others_are_added_and_removed(redis):
    pushed = PushedDocuments(redis, "small")
    pushed.put(PushedDocument(f"stays{n}", ["x"]) for n in range(400))
    pushed.put(PushedDocument(f"goes{n}", ["x"]) for n in range(20_000))
    names = []
    for number, record in enumerate(pushed.records()):
        names.append(orjson.loads(record)["id"])
        if number == 10_000:
            pushed.delete(f"goes{n}" for n in range(20_000))
            pushed.put(PushedDocument(f"comes{n}", ["x"]) for n in range(50))
    assert len(names) == len(set(names))
    assert {f"stays{n}" for n in range(400)} <= set(names)


def test_a_document_that_the_store_returns_twice_is_read_once(redis, monkeypatch):
    """HSCAN may do so when a hash grows or shrinks meanwhile."""
    hscan, before = redis.hscan, {}

    def with_those_before(*arguments, **options):
        cursor, batch = hscan(*arguments, **options)
        again = before | batch
        before.update(batch)
        return cursor, again

    monkeypatch.setattr(redis, "hscan", with_those_before)
    pushed = PushedDocuments(redis, "small")
    pushed.put(PushedDocument(f"d{n}", ["x"]) for n in range(1200))
    assert len(list(pushed.records())) == 1200


def test_a_store_that_goes_away_while_documents_are_read_is_named_as_such(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("s")).start()
    try:
        pushed = PushedDocuments(connect(server.url), "small")
        pushed.put(PushedDocument(f"d{n}", ["x"]) for n in range(3000))
        records = pushed.records()
        next(records)
        server.stop()
        with pytest.raises(StoreUnavailable):
            list(records)
    finally:
        server.stop()
