"""What comes with a rare tag: the learnt weights of its documents' tags, and what occurs beside it.  tail.md (2)"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagmodel.index.document_index import DocumentLookup
from tagmodel.related import RelatedTags, probability

PRIOR: Final = 3.0
"""κ: the learnt weights count as much as so many documents of the rare tag."""

SHARE: Final = 0.15
"""λ: the share of the rare tags of a query beside its other tags."""

RARE_WEIGHT: Final = 0.5
"""What a rare tag beside a rare tag counts for: there are many of them, and each may be a chance."""

LARGEST_CHANCE: Final = 0.999

MOST_DOCUMENTS: Final = 16
"""Documents of a rare tag that the learnt weights are asked about: evenly spread over all it has."""

MOST_COUNTED: Final = 1000
"""Documents whose tags are counted. No rare tag has so many, but a word of titles may."""


class Beside(NamedTuple):
    """Tags with a probability beside a rare tag, rising; head and tail."""

    tags: NDArray[np.intp]
    chances: NDArray[np.float64]


def beside(related: RelatedTags, index: DocumentLookup, tag: int) -> Beside:
    """p(c|t) = (n_tc + κ mean_d p(c|d)) / (n_t + κ): the tags of its documents, and what the learnt weights add.

    p(c|d) is what the head tags of a document predict. A word of titles has them like a rare tag.  tail.md (2)
    """
    counted = _spread(index.documents_of(tag), MOST_COUNTED)
    asked = _spread(counted, MOST_DOCUMENTS)
    head = len(related.prior)
    learnt = np.zeros(head)
    for document in asked.tolist():
        tags = index.tags_of(document)
        known = tuple(tags[tags < head].tolist())
        if known:
            found = related.candidates(known)
            learnt[found.tags] += probability(found.odds)
    others, counts = np.unique(index.tags_of_all(counted).astype(np.intp), return_counts=True)
    chances = np.zeros(head)
    chances += PRIOR * learnt / len(asked)
    inside = others < head
    chances[others[inside]] += counts[inside]
    (heads,) = chances.nonzero()
    tails = others[~inside]
    kept = tails != tag
    tags = np.concatenate([heads, tails[kept]])
    values = np.concatenate([chances[heads], RARE_WEIGHT * counts[~inside][kept]])
    return Beside(tags, values / (len(counted) + PRIOR))


def _spread(documents: NDArray[np.uint32], most: int) -> NDArray[np.uint32]:
    """At most so many of the documents, evenly spread over all."""
    return documents[:: max(-(-len(documents) // most), 1)]


def chances_by_query_tag(related: RelatedTags, index: DocumentLookup, query: tuple[int, ...]) -> NDArray[np.float64]:
    """What each query tag adds to the chance of every tag, a row for each: (1 − λ) p(c|head tags) + λ p(c|rare tags).

    The head tags share theirs by their votes.  tail.md (3)
    """
    head = len(related.prior)
    known = tuple(tag for tag in query if tag < head)
    rare = tuple(tag for tag in query if tag >= head)
    share = SHARE if known and rare else float(not known)
    parts = np.zeros((len(query), index.tag_count))
    if known:
        found = related.candidates(known)
        chances = (1.0 - share) * probability(found.odds)
        votes = np.ones((1, len(found.tags))) if found.votes is None else np.maximum(found.votes[:, found.tags], 0.0)
        for tag, row in zip(known, votes / np.maximum(votes.sum(axis=0), 1e-12), strict=True):
            parts[query.index(tag), found.tags] = row * chances
    for tag in rare:
        near = beside(related, index, tag)
        parts[query.index(tag), near.tags] = share / len(rare) * near.chances
    return parts


def odds_beside_rare(
    chances: NDArray[np.float64],
    query: tuple[int, ...],
    head: int,
    popularity: Callable[[int], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """The odds of every tag × the popularity of head tags, which is given by the size of a query.  tail.md (3)

    0 for the tags of the query; words of titles have none. The popularity for a query of size 1 is asked for beside
    rare tags alone.
    """
    odds = chances / (1.0 - np.minimum(chances, LARGEST_CHANCE))
    factors = popularity(2 if any(tag < head for tag in query) else 1)
    odds[:head] *= factors
    odds[head:] *= factors.min()
    odds[[tag for tag in query if tag < len(odds)]] = 0.0
    return odds
