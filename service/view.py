import re
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from snapshot import Cluster, Snapshot

SEPARATORS = re.compile(r"[\s\-_/.:]+")


def loosened(key: str) -> str:
    """A key without its punctuation: version-control, version_control and version control are one."""
    return SEPARATORS.sub(" ", key).strip()


class View:
    """A snapshot made searchable: built once when it is loaded, then only read."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.index: dict[str, int] = {key: tag for tag, key in enumerate(snapshot.keys)}
        self.loose: dict[str, int] = {}
        for tag in self.by_count.tolist():
            self.loose.setdefault(loosened(snapshot.keys[tag]), tag)
        self.longest_phrase = max((key.count(" ") + 1 for key in self.loose), default=1)
        self.clusters: dict[int, Cluster] = {cluster.id: cluster for cluster in snapshot.clusters}
        self.max_count = int(snapshot.counts.max())

    @cached_property
    def by_count(self) -> NDArray[np.intp]:
        """Tags by falling count."""
        return np.argsort(-self.snapshot.counts, kind="stable")

    def tree_labels(self, k: int) -> NDArray[np.int64]:
        """The cluster of each tag when the tree is cut into exactly k: 0…k−1 by smallest member."""
        tags = len(self.snapshot.keys)
        node = np.arange(2 * tags - 1)
        for step, (a, b) in enumerate(self.snapshot.tag_linkage[: tags - k, :2].astype(np.int64).tolist()):
            node[a] = node[b] = tags + step
        while not np.array_equal(above := node[node], node):
            node = above
        _, first, labels = np.unique(node[:tags], return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        numbered: NDArray[np.int64] = rank[labels]
        return numbered
