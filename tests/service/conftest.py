"""A service in this process that serves the small snapshot (tests/clustered.py) from a real store."""

import pytest

from service.api.openapi import openapi_document
from service.app import create_gateway
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.view.view import View
from service.web.metrics import Metrics
from snapshot import CorpusRegister, Heartbeats, RegisteredCorpus, SnapshotStore, StatusBoard
from snapshot.store.edits import EditStore
from tests.clustered import published, snapshot_at
from tests.service.asking import Served
from tests.service.carded import encoded

KEY = "a key for tests"


@pytest.fixture(scope="session", autouse=True)
def described_once():
    """Every app describes the same operations, and the description takes longer than the rest of an app: it is kept."""
    kept = {}

    def described(api):
        operations = tuple((operation.method, operation.path) for operation in api.operations)
        if operations not in kept:
            kept[operations] = openapi_document(api)
        return kept[operations]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("service.app.openapi_document", described)
        yield


@pytest.fixture
def store(redis):
    return SnapshotStore(redis)


@pytest.fixture
def live(redis, store, tmp_path):
    """The small snapshot, loaded from the store."""
    store.publish(published())
    CorpusRegister(redis).write(
        {
            "small": RegisteredCorpus("small", "A small corpus", "24h", 1.8e9),
            "pushed": RegisteredCorpus("pushed", "Pushed", "1h", 1.8e9, pushed=True),
        }
    )
    loaded = LiveSnapshots(
        store,
        StatusBoard(redis),
        register=CorpusRegister(redis),
        heartbeats=Heartbeats(redis),
        edits=EditStore(redis),
        document_files=DocumentFiles(tmp_path / "documents"),
        answer_bytes=1_000_000,
    )
    loaded.refresh()
    return loaded


@pytest.fixture(scope="session")
def view():
    """The small snapshot, searchable, for tests that need no store."""
    return View(snapshot_at())


@pytest.fixture
def app_with(environment, live, redis):
    """An app that serves it, with some settings."""

    def build(**settings):
        return Served(create_gateway(live, redis, ServiceSettings(**settings), Metrics()))

    return build


@pytest.fixture
def client(app_with):
    return app_with().test_client()


@pytest.fixture
def writer(app_with):
    """A client that may write."""
    from service.web.policy.access import digest

    client = app_with(api_keys=digest(KEY)).test_client()
    client.environ_base["HTTP_X_API_KEY"] = KEY
    return client


@pytest.fixture
def carded(environment, redis, store, tmp_path):
    """A client of a service whose documents have cards."""
    store.publish(encoded())
    files = DocumentFiles(tmp_path / "documents")
    live = LiveSnapshots(store, StatusBoard(redis), document_files=files, answer_bytes=1_000_000)
    live.refresh()
    return Served(create_gateway(live, redis, ServiceSettings(), Metrics())).test_client()
