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
    rows = [lift_row(index, tag) for tag in query]
    return tuple(_reasons(index, query, rows, document) for document in documents.tolist())


def _reasons(
    index: DocumentIndex, query: Sequence[int], rows: Sequence[NDArray[np.float32]], document: int
) -> tuple[Reason, ...]:
    own, size = index.tags_of(document), index.sizes[document : document + 1]
    parts = np.zeros(len(own))
    for tag, row in zip(query, rows, strict=True):
        place = int(np.searchsorted(own, tag))
        if place < len(own) and own[place] == tag:
            parts[place] += gain(own_lift(index, tag), size)[0]
        elif (total := (lifts := row[own]).sum()) > 0:
            parts += gain(total, size)[0] / total * lifts
    best = [place for place in np.argsort(-parts, kind="stable")[:MOST].tolist() if parts[place] > 0]
    return tuple(Reason(int(own[place]), float(parts[place] / parts.sum())) for place in best)
