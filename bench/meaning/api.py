"""What a cloud shows, read from the JSON of the real service over a real store."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlencode

from flask.testing import FlaskClient

from cotag.store import server_binary, server_command, wait_for_store
from service.app import create_app
from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.settings import ServiceSettings
from snapshot import SnapshotStore, StatusBoard, connect, encode
from worker.inheritance import PreviousVersion

SETS: Final = 9
"""Sets of tags in a cloud: today's eight groups and the heap, or nine groups."""

SHOWN: Final = 60
"""Tags of a cloud."""

FIRST_PAGE: Final = 80
"""Tags of the cloud without a query, as the page shows them."""

Form = Literal["clusters", "query"]

Kind = Literal["group", "also", "heap"]
"""A heap is what the groups leave over: it has no heading. The tags of "also" are a group with little in common."""


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


def read_cloud(answer: Mapping[str, Any]) -> Cloud:
    """The one adapter: both forms of a cloud's JSON.

    Grouped by clusters, broad tags are a heap of their own. Grouped by the query, they are marked inside their groups,
    and a group of tags with little in common is marked `also`.
    """
    groups = [
        Group(each["label"], tuple(tag["tag"] for tag in each["tags"]), "also" if each.get("also") else "group")
        for each in answer["groups"]
    ]
    if answer.get("broad"):
        groups.append(Group("", tuple(tag["tag"] for tag in answer["broad"]), "heap"))
    return Cloud(tuple(groups))


class Served:
    """A snapshot behind the real API."""

    def __init__(self, client: FlaskClient, corpus: str) -> None:
        self._client = client
        self._corpus = corpus

    @cached_property
    def form(self) -> Form:
        """How the service groups by default: by the query as soon as it takes the parameter `groups`."""
        found = self._client.get(f"/v1/corpora/{self._corpus}/cloud?groups=9&limit=1")
        return "query" if found.status_code == 200 else "clusters"

    def cloud(self, tags: Sequence[str], sets: int = SETS, limit: int = SHOWN) -> Cloud:
        """The cloud of some tags, or of none, in at most so many sets, a heap among them."""
        sized = ("groups", str(sets)) if self.form == "query" else ("clusters", str(sets - 1))
        pairs = [*(("tag", tag) for tag in tags), ("limit", str(limit)), sized]
        found = self._client.get(f"/v1/corpora/{self._corpus}/cloud?{urlencode(pairs)}")
        if found.status_code != 200:
            raise ValueError(f"{self._corpus} {tags}: {found.status_code} {found.get_data(as_text=True)[:300]}")
        return read_cloud(found.get_json())


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
                app = create_app(live, redis, ServiceSettings(), Metrics())
                yield Served(app.test_client(), version.snapshot.corpus)
        finally:
            server.kill()
            server.wait()
