"""Trees of documents: a few at once, none too large, and nobody waits."""

import threading

import pytest

from service.live import document_trees
from snapshot import SnapshotError, SnapshotStore
from tests.service.api.test_api import get, problem
from tests.waiting import DEADLINE

DOCUMENTS = "/v1/corpora/small/dendrogram?side=documents&k={k}"


@pytest.fixture
def held(monkeypatch):
    """Sends requests that stay in the middle of reading a tree until they are released."""
    read, entered, released = SnapshotStore.document_tree, threading.Semaphore(0), threading.Event()
    threads, answers = [], []

    def slow(*arguments):
        entered.release()
        assert released.wait(DEADLINE)
        return read(*arguments)

    def ask(app, k):
        answers.append(app.test_client().get(DOCUMENTS.format(k=k)))

    def hold(app, count):
        monkeypatch.setattr(SnapshotStore, "document_tree", slow)
        for k in range(2, 2 + count):
            threads.append(threading.Thread(target=ask, args=(app, k)))
            threads[-1].start()
            assert entered.acquire(timeout=DEADLINE)

    def release():
        released.set()
        for thread in threads:
            thread.join()
        return [answer.status_code for answer in answers]

    hold.release = release
    yield hold
    release()


def test_while_trees_are_read_another_is_refused_at_once_and_all_else_is_answered(app_with, held):
    app = app_with()
    client = app.test_client()
    first = get(client, DOCUMENTS.format(k=50))
    held_back = document_trees.AT_ONCE
    held(app, held_back)
    refused = client.get(DOCUMENTS.format(k=9))
    assert refused.status_code == 503
    assert "trees of documents already" in refused.json["detail"]
    assert int(refused.headers["Retry-After"]) > 0
    assert get(client, DOCUMENTS.format(k=50)) == first, "from the cache"
    assert get(client, "/v1/corpora/small/dendrogram?k=4")["k"] == 4
    assert get(client, "/healthz")["alive"]
    assert held.release() == [200] * held_back
    assert get(client, DOCUMENTS.format(k=9))["k"] == 9


def test_a_place_is_free_again_after_any_error(client, monkeypatch):
    def broken(*_):
        raise SnapshotError("damaged")

    with monkeypatch.context() as patch:
        patch.setattr(SnapshotStore, "document_tree", broken)
        for _ in range(document_trees.AT_ONCE + 1):
            problem(client, DOCUMENTS.format(k=2), 503)
    for _ in range(document_trees.AT_ONCE + 1):
        problem(client, DOCUMENTS.format(k=1000), 422)
    assert get(client, DOCUMENTS.format(k=2))["k"] == 2


def test_documents_that_are_too_large_are_not_even_read(client, live, store, monkeypatch):
    size = store.documents_bytes("small", live.view("small").snapshot.version)
    assert size > 100
    monkeypatch.setattr(document_trees, "MOST_BYTES", size - 1)
    with monkeypatch.context() as patch:
        patch.setattr(SnapshotStore, "document_tree", None)
        detail = problem(client, DOCUMENTS.format(k=2), 422)["detail"]
    assert f"take {size:,} bytes in the store; the service reads at most {size - 1:,}" in detail
    monkeypatch.setattr(document_trees, "MOST_BYTES", size)
    assert get(client, DOCUMENTS.format(k=2))["k"] == 2
