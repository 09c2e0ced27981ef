"""Related tags from documents: the weights of all tags at given settings."""

from dataclasses import dataclass
from typing import Final

from cocluster.arrays import Sparse
from cocluster.duplicates import DistinctRows
from cocluster.suggestions.lists import Lists
from cocluster.suggestions.logistic import Evidence, logistic, no_evidence, training_documents
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


def fit_related(
    matrix: Sparse, choice: Choice = UNTUNED, form: Form | None = None, distinct: DistinctRows | None = None
) -> RelatedTags:
    """The weights of all tags at these settings; doubles a penalty that is too small for so many documents."""
    penalty = choice.penalty
    while True:
        try:
            lists = suggestion_lists(matrix, penalty, form)
            break
        except SingularRegressionError:
            penalty *= 2.0
    if not choice.logistic_weight:
        return related_tags(lists, no_evidence(lists), choice)
    evidence = logistic(training_documents(matrix, distinct), lists, choice.logistic_penalty)
    return related_tags(lists, evidence, choice)


def related_tags(lists: Lists, evidence: Evidence, choice: Choice) -> RelatedTags:
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
