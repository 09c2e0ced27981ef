"""Says which tags of a document are the reason that it comes up for a query."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from service.document_evidence import gain, own_lift
from tagmodel import DocumentIndex

MOST: Final = 3
"""Reasons of a document, at most."""


class Reason(NamedTuple):
    """A tag of the document and its share in the score."""

    tag: int
    share: float


def reasons(index: DocumentIndex, query: Sequence[int], document: int) -> tuple[Reason, ...]:
    """The tags of a document that speak most for it, largest share first.

    What a query tag adds to the score is divided among the tags of the document by their lifts; a query tag that the
    document has takes all of its own.
    """
    own = index.tags_of(document)
    has, size = set(own.tolist()), index.sizes[document : document + 1]
    parts: defaultdict[int, float] = defaultdict(float)
    for tag in query:
        if tag in has:
            parts[tag] += float(gain(own_lift(index, tag), size)[0])
            continue
        neighbours, lifts = index.neighbours_of(tag)
        near = [(k, lift) for k, lift in zip(neighbours.tolist(), lifts.tolist(), strict=True) if k in has]
        total = sum(lift for _, lift in near)
        for k, lift in near:
            parts[k] += float(gain(total, size)[0]) * lift / total
    whole = sum(parts.values())
    best = sorted(parts, key=lambda tag: (-parts[tag], tag))[:MOST]
    return tuple(Reason(tag, parts[tag] / whole) for tag in best)
