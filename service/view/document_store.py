"""The documents of one version: which have which tags, and what people see of each.

How to use it. `view.documents` is a DocumentStore, or raises what the API answers: 409 if the corpus leaves its
documents out, 503 with the reason if this service cannot hold them at the moment. `view.has_documents` asks without
raising. Take the view once in a request, and everything read here belongs to its version.

    documents = view.documents
    position = documents.position("credit-card")    # None if there is no such document
    documents.close_ids("credit-crad")              # for the answer to an unknown id
    documents.index                                 # tagmodel.DocumentLookup, for service.document_ranking
    documents.card(position).title                  # snapshot.Card: title, url, image, fields
    documents.has_cards                             # False if no document of the corpus has one
    documents.tags(position)                        # positions of tags in view.tag_names, head and tail
    documents.concept(position)                     # id of its tag cluster; view.clusters has it; None: it has none
    documents.of_concept(cluster)                   # positions of all documents of a tag cluster, rising
    documents.title_word("heartbeat")               # its number in the index, behind the tags; None: in no title

All of it reads a memory-mapped file: a page that is not in memory is read from disk, so use it off the event loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from service.errors import DocumentsUnavailable, NotPossible, ServiceError
from snapshot import Card, DocumentTable, SnapshotCorrupt, SnapshotMeta, Texts
from snapshot.version.documents.cards import decode_card
from snapshot.version.documents.dates import NO_DATE, shown_date
from tagmodel import DocumentIndex, DocumentLookup
from tagmodel.language.text import TextModel

AROUND: Final = 50
"""Ids before and after an unknown one that may have been meant."""


AFTER_ALL: Final = b"\xff"
"""Follows all of UTF-8."""


class DocumentStore:
    """The documents of one version, mapped from a file that all processes share."""

    def __init__(self, table: DocumentTable, meta: SnapshotMeta, file_bytes: int = 0) -> None:
        """SnapshotCorrupt if the table belongs to another matrix than the snapshot."""
        self._table = table
        self.file_bytes = file_bytes
        self._title_words = table.title_words
        self._cluster_ids: Sequence[int] = [cluster.id for cluster in meta.clusters]
        self.index: DocumentLookup = table.index
        self.version_index: DocumentIndex = table.index
        shape = (table.index.document_count, table.index.tag_count)
        documents = meta.all_documents
        if shape != (documents, meta.all_tags) or len(table.ids) != documents:
            raise SnapshotCorrupt(f"version {meta.version} of {meta.corpus} has the documents of another version")

    def __len__(self) -> int:
        return self.index.document_count

    def position(self, document: str) -> int | None:
        """The position of a document by its id; None if there is none."""
        return self._table.ids.find(document.encode(errors="surrogatepass"))

    def id(self, position: int) -> str:
        """The id of a document."""
        return self._table.ids.get(position).decode()

    def close_ids(self, document: str, limit: int = 5) -> list[str]:
        """Ids that may have been meant by an unknown one: the most similar of those next to it in the order of ids."""
        ids = [self.id(position) for position in self.around(document)]
        return [match for match, _, _ in process.extract(document, ids, scorer=fuzz.ratio, limit=limit)]

    @property
    def dates(self) -> NDArray[np.int64]:
        """The date of every position in seconds since the epoch, NO_DATE where there is none; empty if none has one."""
        return self._table.dates

    def date(self, position: int) -> str | None:
        """The date of a document as answers give it; None if it has none."""
        seconds = NO_DATE if not len(self.dates) else int(self.dates[position])
        return None if seconds == NO_DATE else shown_date(seconds)

    def around(self, document: str) -> list[int]:
        """The positions of the documents next to an id in the order of ids."""
        near: set[int] = set()
        for spelling in (document, document.casefold()):
            place = self.insertion(spelling.encode(errors="surrogatepass"))
            near.update(range(max(place - AROUND, 0), min(place + AROUND, len(self._table.ids))))
        return sorted(near)

    def insertion(self, key: bytes) -> int:
        """How many ids come before this one."""
        return self._table.ids.insertion(key)

    def concept_positions(self, documents: NDArray[np.integer]) -> NDArray[np.int64]:
        """The positions of the tag clusters of some documents; the number of clusters for one that has none."""
        concepts: NDArray[np.int64] = self._table.concepts[documents].astype(np.int64)
        return concepts

    @property
    def text(self) -> TextModel:
        """What the run learnt from the words of the documents."""
        return self._table.text

    @property
    def has_cards(self) -> bool:
        """Whether any document has a card."""
        return len(self._table.cards) > 0

    def card(self, position: int) -> Card:
        """What people see of a document."""
        return decode_card(self._table.cards.get(position))

    @property
    def version_title_words(self) -> Texts:
        """The words of titles in the version."""
        return self._title_words

    @property
    def has_title_words(self) -> bool:
        """Whether any title has a word that is no tag."""
        return len(self._title_words) > 0

    def title_word(self, word: str) -> int | None:
        """The number in the index of a word, as `words_of_title` gives it; None if no title has it, or it is a tag."""
        place = self._title_words.find(word.encode(errors="surrogatepass"))
        number = None if place is None else self.index.tag_count + place
        return None if number is None or not self.index.count(number) else number

    def word(self, number: int) -> str:
        """The word of titles that has a number in the index."""
        return self._title_words.get(number - self.index.tag_count).decode()

    def title_words(self, beginning: str, limit: int) -> list[tuple[str, int]]:
        """The words of titles that begin with a text, and how many documents each has; those with most first."""
        words, prefix = self._title_words, beginning.encode(errors="surrogatepass")
        first, last = words.insertion(prefix), words.insertion(prefix + AFTER_ALL)
        index, behind = self.index, self.index.tag_count
        counts = (
            np.diff(index.titles.starts[first : last + 1])
            if isinstance(index, DocumentIndex)
            else np.array([index.count(behind + place) for place in range(first, last)], dtype=np.int64)
        )
        best = np.argsort(-counts, kind="stable")[:limit].tolist()
        return [(words.get(first + place).decode(), int(counts[place])) for place in best if counts[place]]

    def tags(self, position: int) -> list[int]:
        """The tags of a document, as positions in the snapshot, rising."""
        tags: list[int] = self.index.tags_of(position).tolist()
        return tags

    def concept(self, position: int) -> int | None:
        """The id of the tag cluster that has the largest share of a document; None if its tags have no concept."""
        place = int(self._table.concepts[position])
        return self._cluster_ids[place] if place < len(self._cluster_ids) else None

    def concept_counts(self, positions: NDArray[np.intp]) -> dict[int, int]:
        """How many of these documents belong to each tag cluster, by its id; those without a concept do not count."""
        counts = np.bincount(self.concept_positions(positions), minlength=len(self._cluster_ids))
        return {each: int(count) for each, count in zip(self._cluster_ids, counts, strict=False) if count}

    @property
    def places(self) -> NDArray[np.uint16]:
        """Where documents lie on the map, x and y of each; none in versions older than the map."""
        return self._table.places

    def of_concept(self, cluster: int) -> NDArray[np.intp]:
        """The documents that belong to a tag cluster, rising; ValueError if there is no such cluster."""
        return np.flatnonzero(self._table.concepts == self._cluster_ids.index(cluster))


@dataclass(frozen=True)
class MissingDocuments:
    """Why a view has no documents."""

    reason: str
    left_out: bool = False
    """Whether the corpus leaves them out, so that waiting does not help."""

    @property
    def error(self) -> ServiceError:
        """What the API answers."""
        return NotPossible(self.reason) if self.left_out else DocumentsUnavailable(self.reason)


NOT_LOADED: Final = MissingDocuments("this process holds no documents")


def left_out_of(corpus: str) -> MissingDocuments:
    """The corpus is declared with `documents = false`."""
    return MissingDocuments(f"{corpus} leaves its documents out: it is declared with documents = false", left_out=True)
