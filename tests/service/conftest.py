import pytest

from service.app import create_app
from service.shelf import Shelf
from snapshot import SnapshotStore, StatusBoard
from tests.snapshot.snapshots import small_encoded


@pytest.fixture
def store(redis):
    return SnapshotStore(redis)


@pytest.fixture
def shelf(redis, store):
    """A shelf that serves the small snapshot."""
    store.publish(small_encoded())
    filled = Shelf(store, StatusBoard(redis))
    filled.refresh()
    return filled


@pytest.fixture
def view(shelf):
    return shelf.view("small")


@pytest.fixture
def client(shelf):
    return create_app(shelf).test_client()
