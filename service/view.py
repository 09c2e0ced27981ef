"""A snapshot made searchable."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.autocomplete import Autocomplete
from service.company import company_of
from service.document_store import NOT_LOADED, DocumentStore, MissingDocuments
from service.naming import alike, name, ranked
from service.response_cache import ResponseCache
from snapshot import Snapshot, normalise
from tagmodel import Cluster
from tagmodel.related import popularity_factors

CACHED_FACTORS = 8
"""Each entry has one number per tag; a page needs very few entries."""

NAMED_BY = 1000
"""The commonest tags of a branch decide on its name; so many are enough."""

SEPARATORS = re.compile(r"[\s\-_/.:]+")


def without_punctuation(key: str) -> str:
    """A key without its punctuation: version-control, version_control and version control are one."""
    return SEPARATORS.sub(" ", key).strip()


def without_accents(key: str) -> str:
    """A key without its accents: café and cafe are one."""
    if key.isascii():
        return key
    return "".join(letter for letter in unicodedata.normalize("NFKD", key) if not unicodedata.combining(letter))


class View:
    """A snapshot with the indices that answers need: built once when it is loaded, then only read.

    Plain lists duplicate some arrays of the snapshot, because they are faster to read item by item. The size of a view
    grows with the number of tags, not with the number of documents, which are mapped from a file.
    """

    def __init__(
        self, snapshot: Snapshot, answer_bytes: int = 0, documents: DocumentStore | MissingDocuments = NOT_LOADED
    ) -> None:
        self.snapshot = snapshot
        self.document_state = documents
        """The documents, or why they are missing. A process that gets hold of them later replaces it."""

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
            self.unaccented.setdefault(without_accents(spellings[tag]), tag)
        self._phrase_lengths = _phrase_lengths(self.unaccented)
        self.longest_phrase = max(self._phrase_lengths.values(), default=1)
        self.completion = Autocomplete([spellings[tag] for tag in self.by_count])
        self.clusters: dict[int, Cluster] = {cluster.id: cluster for cluster in snapshot.clusters}
        self.labels: dict[int, str] = {cluster.id: cluster.name for cluster in snapshot.clusters}
        self.company = company_of(snapshot)
        self.tree = snapshot.tree
        self.cluster_place, self.cluster_gaps = self._cluster_order()
        self.last_parsed: tuple[str, Any] | None = None
        """The last text that `query.parse_known` parsed, and its result."""

    @property
    def documents(self) -> DocumentStore:
        """The documents of this version; raises what the API answers if they are missing."""
        if isinstance(self.document_state, MissingDocuments):
            raise self.document_state.error
        return self.document_state

    @property
    def has_documents(self) -> bool:
        """Whether the documents are there."""
        return isinstance(self.document_state, DocumentStore)

    def popularity(self, specificity: float, size: int) -> NDArray[np.float64]:
        """The factor for the odds of each tag, for a query of `size` tags; cached for a few queries."""
        question = (specificity, min(size, 2))
        factors = self._factors.get(question)
        if factors is None:
            exponent = self.snapshot.related.popularity_exponent(specificity, size)
            factors = popularity_factors(self.snapshot.counts, exponent)
            if len(self._factors) >= CACHED_FACTORS:
                self._factors.clear()
            self._factors[question] = factors
        return factors

    def longest_phrase_from(self, word: str) -> int:
        """The number of words of the longest tag that begins with a word, whatever its accents; 1 if there is none."""
        return self._phrase_lengths.get(without_accents(word), 1)

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """The tags of each cluster, by falling count."""
        members: defaultdict[int, list[int]] = defaultdict(list)
        for tag in self.by_count:
            members[self.cluster_of[tag]].append(tag)
        return dict(members)

    @cached_property
    def count_rank(self) -> list[int]:
        """The rank of each tag by falling count."""
        ranks = [0] * len(self.by_count)
        for rank, tag in enumerate(self.by_count):
            ranks[tag] = rank
        return ranks

    @cached_property
    def edited_labels(self) -> dict[int, str]:
        """Editors' labels by cluster: a single text that either is no tag of the cluster, or leaves tags unnamed.

        A computed label consists of tags of the cluster; it is a single one only if all others are spelled alike.
        """
        keys = self.snapshot.keys
        return {
            cluster.id: cluster.name
            for cluster in self.clusters.values()
            if len(cluster.label) == 1
            and not all(alike(keys[tag], normalise(cluster.name)) for tag in self.members.get(cluster.id, []))
        }

    def label(self, tags: list[int]) -> str:
        """The label of some tags, which come by falling count: up to three of them, by count × mean cosine.

        The editor's label, if they are all the tags of a cluster that has one; a single tag is its own label.
        """
        cluster = self.cluster_of[tags[0]]
        if len(tags) > 1 and cluster in self.edited_labels and tags == self.members[cluster]:
            return self.edited_labels[cluster]
        first = tags[:NAMED_BY]
        order = list(range(len(first)))
        if len(first) > 2:  # two have the same mean cosine
            places = np.array(first, dtype=np.intp)
            order = ranked(self.relative_counts[places], self.company.mean_cosines(places))
        chosen = name(order, [self.snapshot.keys[tag] for tag in first])
        return ", ".join(self.snapshot.names[first[place]] for place in chosen)

    def _cluster_order(self) -> tuple[dict[int, int], list[int]]:
        """Each cluster's place in the leaf order of the tree above the chosen cut, and the merges between places.

        A cluster takes the place of most of its tags, so this also works for clusters that are no branches of the tree.
        """
        k = len(self.clusters)
        starts = np.flatnonzero(self.tree.gaps >= self.tree.leaves - k) + 1
        branch = np.searchsorted(starts, self.tree.place, side="right")
        places: dict[int, int] = {}
        for cluster in self.clusters:
            branches = branch[self.snapshot.partition.item_ids == cluster]
            places[cluster] = int(np.bincount(branches).argmax()) if len(branches) else 0
        return places, self.tree.gaps[starts - 1].tolist()


def _phrase_lengths(keys: Iterable[str]) -> dict[str, int]:
    """The first word of each key of several words, and how many words the longest such key has."""
    lengths: dict[str, int] = {}
    for key in keys:
        first, space, _ = key.partition(" ")
        if space:
            lengths[first] = max(lengths.get(first, 1), key.count(" ") + 1)
    return lengths
