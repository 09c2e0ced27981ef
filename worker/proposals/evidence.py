"""Adds the evidence to what was found: counts, company that is shared, and two or three documents."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from cocluster import Incidence
from cocluster.tags.relations import Pair
from snapshot import RELATION_KINDS, Proposal, ProposalKind
from worker.proposals.company import CompanyRows, Sparse
from worker.proposals.text import Scored, TextLikeness
from worker.vocabulary.tag_corpus import TagCorpus

LOOKED_AT: Final = 200
"""Documents of a tag from which the most telling one is taken."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known of some tags: `columns` are their places in the corpus, those of the matrix first."""

    tagged: TagCorpus
    incidence: Incidence
    columns: NDArray[np.int64]
    tags: Sparse
    """Documents of the matrix × these tags."""

    company: CompanyRows
    text: TextLikeness | None = None
    """What texts say about substitutes."""

    def of_pair(self, kind: ProposalKind, pair: Pair, similarity: float) -> Proposal:
        """The proposal that two tags are one, or that one is a kind of the other or implies it."""
        tag, other = pair
        shared = self.company.shared(tag, other)
        both = np.intersect1d(self._rows(tag), self._rows(other), assume_unique=True)
        alike = self.text.of_pair(tag, other) if self.text and kind == "substitute" else None
        return Proposal(
            kind=kind,
            tag=self._name(tag),
            other=self._name(other),
            count=len(self._rows(tag)),
            other_count=len(self._rows(other)),
            together=len(both),
            similarity=round(similarity, 4),
            shared=tuple(self._name(place) for place in shared),
            documents=self._documents(kind, tag, other, both, shared),
            text_similarity=None if alike is None else round(alike, 4),
            words=self.text.words(tag, other) if self.text and alike is not None else (),
        )

    def of_tag(self, tag: int, breadth: float) -> Proposal:
        """The proposal to leave out a broad tag."""
        rows, near = self._rows(tag), self.company.nearest(tag)
        return Proposal(
            kind="broad",
            tag=self._name(tag),
            other="",
            count=len(rows),
            other_count=0,
            together=0,
            similarity=round(breadth, 4),
            shared=tuple(self._name(place) for place in near),
            documents=self._ids([int(rows[0]), int(rows[len(rows) // 2])]),
        )

    def form(self, place: int) -> str:
        """The normalised form of a tag."""
        return self.tagged.keys[int(self.columns[place])]

    def _documents(
        self, kind: ProposalKind, tag: int, other: int, both: NDArray[np.int32], shared: Sequence[int]
    ) -> tuple[str, ...]:
        """A document with each of two tags and what they share; two with both if that is what speaks for the pair.

        For a relation three: with both, and those that would change.
        """
        if kind == "co-occurring":
            return self._ids(self._most_telling(both, shared, 2))
        if kind in RELATION_KINDS:
            changed = self._most_telling(np.setdiff1d(self._rows(other), both, assume_unique=True), shared, 3)
            together = self._most_telling(both, shared, 3)
            return self._ids([*changed[: 3 - min(len(together), 1)], *together][:3])
        chosen = []
        for place in (tag, other):
            alone = np.setdiff1d(self._rows(place)[: 2 * LOOKED_AT], both, assume_unique=True)
            chosen += self._most_telling(alone if len(alone) else self._rows(place), shared, 1)
        return self._ids(chosen)

    def _most_telling(self, rows: NDArray[np.int32], shared: Sequence[int], most: int) -> list[int]:
        """The documents with the most of the shared tags; of equals the shorter."""
        rows = rows[:LOOKED_AT]
        whole = self.incidence.matrix[rows]
        telling = np.isin(whole.indices, shared)
        which = np.repeat(np.arange(len(rows)), np.diff(whole.indptr))
        order = np.lexsort((rows, np.diff(whole.indptr), -np.bincount(which, telling, minlength=len(rows))))
        return [int(rows[place]) for place in order[:most]]

    def _ids(self, rows: Iterable[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.tagged.ids[int(self.incidence.rows[row])] for row in rows))

    def _name(self, place: int) -> str:
        return self.tagged.names[int(self.columns[place])]

    def _rows(self, place: int) -> NDArray[np.int32]:
        by_tag = self._by_tag
        return by_tag.indices[by_tag.indptr[place] : by_tag.indptr[place + 1]]

    @cached_property
    def _by_tag(self) -> "csc_array[np.float64]":
        by_tag = self.tags.tocsc()
        by_tag.sort_indices()
        return by_tag


def undecided_pairs(
    pairs: Iterable[Scored], decided: set[frozenset[str]], evidence: Evidence, most: int
) -> Iterator[Scored]:
    """The first pairs about which nothing was decided or proposed before; they count as proposed from now on."""
    for pair, similarity in pairs:
        forms = frozenset(map(evidence.form, pair))
        if forms not in decided and most > 0:
            decided.add(forms)
            most -= 1
            yield pair, similarity
