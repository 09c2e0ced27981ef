"""Measures how well related tags predict hidden tags of held-out documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster.suggestions import Lists, LogisticWeights, hidden_ranks
from tagmodel import RelatedTags
from tagmodel.related import popularity_factors
from worker.suggestions.held_out import HeldOut

FIRST: Final = 10


@dataclass(frozen=True)
class RankingQuality:
    """How well hidden tags are predicted: the mean over held-out documents of the mean over their tags.

    This is the expectation of hiding one random tag of each document, without its noise.
    """

    recall: float
    mrr: float
    tail_recall: float
    coverage: float
    cases: int


def evaluate(
    trial: HeldOut,
    related: RelatedTags,
    logistic_weights: tuple[float, ...],
    exponents: Sequence[tuple[float, float]],
    *,
    coverage: bool = True,
) -> list[list[RankingQuality]]:
    """Hide each tag of each held-out document in turn, query with the rest, and rank the hidden tag.

    For each logistic weight, the quality at each pair of popularity exponents: that of queries of one tag, and that of
    longer ones. Without `coverage` that figure is NaN, and the rest takes less time.
    """
    ranks, seen = hidden_ranks(
        Lists(related.starts, related.indices, related.alone, related.together),
        LogisticWeights(related.evidence, related.prior),
        trial.starts,
        trial.tags,
        trial.asked,
        logistic_weights=np.array(logistic_weights, dtype=np.float64),
        factors=np.array(
            [np.column_stack([popularity_factors(trial.counts, pair[side]) for pair in exponents]) for side in (0, 1)]
        ),
        first=FIRST if coverage else 0,
    )
    return [
        [
            quality_of_ranks(
                trial, ranks[:, weight, exponent], float(seen[weight, exponent].mean()) if coverage else nan
            )
            for exponent in range(len(exponents))
        ]
        for weight in range(len(logistic_weights))
    ]


def hidden_tag_queries(trial: HeldOut) -> Iterator[tuple[tuple[int, ...], int]]:
    """Each query with its hidden tag."""
    for document in trial.documents:
        tags = document.tolist()
        for position, target in enumerate(tags):
            yield (*tags[:position], *tags[position + 1 :]), target


def quality_of_ranks(trial: HeldOut, ranks: NDArray[np.int32], coverage: float) -> RankingQuality:
    """The quality, from the ranks of the hidden tags in the answers to all questions; rank 0: not in the answer."""
    weights = trial.weights
    rare = weights * trial.tail[trial.tags]
    hits = (ranks > 0) & (ranks <= FIRST)
    reciprocal = np.where(ranks > 0, 1.0 / np.maximum(ranks, 1), 0.0)
    return RankingQuality(
        recall=float(hits @ weights / weights.sum()),
        mrr=float(reciprocal @ weights / weights.sum()),
        tail_recall=float(hits @ rare / rare.sum()) if rare.any() else 0.0,
        coverage=coverage,
        cases=int(trial.asked.sum()),
    )
