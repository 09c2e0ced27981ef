"""Editors go on deciding while the store is killed: what was acknowledged is there, and nobody overwrites another."""

import threading

import pytest

from service.app import create_gateway
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from service.web.policy.access import digest
from snapshot import SnapshotStore, StatusBoard, StoreUnavailable, connect
from snapshot.store.edits import EditStore
from tests.clustered import TAGS, published
from tests.servers import Server
from tests.service.asking import Served
from tests.waiting import wait_until

EDITS = "/v1/corpora/small/edits"
ANSWERS = {200, 412, 503}


class Editor(threading.Thread):
    """Decides one thing after the other, each as often as it takes to be acknowledged."""

    def __init__(self, app, name):
        super().__init__(name=name)
        self.client = app.test_client()
        self.client.environ_base["HTTP_X_API_KEY"] = name
        self.stop = threading.Event()
        self.acknowledged = []
        self.statuses = []

    def run(self):
        number = 0
        while not self.stop.is_set():
            if self.decide({"kind": "keep", "tag": f"{self.name} {number}"}):
                number += 1

    def decide(self, edit):
        """One attempt; whether it was acknowledged. An attempt that failed may have been stored all the same."""
        listed = self.client.get(EDITS, query_string={"limit": 1})
        if listed.status_code != 200 or listed.json["stale"]:
            return False
        answer = self.client.post(EDITS, json={"edits": [edit]}, headers={"If-Match": listed.headers["ETag"]})
        self.statuses.append(answer.status_code)
        if answer.status_code == 200:
            self.acknowledged.append(edit["tag"])
        return answer.status_code == 200


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "store").start()
    yield server
    server.stop()


@pytest.fixture
def served(environment, server):
    """An application and its live snapshots, which follow the store."""
    redis = connect(server.url, timeout=1.0)
    SnapshotStore(redis).publish(published())
    live = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis), edits=EditStore(redis))
    live.start()
    keys = ",".join(f"{name}:edit:{digest(name)}" for name in ("anna", "bert"))
    yield (
        Served(create_gateway(live, connect(server.url, timeout=1.0), ServiceSettings(api_keys=keys), Metrics())),
        live,
    )
    live.stop()


def stored(server):
    try:
        return EditStore(server.client()).read("small")
    except StoreUnavailable:
        return None


@pytest.mark.slow
@pytest.mark.parametrize("kills", [3, pytest.param(30, marks=pytest.mark.nightly)])
def test_edits_posted_while_the_store_dies_are_all_there(served, server, kills):
    """Two editors at once, the store killed again and again: every 200 is in the store, and in the service after it."""
    app, live = served
    editors = [Editor(app, name) for name in ("anna", "bert")]
    for editor in editors:
        editor.start()
    for _ in range(kills):
        before = [len(editor.acknowledged) for editor in editors]
        wait_until(
            lambda before=before: all(
                len(editor.acknowledged) > count + 3 for editor, count in zip(editors, before, strict=True)
            ),
            "some decisions of both editors",
        )
        server.stop()
        server.start()
    for editor in editors:
        editor.stop.set()
        editor.join()
    server.stop()
    server.start()
    state = wait_until(lambda: stored(server), "a store that answers")
    acknowledged = [tag for editor in editors for tag in editor.acknowledged]
    there = {edit.tag for edit in state.stored}
    assert set(acknowledged) <= there
    assert {edit.by for edit in state.stored} == {"anna", "bert"}
    assert len(set(acknowledged)) == len(acknowledged)
    assert state.revision >= len(there)
    assert {status for editor in editors for status in editor.statuses} <= ANSWERS
    wait_until(lambda: live.view("small").revision == state.revision, "the last revision in the service")


@pytest.mark.slow
def test_two_editors_at_once_lose_nothing(served, server):
    """Of two changes on one revision one gets 412; in the end there are as many revisions as decisions."""
    app, _ = served
    editors = [Editor(app, name) for name in ("anna", "bert")]
    for editor in editors:
        editor.start()
    wait_until(lambda: all(len(editor.acknowledged) >= 20 for editor in editors), "twenty decisions of both")
    for editor in editors:
        editor.stop.set()
        editor.join()
    state = stored(server)
    acknowledged = {tag for editor in editors for tag in editor.acknowledged}
    assert {edit.tag for edit in state.stored} == acknowledged
    assert state.revision == len(acknowledged)
    assert any(412 in editor.statuses for editor in editors)


@pytest.mark.slow
def test_edits_stay_in_force_while_the_store_is_away(served, server):
    """Readers still see them, the list is marked as stale, and a change is refused with 503."""
    app, live = served
    editor = Editor(app, "anna")
    view = live.view("small")
    at = {tag: view.cluster_of[view.names.tag(tag)] for tag in TAGS}
    to = next(tag for tag in TAGS if at[tag] != at[TAGS[0]])
    assert editor.decide({"kind": "move", "tag": TAGS[0], "to": to})
    server.stop()
    wait_until(lambda: not live.freshness.connected, "the outage")
    seen = editor.client.get("/v1/corpora/small/tag", query_string={"tag": TAGS[0]}).json
    assert (seen["cluster"], seen["revision"]) == (at[to], 1)
    assert editor.client.get(EDITS).json["stale"]
    change = editor.client.post(EDITS, json={"edits": [{"kind": "keep", "tag": "x"}]}, headers={"If-Match": '"1"'})
    assert change.status_code == 503
