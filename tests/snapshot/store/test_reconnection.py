"""Waiting for the store: with a deadline, for ever, and not at all for one that refuses."""

import threading
import time

import pytest

from snapshot import StoreUnavailable, connect, translate_errors
from snapshot.store.health.confirmation import confirmation_warning
from snapshot.store.health.reconnection import is_away, wait_for_answer
from tests.servers import Server
from tests.waiting import DEADLINE


@pytest.fixture
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("s"))
    yield server
    server.stop()


def test_a_store_that_answers_is_not_waited_for(redis):
    reasons = []
    wait_for_answer(redis, pause=60.0, seconds=0.0, on_away=reasons.append)
    assert reasons == []


def test_a_store_that_does_not_come_is_given_up_at_the_deadline(server):
    began = time.monotonic()
    with pytest.raises(StoreUnavailable, match=r"store\.sock"):
        wait_for_answer(connect(server.url), pause=0.01, seconds=0.2)
    assert time.monotonic() - began >= 0.2


def test_the_wait_ends_when_the_caller_gives_up(server):
    answers = iter([False, False, True])
    with pytest.raises(StoreUnavailable):
        wait_for_answer(connect(server.url), pause=0.01, give_up=lambda: next(answers))
    assert next(answers, None) is None


def test_without_a_deadline_the_store_is_waited_for_and_its_absence_is_said_once(server):
    reasons, away = [], threading.Event()

    def on_away(reason):
        reasons.append(reason)
        away.set()

    waiting = threading.Thread(
        target=lambda: wait_for_answer(connect(server.url), pause=0.01, on_away=on_away), daemon=True
    )
    waiting.start()
    assert away.wait(DEADLINE)
    waiting.join(0.3)
    assert waiting.is_alive()
    server.start()
    waiting.join(DEADLINE)
    assert not waiting.is_alive()
    assert len(reasons) == 1


def test_a_store_that_refuses_is_not_waited_for(server):
    server.start().client().execute_command("ACL", "SETUSER", "default", "-ping")
    with pytest.raises(StoreUnavailable, match="no permissions"):
        wait_for_answer(connect(server.url), pause=60.0)


def test_a_store_that_became_a_replica_is_away(server):
    """Also if it is asked to confirm a write, which it refuses in words of its own."""
    redis = server.start().client()
    redis.replicaof("127.0.0.1", 1)
    for ask in (lambda: redis.set("key", "value"), lambda: confirmation_warning(redis)):
        with pytest.raises(StoreUnavailable) as refused, translate_errors():
            ask()
        assert is_away(refused.value), refused.value
