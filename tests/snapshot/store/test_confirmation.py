"""A push ends when the store has written the documents, or fails; a store that cannot say so is named."""

import resource
import signal
import subprocess
import threading

import pytest
from redis import Redis
from redis.exceptions import ResponseError

from cotag.launcher.store_server import server_binary, server_command, wait_for_store
from snapshot import PushedDocument, PushedDocuments, StoreUnavailable, connect
from snapshot.store.health.confirmation import confirmation_warning
from tests.servers import Server
from tests.waiting import wait_until

ONE = [PushedDocument("a", ["x"])]


def test_a_change_that_the_store_does_not_write_to_its_disk_fails(redis):
    """Pushed, removed one by one or all at once; when it writes again, they succeed."""
    pushed = PushedDocuments(redis, "small")
    redis.config_set("appendfsync", "no")
    try:
        for change in (lambda: pushed.put(ONE), lambda: pushed.delete(["a"]), pushed.clear):
            with pytest.raises(StoreUnavailable, match="did not confirm in time"):
                change()
    finally:
        redis.config_set("appendfsync", "everysec")
    assert pushed.put(ONE) == 1
    assert confirmation_warning(redis) is None


def test_another_connection_confirms_nothing(redis):
    """The connection is lost while the store has not confirmed; asked over a new one, it would say yes at once."""
    errors = []

    def push():
        try:
            PushedDocuments(redis, "small").put(ONE)
        except StoreUnavailable as error:
            errors.append(str(error))

    redis.config_set("appendfsync", "no")
    try:
        thread = threading.Thread(target=push)
        thread.start()
        waiting = wait_until(
            lambda: [each for each in redis.client_list() if each["cmd"] == "waitaof"], "a confirmation"
        )
        redis.client_kill_filter(_id=waiting[0]["id"])
        thread.join()
    finally:
        redis.config_set("appendfsync", "everysec")
    assert errors == ["the connection to the store was lost before it confirmed the change"]


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


FULL_BYTES = 100_000


def fill_up():
    """In the process of the server: files end here, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, resource.RLIM_INFINITY))


def test_no_accepted_document_is_lost_when_the_disk_of_the_store_is_full(tmp_path_factory):
    """The store is then killed, and started again with room."""
    server = Server(tmp_path_factory.mktemp("s"))
    command = server_command(server_binary(), server.folder, server.socket)
    server.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=fill_up)  # noqa: PLW1509 - it starts no threads
    wait_for_store(server.url)
    accepted, refused = [], 0
    try:
        for number in range(100):
            try:
                PushedDocuments(connect(server.url), "small").put([PushedDocument(f"d{number}", ["x" * 1500])])
            except StoreUnavailable:
                refused += 1
            else:
                accepted.append(f"d{number}".encode())
        server.stop()
        stored = server.start().client().hkeys("cotag:small:pushed")
    finally:
        server.stop()
    assert accepted
    assert refused
    assert set(accepted) <= set(stored)
