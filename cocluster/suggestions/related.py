"""Related tags from documents: the weights of all tags at given settings."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster.equations.arrays import Sparse
from cocluster.equations.duplicates import DistinctRows
from cocluster.suggestions.lists import Lists
from cocluster.suggestions.logistic import LogisticWeights, logistic, no_evidence, training_documents
from cocluster.suggestions.ridge import SingularRegressionError
from cocluster.suggestions.weights import Form, suggestion_lists
from tagmodel import RelatedTags


@dataclass(frozen=True)
class Choice:
    """The settings of related tags: see suggestions.md (2)–(6). The exponents are those at specificity 0, ½ and 1."""

    penalty: float
    logistic_penalty: float
    logistic_weight: float
    popularity_exponents: tuple[float, float, float]
    single_tag_exponents: tuple[float, float, float]

    @property
    def by_specificity(self) -> list[tuple[float, float]]:
        """The exponents of queries of one tag and of longer ones, at specificity 0, ½ and 1."""
        return list(zip(self.single_tag_exponents, self.popularity_exponents, strict=True))


UNTUNED: Final = Choice(
    penalty=4.0,
    logistic_penalty=1.0,
    logistic_weight=0.5,
    popularity_exponents=(0.1, 0.25, 0.9),
    single_tag_exponents=(0.0, 0.1, 1.0),
)
"""The settings of corpora that are too small to tune them, and the start of the tuning of others."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """Weights from a part of the documents, and which of the tags they are for."""

    related: RelatedTags
    columns: NDArray[np.int64]


def fit_related(
    matrix: Sparse,
    choice: Choice = UNTUNED,
    form: Form | None = None,
    distinct: DistinctRows | None = None,
    start: Fitted | None = None,
) -> RelatedTags:
    """The weights of all tags at these settings; doubles a penalty that is too small for so many documents.

    `start`: weights at the same settings from a part of the documents, where the logistic regressions start.
    """
    penalty = choice.penalty
    while True:
        try:
            lists = suggestion_lists(matrix, penalty, form)
            break
        except SingularRegressionError:
            penalty *= 2.0
    if not choice.logistic_weight:
        return related_tags(lists, no_evidence(lists), choice)
    begin = None if start is None else evidence_for(lists, start.related, start.columns)
    evidence = logistic(training_documents(matrix, distinct), lists, choice.logistic_penalty, start=begin)
    return related_tags(lists, evidence, choice)


def evidence_for(lists: Lists, related: RelatedTags, columns: NDArray[np.int64]) -> LogisticWeights:
    """The logistic weights of `related`, whose tags are these columns, for the pairs of the lists; 0 for new pairs."""
    tags = len(lists.starts) - 1
    known = np.repeat(columns, np.diff(related.starts)) * tags + columns[related.indices]
    wanted = np.repeat(np.arange(tags), np.diff(lists.starts)) * tags + lists.indices
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)]
    prior = np.zeros(tags, np.float32)
    prior[columns] = related.prior
    return LogisticWeights(np.where(known[place] == wanted, related.evidence[place], np.float32(0.0)), prior)


def related_tags(lists: Lists, evidence: LogisticWeights, choice: Choice) -> RelatedTags:
    """Weights and settings as one RelatedTags."""
    return RelatedTags(
        starts=lists.starts,
        indices=lists.indices,
        alone=lists.alone,
        together=lists.together,
        evidence=evidence.weights,
        prior=evidence.prior,
        logistic_weight=choice.logistic_weight,
        popularity_exponents=choice.popularity_exponents,
        single_tag_exponents=choice.single_tag_exponents,
    )
