"""The documents of a version without those that were deleted or replaced since, and with those that came."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from service.view.changes import ChangedDocument
from service.view.document_store import AROUND, DocumentStore
from snapshot import Card, SnapshotMeta
from snapshot.version.documents.cards import decode_card
from snapshot.version.documents.dates import NO_DATE, date_of_card
from tagmodel import OverlaidIndex
from tagmodel.language.text import TextModel


class OverlaidDocuments(DocumentStore):
    """The same as `DocumentStore`; the documents of the version are mapped as before."""

    def __init__(
        self,
        version: DocumentStore,
        meta: SnapshotMeta,
        index: OverlaidIndex,
        fresh: Sequence[ChangedDocument],
        concepts: NDArray[np.int64],
    ) -> None:
        """`fresh` are the new documents in the order of their ids, `concepts` the positions of their clusters."""
        self._version = version
        self._title_words = version.version_title_words
        self._overlay = index
        self._fresh = fresh
        self._concepts = concepts
        self._cluster_ids = [cluster.id for cluster in meta.clusters]
        self._keys = [each.key for each in fresh]
        self._places = {each.id: index.base.document_count + place for place, each in enumerate(fresh)}
        self.index = index
        self.version_index = index.base
        self.file_bytes = version.file_bytes

    @property
    def text(self) -> TextModel:
        """What the run learnt from words; fresh documents teach the next one."""
        return self._version.text

    def position(self, document: str) -> int | None:
        """The position of a document by its id; None if there is none."""
        if document in self._places:
            return self._places[document]
        position = self._version.position(document)
        return position if position is not None and self._lives(position) else None

    def id(self, position: int) -> str:
        """The id of a document."""
        fresh = self._fresh_at(position)
        return self._version.id(position) if fresh is None else fresh.id

    def close_ids(self, document: str, limit: int = 5) -> list[str]:
        """Ids that may have been meant by an unknown one."""
        ids = {self._version.id(position) for position in self._version.around(document) if self._lives(position)}
        for spelling in (document, document.casefold()):
            place = bisect_left(self._keys, spelling.encode(errors="surrogatepass"))
            ids.update(each.id for each in self._fresh[max(place - AROUND, 0) : place + AROUND])
        return [match for match, _, _ in process.extract(document, sorted(ids), scorer=fuzz.ratio, limit=limit)]

    @cached_property
    def dates(self) -> NDArray[np.int64]:
        """The date of every position; empty if none has one."""
        fresh = np.array([date_of_card(each.card) for each in self._fresh], dtype=np.int64)
        before = self._version.dates
        if not len(before) and not (fresh != NO_DATE).any():
            return before
        if not len(before):
            before = np.full(self._overlay.base.document_count, NO_DATE, dtype=np.int64)
        return np.concatenate([before, fresh])

    @property
    def has_cards(self) -> bool:
        """Whether any document has a card."""
        return self._version.has_cards or any(each.card for each in self._fresh)

    def card(self, position: int) -> Card:
        """What people see of a document."""
        fresh = self._fresh_at(position)
        return self._version.card(position) if fresh is None else decode_card(fresh.card)

    def concept(self, position: int) -> int | None:
        """The id of the tag cluster that most tags of a fresh document have; of the others, as the run found it."""
        if self._fresh_at(position) is None:
            return self._version.concept(position)
        place = int(self._concepts[position - self._overlay.base.document_count])
        return self._cluster_ids[place] if place < len(self._cluster_ids) else None

    def concept_positions(self, documents: NDArray[np.integer]) -> NDArray[np.int64]:
        """The positions of the tag clusters of some documents; the number of clusters for one that has none."""
        first = self._overlay.base.document_count
        concepts = np.empty(len(documents), dtype=np.int64)
        known = documents < first
        concepts[known] = self._version.concept_positions(documents[known])
        concepts[~known] = self._concepts[documents[~known] - first]
        return concepts

    @property
    def places(self) -> NDArray[np.uint16]:
        """Where the documents of the version lie on the map; fresh ones get a place in the next run."""
        return self._version.places

    def of_concept(self, cluster: int) -> NDArray[np.intp]:
        """The documents that belong to a tag cluster, rising; ValueError if there is no such cluster."""
        documents = self._version.of_concept(cluster)
        if self._overlay.living is not None:
            documents = documents[self._overlay.living[documents]]
        fresh = np.flatnonzero(self._concepts == self._cluster_ids.index(cluster))
        return np.concatenate([documents, fresh + self._overlay.base.document_count])

    def _fresh_at(self, position: int) -> ChangedDocument | None:
        behind = position - self._overlay.base.document_count
        return None if behind < 0 else self._fresh[behind]

    def _lives(self, position: int) -> bool:
        living = self._overlay.living
        return living is None or bool(living[position])
