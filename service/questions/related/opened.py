"""Ranks the tags of some documents: those of a group that was opened."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.questions.documents.sets import Mask, documents_with_all, joint_counts
from service.questions.related.ranking import NOTHING_RANKED, Ranking
from service.view.view import View

FEW: Final = 10
"""Of so few documents, a tag of a single one counts."""


def rank_among(
    view: View,
    query: tuple[int, ...],
    documents: Mask,
    *,
    specificity: float,
    limit: int,
    among: NDArray[np.bool_] | None = None,
) -> Ranking:
    """The tags of documents that have all tags and words of the query, which are left out.

    The score is p^(1 − s) · q^s with s the specificity, p the share of these documents that have the tag, and q the
    share of the tag's documents that these are: with s = ½ the cosine of the tag and the set of documents.
    """
    index = view.documents.index
    size = len(documents_with_all(index, query, documents))
    if not size:
        return NOTHING_RANKED
    counts = joint_counts(index, query, among=documents)[: len(view.counts)].astype(np.float64)
    counts[[tag for tag in query if tag < len(counts)]] = 0.0
    if among is not None:
        counts[~among] = 0.0
    tags = np.flatnonzero(counts >= (1 if size < FEW else 2))
    here = counts[tags]
    scores = (here / size) ** (1.0 - specificity) * (here / view.count_array[tags]) ** specificity
    order = np.lexsort((tags, -scores))
    best, rest = order[:limit], order[limit:]
    return Ranking(tags[best].tolist(), np.minimum(scores[best], 1.0), len(rest), float(scores[rest].sum()))
