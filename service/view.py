import re
import unicodedata
from collections import defaultdict
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from service.autocomplete import Autocomplete
from service.response_cache import ResponseCache
from snapshot import Snapshot, normalise
from tagmodel import Cluster
from tagmodel.related import popularity_factors

REMEMBERED_FACTORS = 8
"""Each is one number a tag; a page asks for very few."""

SEPARATORS = re.compile(r"[\s\-_/.:]+")


def without_punctuation(key: str) -> str:
    """A key without its punctuation: version-control, version_control and version control are one."""
    return SEPARATORS.sub(" ", key).strip()


def bare(key: str) -> str:
    """A key without its accents: café and cafe are one."""
    if key.isascii():
        return key
    return "".join(letter for letter in unicodedata.normalize("NFKD", key) if not unicodedata.combining(letter))


class View:
    """A snapshot made searchable: built once when it is loaded, then only read.

    Plain lists stand beside the snapshot's arrays where single items are looked up, because that is what they are
    faster at. Everything here grows with the number of tags, nothing with the number of documents.
    """

    def __init__(self, snapshot: Snapshot, answer_bytes: int = 0) -> None:
        self.snapshot = snapshot
        self.answers = ResponseCache(answer_bytes)
        self.index: dict[str, int] = {key: tag for tag, key in enumerate(snapshot.keys)}
        self.counts: list[int] = snapshot.counts.tolist()
        self.cluster_of: list[int] = snapshot.partition.item_ids.tolist()
        self.broad: list[bool] = snapshot.broad.tolist()
        self.by_count: list[int] = np.argsort(-snapshot.counts, kind="stable").tolist()
        self.max_count = self.counts[self.by_count[0]]
        self._factors: dict[tuple[float, int], NDArray[np.float64]] = {}
        self.relative_counts: NDArray[np.float64] = snapshot.counts / self.max_count
        spellings = [without_punctuation(key) or key for key in snapshot.keys]
        self.loose: dict[str, int] = {}
        self.unaccented: dict[str, int] = {}
        for tag in self.by_count:
            self.loose.setdefault(spellings[tag], tag)
            self.unaccented.setdefault(bare(spellings[tag]), tag)
        self.longest_phrase = max(key.count(" ") + 1 for key in self.loose)
        self.completion = Autocomplete([spellings[tag] for tag in self.by_count])
        self.clusters: dict[int, Cluster] = {cluster.id: cluster for cluster in snapshot.clusters}
        self.labels: dict[int, str] = {cluster.id: cluster.name for cluster in snapshot.clusters}
        self.tree = snapshot.tree
        self.cluster_place, self.cluster_gaps = self._above_the_cut()

    def popularity(self, specificity: float, size: int) -> NDArray[np.float64]:
        """What the odds of each tag are multiplied by, for a query of `size` tags; remembered for the last few."""
        question = (specificity, min(size, 2))
        factors = self._factors.get(question)
        if factors is None:
            exponent = self.snapshot.related.popularity_exponent(specificity, size)
            factors = popularity_factors(self.snapshot.counts, exponent)
            if len(self._factors) >= REMEMBERED_FACTORS:
                self._factors.clear()
            self._factors[question] = factors
        return factors

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """The tags of each cluster, by falling count."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for tag in self.by_count:
            found[self.cluster_of[tag]].append(tag)
        return dict(found)

    @cached_property
    def count_rank(self) -> list[int]:
        """The rank of each tag by falling count."""
        found = [0] * len(self.by_count)
        for rank, tag in enumerate(self.by_count):
            found[tag] = rank
        return found

    @cached_property
    def label_tags(self) -> set[int]:
        """Tags that name a cluster of the chosen cut."""
        keys = (normalise(name) for cluster in self.clusters.values() for name in cluster.label)
        return {self.index[key] for key in keys if key in self.index}

    def label(self, tags: list[int]) -> list[str]:
        """The three tags (given by falling count) that name any other group: those that name a cluster come first."""
        naming = self.label_tags
        first = sorted(tags, key=lambda tag: (self.broad[tag], tag not in naming))[:3]
        return [self.snapshot.names[tag] for tag in first]

    def _above_the_cut(self) -> tuple[dict[int, int], list[int]]:
        """Each cluster's place in the leaf order of the tree above the chosen cut, and the merges between places.

        A cluster stands where most of its tags do, so this holds also for clusters that are no branches of the tree.
        """
        k = len(self.clusters)
        starts = np.flatnonzero(self.tree.gaps >= self.tree.leaves - k) + 1
        branch = np.searchsorted(starts, self.tree.place, side="right")
        places: dict[int, int] = {}
        for cluster in self.clusters:
            mine = branch[self.snapshot.partition.item_ids == cluster]
            places[cluster] = int(np.bincount(mine).argmax()) if len(mine) else 0
        return places, self.tree.gaps[starts - 1].tolist()
