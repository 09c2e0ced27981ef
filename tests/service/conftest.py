import pytest

from service.app import create_app
from service.metrics import Metrics
from service.settings import ServiceSettings
from service.shelf import Shelf
from service.view import View
from snapshot import Declared, Register, SnapshotStore, StatusBoard
from tests.clustered import published, snapshot_at

KEY = "a key for tests"


@pytest.fixture
def store(redis):
    return SnapshotStore(redis)


@pytest.fixture
def shelf(redis, store):
    """A shelf that serves the small snapshot."""
    store.publish(published())
    Register(redis).write(
        {
            "small": Declared("small", "A small corpus", "24h", 1.8e9),
            "pushed": Declared("pushed", "Pushed", "1h", 1.8e9, pushed=True),
        }
    )
    filled = Shelf(store, StatusBoard(redis), register=Register(redis), answer_bytes=1_000_000)
    filled.refresh()
    return filled


@pytest.fixture(scope="session")
def view():
    """The small snapshot, searchable, for tests that need no store."""
    return View(snapshot_at())


@pytest.fixture
def app_with(environment, shelf, redis):
    """An app on that shelf, with some settings."""

    def build(**settings):
        return create_app(shelf, redis, ServiceSettings(**settings), Metrics())

    return build


@pytest.fixture
def client(app_with):
    return app_with().test_client()


@pytest.fixture
def writer(app_with):
    """A client that may write."""
    from service.access import digest

    client = app_with(api_keys=digest(KEY)).test_client()
    client.environ_base["HTTP_X_API_KEY"] = KEY
    return client
