"""Ranks the related tags of a query."""

import numpy as np

from cocluster.equations.arrays import Ints
from tagmodel import RelatedTags
from tagmodel.related import popularity_factors, probability


def rank_related(
    related: RelatedTags, counts: Ints, query: tuple[int, ...], n: int, specificity: float
) -> list[tuple[int, float]]:
    """The n best candidates with their scores: odds × popularity; of equals, the lower number.  suggestions.md (6)"""
    tags, odds, _ = related.candidates(query)
    exponent = related.popularity_exponent(specificity, len(query))
    odds = odds * popularity_factors(counts, exponent)[tags]
    best = np.lexsort((tags, -odds))[:n]
    return list(zip(tags[best].tolist(), probability(odds[best]).tolist(), strict=True))
