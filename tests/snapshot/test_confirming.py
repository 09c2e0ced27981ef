"""A push ends when the documents are on the disk of the store, or fails; a store that cannot say so is named."""

import pytest
from redis import Redis
from redis.exceptions import ResponseError

from snapshot import PushedDocument, PushedDocuments, StoreUnavailable
from snapshot.confirming import confirmation_warning

ONE = [PushedDocument("a", ["x"])]


def test_a_change_that_the_store_does_not_write_to_its_disk_fails(redis):
    """Pushed, removed one by one or all at once; when it writes again, they succeed."""
    pushed = PushedDocuments(redis, "small")
    redis.config_set("appendfsync", "no")
    try:
        for change in (lambda: pushed.put(ONE), lambda: pushed.delete(["a"]), pushed.clear):
            with pytest.raises(StoreUnavailable, match="did not write the change to its disk in time"):
                change()
    finally:
        redis.config_set("appendfsync", "everysec")
    assert pushed.put(ONE) == 1
    assert confirmation_warning(redis) is None


def test_a_store_without_an_append_only_file_is_named_and_accepts(redis):
    redis.config_set("appendonly", "no")
    try:
        assert "no append-only file" in confirmation_warning(redis)
        assert PushedDocuments(redis, "small").put(ONE) == 1
    finally:
        redis.config_set("appendonly", "yes")


def test_a_server_without_the_command_is_named_and_accepts(redis, monkeypatch):
    def unknown(*_):
        raise ResponseError("unknown command 'WAITAOF', with args beginning with: ")

    monkeypatch.setattr(Redis, "waitaof", unknown)
    assert "the store has no WAITAOF" in confirmation_warning(redis)
    assert PushedDocuments(redis, "small").put(ONE) == 1
