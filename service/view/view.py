"""A snapshot made searchable."""

import re
import unicodedata
from collections import ChainMap, Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.response_cache import ResponseCache
from service.view.autocomplete import Autocomplete
from service.view.changes import NO_CHANGES, Changes
from service.view.document_store import NOT_LOADED, DocumentStore, MissingDocuments
from service.view.edit_states import Force, edit_counts, edit_forces
from service.view.edited_clusters import edited_clusters, remaining_order
from service.view.names import Found, Names
from snapshot import NO_CONCEPT, Snapshot, SnapshotError, lineage_json, normalise
from snapshot.edits import (
    NO_EDITS,
    EditedPartition,
    EditState,
    Relations,
    computed_clusters,
    edited_partition,
    relations_of,
)
from snapshot.version.changes import Step
from tagmodel import Cluster, Company, hues_along
from tagmodel.language.group_names import LABEL_TAGS, alike, label
from tagmodel.partition import cluster_order
from tagmodel.related import popularity_factors

CACHED_FACTORS = 8
"""Each entry has one number per tag; a page needs very few entries."""

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
    """A snapshot and the edits of its corpus, with the indices that answers need: built once, then only read.

    Plain lists duplicate some arrays of the snapshot, because they are faster to read item by item. The size of a view
    grows with the number of tags, not with the number of documents, which are mapped from a file.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        answer_bytes: int = 0,
        documents: DocumentStore | MissingDocuments = NOT_LOADED,
        *,
        base: "View | None" = None,
        changes: Changes = NO_CHANGES,
    ) -> None:
        """`base` is the view of the version alone, if the snapshot has its documents with `changes` since."""
        self.snapshot = snapshot
        self.changes = changes
        self.document_state = documents
        """The documents, or why they are missing. A process that gets hold of them later replaces it."""

        self.answers = ResponseCache(answer_bytes)
        tail = snapshot.tail
        self.head_count = len(snapshot.names)
        """Tags below this number are in the tree; the others are the tail."""

        self.tag_names: tuple[str, ...] = snapshot.names + tail.names
        self.tag_keys: tuple[str, ...] = snapshot.keys + tail.keys
        self._count_documents()
        self.broad: list[bool] = [*snapshot.broad.tolist(), *[False] * len(tail)]
        counted = snapshot if base is None else base.snapshot
        in_order = self.head_count + np.argsort(-counted.tail.counts, kind="stable")
        behind = np.arange(self.head_count + len(counted.tail), len(self.counts))
        self.tail_by_count: list[int] = self._living(np.concatenate([in_order, behind]))
        """The tail tags by falling count, then by key; behind them, those that are newer than the version."""

        self.listed: list[int] = self._living(np.argsort(-counted.counts, kind="stable")) + self.tail_by_count
        """All tags as lists show them: the head by falling count in the version, then the tail."""

        self.names = Names(snapshot, self.by_count)
        self.index = self.names.index
        spellings = [without_punctuation(key) or key for key in self.tag_keys]
        self.loose, self.unaccented = _spellings(spellings, self.listed)
        self.aliases: dict[str, Found] = {}
        for form, found in self.names.others.items():
            self.aliases.setdefault(without_punctuation(form) or form, found)
        self.spellings = ChainMap(self.loose, {alias: tag for alias, (tag, _) in self.aliases.items()})
        """Tags by all their names, without punctuation."""

        self._phrase_lengths = _phrase_lengths(map(without_accents, self.spellings))
        self.longest_phrase = max(self._phrase_lengths.values(), default=1)
        self.completion = Autocomplete([spellings[tag] for tag in self.listed])
        self.alias_ranks, self.alias_names = self._ranked_aliases()
        self.alias_completion = Autocomplete([search_key(name) for name in self.alias_names])
        self.edits: EditState = NO_EDITS
        self.edited = EditedPartition(computed_clusters(snapshot))
        self.cluster_of: list[int] = self.edited.clusters
        """The cluster of each tag, head and tail; NO_CONCEPT for a tail tag that has none."""

        self.clusters: dict[int, Cluster] = {cluster.id: cluster for cluster in snapshot.clusters}
        self.company: Company = (
            Company.of(snapshot.related, snapshot.partition.labels, snapshot.broad) if base is None else base.company
        )
        self.tree = snapshot.tree
        self._cluster_order = self._computed_order()
        self.cluster_place, self.cluster_gaps = self._cluster_order
        self.hues = self._computed_hues()
        """The colour of each cluster by id, in degrees of the OKLCH circle."""

        self.steps: list[Step] = [] if base is None else base.steps
        """How the last versions differ from those before, newest first."""

        self.last_parsed: tuple[str, Any] | None = None
        """The last text that `query.parse_known` parsed, and its result."""

    def _count_documents(self) -> None:
        """What depends on the counts alone."""
        snapshot = self.snapshot
        self.counts: list[int] = [*snapshot.counts.tolist(), *snapshot.tail.counts.tolist()]
        self.by_count: list[int] = np.argsort(-snapshot.counts, kind="stable").tolist()
        """The head tags by falling count."""

        self.max_count = max(self.counts[self.by_count[0]], 1)
        self.relative_counts: NDArray[np.float64] = snapshot.counts / self.max_count
        self._factors: dict[tuple[float, int], NDArray[np.float64]] = {}
        living = np.array(self.counts) > 0
        self.living: NDArray[np.bool_] | None = None if living.all() else living
        """For each tag, whether a document has it; None if one has. Nothing suggests a tag that no document has."""

    def _living(self, tags: NDArray[np.intp]) -> list[int]:
        chosen: list[int] = (tags if self.living is None else tags[self.living[tags]]).tolist()
        return chosen

    def among_living(self, among: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        """Those of some tags, or of all, that a document has; None if all have one."""
        if self.living is None:
            return among
        return self.living if among is None else among & self.living

    def has_same_living(self, snapshot: Snapshot) -> bool:
        """Whether the same tags have documents as in a snapshot with the same tags."""
        living = np.concatenate([snapshot.counts, snapshot.tail.counts]) > 0
        return bool(living.all() if self.living is None else np.array_equal(living, self.living))

    def with_counts(self, snapshot: Snapshot, documents: DocumentStore, changes: Changes) -> "View":
        """The same tags with other documents, and with no answers yet; this view has no edits."""
        view = copy(self)
        for cached in ("members", "count_rank"):
            view.__dict__.pop(cached, None)
        view.snapshot, view.document_state, view.changes = snapshot, documents, changes
        view._count_documents()  # noqa: SLF001 - of the copy
        view.answers = ResponseCache(self.answers.capacity)
        view.last_parsed = None
        return view

    def with_changes(self, changes: Changes) -> "View":
        """The same view, which knows what was deleted: for a corpus that leaves its documents out."""
        view = copy(self)
        view.changes = changes
        view.answers = ResponseCache(self.answers.capacity)
        return view

    @property
    def fresh(self) -> int:
        """How many of its documents were pushed or replaced after the version was made."""
        return self.changes.fresh if self.has_documents else 0

    def with_edits(self, edits: EditState) -> "View":
        """The same version with other edits, and with no answers yet; what edits cannot change is shared."""
        view = copy(self)
        for cached in ("members", "tail_members", "edited_labels", "labels", "lineage", "edit_forces", "relations"):
            view.__dict__.pop(cached, None)
        view.edits = edits
        view.edited = edited_partition(self.snapshot, self.names.tag, self.company, edits)
        view.cluster_of = view.edited.clusters
        view.clusters = edited_clusters(
            self.snapshot, self.company, view.edited, view.members, file_known=edits.declared is not None
        )
        view.cluster_place, view.cluster_gaps = remaining_order(*self._cluster_order, view.clusters)
        view.answers = ResponseCache(self.answers.capacity)
        view.last_parsed = None
        return view

    @property
    def revision(self) -> int:
        """The revision of the edits."""
        return self.edits.revision

    @property
    def edition(self) -> str:
        """What all answers depend on: the version, the revision of the edits, and that of the pushed documents.

        While some documents wait for the next run, which ones: other processes may have taken up others.
        """
        parts = [self.snapshot.version, self.revision]
        if self.changes.any:
            parts += [self.changes.revision, self.changes.waiting_digest]
        return "-".join(str(part) for part in parts if part != "")

    @cached_property
    def spellings_by_length(self) -> dict[int, list[str]]:
        """All names by the number of their letters: only names of about its length are compared with a word."""
        lengths: defaultdict[int, list[str]] = defaultdict(list)
        for key in self.spellings:
            lengths[len(key)].append(key)
        return dict(lengths)

    @cached_property
    def labels(self) -> dict[int, str]:
        """The labels of the clusters by id, for pages."""
        return {cluster.id: cluster.name for cluster in self.clusters.values()}

    def moved_by_refinement(self, tag: int) -> bool:
        """Whether the run moved a tag to another cluster than its branch of the tree."""
        moved = self.snapshot.moved_by_refinement
        return tag < len(moved) and bool(moved[tag])

    @cached_property
    def lineage(self) -> dict[str, Any]:
        """The lineage as JSON. `edited` are the clusters with tags or labels by edits."""
        edited = sorted({*self.edited.changed, *self.edited.labels} & self.clusters.keys())
        return {**lineage_json(self.snapshot.lineage), "edited": edited}

    @cached_property
    def edit_forces(self) -> dict[str, Force]:
        """Whether each edit is in force in this version, by its id."""
        return edit_forces(self.snapshot, self._inactive_edits, self.edits)

    @property
    def edit_counts(self) -> dict[str, int]:
        """How many edits are in force, wait for a run or have no effect."""
        return edit_counts(self.snapshot, self._inactive_edits, self.edits)

    @property
    def _inactive_edits(self) -> dict[str, str]:
        """Why edits have no effect in this version, by id."""
        return {**self.edited.inactive, **self.relations.inactive}

    @cached_property
    def relations(self) -> Relations:
        """What editors say about tags: broader, narrower and implied ones, descriptions and labels."""
        nested = self.snapshot.parameters.get("nested")
        holding = self.edits.holding
        return relations_of(self.names.tag, self.tag_keys, holding, version=self.snapshot.version, nested=nested)

    def concept_id(self, cluster: int) -> int:
        """The id of a cluster of the run, or of the one that has its tags now, if editors moved all of them away."""
        return self.edited.heirs.get(cluster, cluster)

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

    @property
    def index_bytes(self) -> int:
        """The size of the file of its documents; 0 without documents."""
        return self.document_state.file_bytes if isinstance(self.document_state, DocumentStore) else 0

    @property
    def document_problem(self) -> str:
        """Why the documents are missing, unless the corpus leaves them out on purpose; empty if nothing is wrong."""
        missing = self.document_state
        return missing.reason if isinstance(missing, MissingDocuments) and not missing.left_out else ""

    def popularity(self, specificity: float, size: int) -> NDArray[np.float64]:
        """The factor for the odds of each tag, for a query of `size` tags; cached for a few queries."""
        question = (specificity, min(size, 2))
        factors = self._factors.get(question)
        if factors is None:
            exponent = self.snapshot.related.popularity_exponent(specificity, size)
            factors = popularity_factors(np.maximum(self.snapshot.counts, 1), exponent)
            if len(self._factors) >= CACHED_FACTORS:
                self._factors.clear()
            self._factors[question] = factors
        return factors

    def _ranked_aliases(self) -> tuple[NDArray[np.int64], list[str]]:
        """The place of the tag of each alias in `listed`, rising, and the aliases; of one tag, the commonest first."""
        ranked = [
            (rank, alias.name) for rank, tag in enumerate(self.listed) for alias in self.names.of_tag.get(tag, ())
        ]
        return np.array([rank for rank, _ in ranked], dtype=np.int64), [name for _, name in ranked]

    def longest_phrase_from(self, word: str) -> int:
        """The number of words of the longest tag that begins with a word, whatever its accents; 1 if there is none."""
        return self._phrase_lengths.get(without_accents(word), 1)

    @cached_property
    def count_array(self) -> NDArray[np.float64]:
        """The count of each tag, for arithmetic."""
        return np.array(self.counts, dtype=np.float64)

    @cached_property
    def broad_array(self) -> NDArray[np.bool_]:
        """Whether each tag is broad, for arithmetic."""
        return np.array(self.broad, dtype=np.bool_)

    @cached_property
    def breadth(self) -> NDArray[np.float64]:
        """The breadth of each tag; 0 for tail tags."""
        return np.concatenate([self.snapshot.breadth.astype(np.float64), np.zeros(len(self.snapshot.tail))])

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """The head tags of each cluster, by falling count."""
        members: defaultdict[int, list[int]] = defaultdict(list)
        for tag in self.by_count:
            members[self.cluster_of[tag]].append(tag)
        return dict(members)

    @cached_property
    def tail_members(self) -> dict[int, list[int]]:
        """The tail tags of each cluster, by falling count; those of NO_CONCEPT have none."""
        members: defaultdict[int, list[int]] = defaultdict(list)
        for tag in self.tail_by_count:
            members[self.cluster_of[tag]].append(tag)
        return dict(members)

    def concept_of(self, tag: int) -> int | None:
        """The cluster of a tag, as answers give it; None for a tail tag that has none."""
        cluster = self.cluster_of[tag]
        return None if cluster == NO_CONCEPT else cluster

    def name_of(self, number: int) -> str:
        """The name of a tag, or the word of titles with a number behind all tags."""
        return self.tag_names[number] if number < len(self.tag_names) else self.documents.word(number)

    def is_tail(self, tag: int) -> bool:
        """Whether a tag is too rare for the tree; true for the words of titles, which have numbers behind all tags."""
        return tag >= self.head_count

    @property
    def document_count(self) -> int:
        """All documents of the version, also those without a head tag."""
        return self.snapshot.all_documents

    @cached_property
    def count_rank(self) -> list[int]:
        """The rank of each tag by falling count: the head tags first, then the tail."""
        ranks = [len(self.counts)] * len(self.counts)
        for rank, tag in enumerate(self.listed):
            ranks[tag] = rank
        return ranks

    @cached_property
    def edited_labels(self) -> dict[int, str]:
        """Editors' labels by cluster."""
        return {cluster.id: cluster.name for cluster in self.clusters.values() if cluster.edited}

    def label(self, tags: list[int]) -> str:
        """The label of some tags, which come by falling count; an editor's if they are all the tags of its cluster.

        Tags of several clusters are named by the clusters: one word of each of those with most documents.
        """
        cluster = self.cluster_of[tags[0]]
        if cluster in self.edited_labels and tags == self.members[cluster]:
            return self.edited_labels[cluster]
        held = Counter(self.cluster_of[tag] for tag in tags)
        held.pop(NO_CONCEPT, None)
        if len(held) > 1:
            return ", ".join(self._words_of(held, tags))
        names = self.snapshot.names
        return ", ".join(names[tag] for tag in label(self.company, tags, self.snapshot.counts, self.snapshot.keys))

    def _words_of(self, held: Mapping[int, int], tags: list[int]) -> list[str]:
        """One word for each of the clusters that the most documents belong to; `held` counts their tags here.

        A cluster counts as far as its tags are here.
        """
        documents = dict(zip(self.snapshot.partition.ids, self.snapshot.cluster_documents, strict=False))
        share = {each: documents.get(each, 0) * count / len(self.members[each]) for each, count in held.items()}
        words: list[str] = []
        for cluster in sorted(held, key=lambda each: (-share[each], -held[each], each)):
            word = self._word_of(cluster, tags)
            if not any(alike(normalise(word), normalise(other)) for other in words):
                words.append(word)
            if len(words) == LABEL_TAGS:
                break
        return words

    def _word_of(self, cluster: int, tags: list[int]) -> str:
        """The first word of a cluster's label that is one of these tags and not broad, if any is.

        If all its words are tags of other branches, it is the cluster's commonest tag among these. An editor's label
        may have words that are no tags.
        """
        label: Sequence[str] = self.clusters[cluster].label
        here = {tag for tag in tags if self.cluster_of[tag] == cluster}
        shown = [word for word in label if (tag := self.index.get(normalise(word))) is None or tag in here]
        label = shown or [self.snapshot.names[tag] for tag in tags if tag in here]
        specific = [word for word in label if (tag := self.index.get(normalise(word))) is None or not self.broad[tag]]
        return (specific or label)[0]

    def _computed_order(self) -> tuple[dict[int, int], list[int]]:
        """Each cluster's place in the leaf order of the tree above the chosen cut, and the merges between places.

        A cluster takes the place of most of its tags, since it need not be a branch of the tree.
        """
        partition = self.snapshot.partition
        order, gaps = cluster_order(self.tree, partition)
        return {partition.ids[position]: place for place, position in enumerate(order)}, gaps

    def _computed_hues(self) -> dict[int, int]:
        """As the run stored them; older versions stored none."""
        ids = self.snapshot.partition.ids
        if len(self.snapshot.hues) == len(ids):
            return dict(zip(ids, self.snapshot.hues, strict=True))
        along = hues_along(self._cluster_order[1])
        return {cluster: along[place] for cluster, place in self._cluster_order[0].items()}


def search_key(text: str) -> str:
    """The form in which names are searched for a part: normalised, without punctuation."""
    key = normalise(text)
    return without_punctuation(key) or key


def _spellings(spellings: list[str], listed: list[int]) -> tuple[dict[str, int], dict[str, int]]:
    """The commonest tag of each spelling, and of each one without accents where this is no commoner spelling itself."""
    loose: dict[str, int] = {}
    unaccented: dict[str, int] = {}
    for tag in listed:
        plain = without_accents(spellings[tag])
        if plain != spellings[tag] and plain not in loose:
            unaccented.setdefault(plain, tag)
        loose.setdefault(spellings[tag], tag)
    return loose, unaccented


def _phrase_lengths(keys: Iterable[str]) -> dict[str, int]:
    """The first word of each key of several words, and how many words the longest such key has."""
    lengths: dict[str, int] = {}
    for key in keys:
        first, space, _ = key.partition(" ")
        if space:
            lengths[first] = max(lengths.get(first, 1), key.count(" ") + 1)
    return lengths


def make_view(snapshot: Snapshot, answer_bytes: int, documents: DocumentStore | MissingDocuments) -> View:
    """The view of a snapshot; SnapshotError if it contradicts itself."""
    try:
        snapshot.related.prepare()  # here, not on the event loop
        return View(snapshot, answer_bytes, documents)
    except (IndexError, KeyError, ValueError) as error:
        raise SnapshotError(f"version {snapshot.version} of {snapshot.corpus} contradicts itself: {error!r}") from error
