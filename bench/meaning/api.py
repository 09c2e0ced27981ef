"""What a cloud shows, read from the JSON of the real service over a real store."""

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlencode

from flask.testing import FlaskClient

from cotag.launcher.store_server import server_binary, server_command, wait_for_store
from service.app import create_gateway
from service.live.snapshots import LiveSnapshots
from service.questions.clouds.overview import overview
from service.settings import ServiceSettings
from service.view.view import View
from service.web.metrics import Metrics
from snapshot import SnapshotStore, StatusBoard, connect, encode, normalise
from worker.clustering.continuity.inheritance import PreviousVersion

SETS: Final = 9
"""Groups of a cloud. Before clouds were grouped by the query: eight, and the heap of broad tags."""

SHOWN: Final = 60
"""Tags of a cloud."""

FIRST_PAGE: Final = 80
"""Tags of the first page."""

Kind = Literal["group", "also"]
"""The tags of "also" are a group with little in common."""


@dataclass(frozen=True)
class Group:
    """Tags shown together below one heading."""

    heading: str
    tags: tuple[str, ...]
    kind: Kind = "group"


@dataclass(frozen=True)
class Cloud:
    """The sets of tags of one answer, as people see them."""

    groups: tuple[Group, ...]

    @property
    def tags(self) -> list[str]:
        """All tags, set after set."""
        return [tag for group in self.groups for tag in group.tags]


def read_cloud(groups: Iterable[Mapping[str, Any]]) -> Cloud:
    """The groups of an answer."""
    return Cloud(
        tuple(
            Group(each["label"], tuple(tag["tag"] for tag in each["tags"]), "also" if each["also"] else "group")
            for each in groups
        )
    )


class Served:
    """A snapshot behind the real API."""

    def __init__(self, client: FlaskClient, view: View) -> None:
        self._client = client
        self._view = view

    def cloud(self, tags: Sequence[str], sets: int = SETS, limit: int = SHOWN) -> Cloud:
        """The cloud of some tags in at most so many groups."""
        return read_cloud(self.groups(tags, sets, limit))

    def groups(self, tags: Sequence[str], sets: int = SETS, limit: int = SHOWN) -> list[dict[str, Any]]:
        """The groups of the cloud of some tags, as the answer has them."""
        corpus = self._view.snapshot.corpus
        pairs = [*(("tag", tag) for tag in tags), ("limit", str(limit)), ("groups", str(sets))]
        found = self._client.get(f"/v1/corpora/{corpus}/cloud?{urlencode(pairs)}")
        if found.status_code != 200:
            raise ValueError(f"{corpus} {tags}: {found.status_code} {found.get_data(as_text=True)[:300]}")
        groups: list[dict[str, Any]] = found.get_json()["groups"]
        return groups

    def first_page(self, sets: int = SETS, limit: int = FIRST_PAGE) -> Cloud:
        """What the page shows without a query."""
        return read_cloud(overview(self._view, limit, sets).groups)

    def one_branch(self, cloud: Cloud, branches: int = 12) -> float:
        """The share of groups, "also" apart, whose tags come from one branch of the tree cut into so many."""
        branch, index = self._view.tree.cut(min(branches, self._view.tree.leaves)), self._view.index
        shown = (each.tags for each in cloud.groups if each.kind == "group")
        groups = [{int(branch[index[normalise(tag)]]) for tag in tags} for tags in shown]
        return sum(len(each) == 1 for each in groups) / (len(groups) or 1)


@contextmanager
def served(version: PreviousVersion) -> Iterator[Served]:
    """Publish a snapshot to a store of its own and serve it in this process."""
    for name in [name for name in os.environ if name.startswith("COTAG_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        socket = Path(folder) / "store.sock"
        server = subprocess.Popen(
            server_command(server_binary(), Path(folder), socket), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            url = f"unix://{socket}"
            wait_for_store(url)
            with connect(url) as redis:
                store = SnapshotStore(redis)
                store.publish(encode(version.snapshot, version.documents))
                live = LiveSnapshots(store, StatusBoard(redis))
                live.refresh()
                app = create_gateway(live, redis, ServiceSettings(), Metrics()).flask
                yield Served(app.test_client(), live.view(version.snapshot.corpus))
        finally:
            server.kill()
            server.wait()
