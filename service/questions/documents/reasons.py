"""Says which tags of a document are the reason that it comes up for a query."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.questions.documents.evidence import lift_row, score_gain
from service.questions.documents.postings import own_lift
from service.questions.documents.sets import per_document
from tagmodel import DocumentLookup

MOST: Final = 3
"""Reasons of a document, at most."""


class Reason(NamedTuple):
    """A tag of the document and its share in the score."""

    tag: int
    share: float


def reasons(index: DocumentLookup, query: Sequence[int], documents: NDArray[np.intp]) -> tuple[tuple[Reason, ...], ...]:
    """For each document, the tags of it that speak most for it, largest share first.

    What a query tag adds to the score is divided among the tags of the document by their lifts; a query tag that the
    document has takes all of its own.
    """
    if not len(query) or not len(documents):
        return ((),) * len(documents)
    own, sizes = index.tags_of_all(documents), index.sizes_of(documents).astype(np.intp)
    ends = np.cumsum(sizes)
    parts = _parts(index, query, own, sizes)
    spans = zip((ends - sizes).tolist(), ends.tolist(), strict=True)
    return tuple(_largest(own[start:end].tolist(), parts[start:end].tolist()) for start, end in spans)


def _parts(
    index: DocumentLookup, query: Sequence[int], own: NDArray[Any], sizes: NDArray[np.intp]
) -> NDArray[np.float32]:
    """What each tag of each document adds to the score; `own` has the tags, one document after the other."""
    has = np.array(query)[:, None] == own
    lifts = np.array([lift_row(index, tag)[own] for tag in query])
    lifts[np.repeat(per_document(np.logical_or, has, sizes), sizes, axis=1)] = 0.0
    lifts += has * np.array([own_lift(index, tag) for tag in query])[:, None]
    totals = per_document(np.add, lifts, sizes)
    rates = score_gain(totals, sizes) / np.maximum(totals, np.float32(1e-9))
    parts: NDArray[np.float32] = (np.repeat(rates, sizes, axis=1) * lifts).sum(axis=0)
    return parts


def _largest(tags: list[int], parts: list[float]) -> tuple[Reason, ...]:
    """The tags with the largest parts, as reasons."""
    whole = sum(parts)
    best = sorted(range(len(tags)), key=lambda place: -parts[place])[:MOST]
    return tuple(Reason(tags[place], parts[place] / whole) for place in best if parts[place] > 0)
