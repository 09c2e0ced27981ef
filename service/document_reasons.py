"""Says which tags of a document are the reason that it comes up for a query."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.document_evidence import gain, lift_row, own_lift
from tagmodel import DocumentIndex

MOST: Final = 3
"""Reasons of a document, at most."""


class Reason(NamedTuple):
    """A tag of the document and its share in the score."""

    tag: int
    share: float


def reasons(index: DocumentIndex, query: Sequence[int], documents: NDArray[np.intp]) -> tuple[tuple[Reason, ...], ...]:
    """For each document, the tags of it that speak most for it, largest share first.

    What a query tag adds to the score is divided among the tags of the document by their lifts; a query tag that the
    document has takes all of its own.
    """
    rows = np.array([lift_row(index, tag) for tag in query], dtype=np.float32).reshape(len(query), index.tag_count)
    rows[np.arange(len(query)), list(query)] = [own_lift(index, tag) for tag in query]
    return tuple(_reasons(index, np.array(query), rows, document) for document in documents.tolist())


def _reasons(
    index: DocumentIndex, query: NDArray[np.intp], rows: NDArray[np.float32], document: int
) -> tuple[Reason, ...]:
    own = index.tags_of(document)
    lifts = rows[:, own]
    has = query[:, None] == own
    lifts = np.where(has.any(axis=1)[:, None] & ~has, np.float32(0), lifts)
    totals = lifts.sum(axis=1)
    gains = gain(totals, index.sizes[document : document + 1]) / np.maximum(totals, np.float32(1e-9))
    parts = gains @ lifts
    best = [place for place in np.argsort(-parts, kind="stable")[:MOST].tolist() if parts[place] > 0]
    whole = float(parts.sum())
    return tuple(Reason(int(own[place]), float(parts[place]) / whole) for place in best)
