"""Related tags: the learnt weights from tag to tag, and the one formula that scores candidates for a query."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

SPECIFICITIES: Final = (0.0, 0.5, 1.0)
"""A run chooses a popularity exponent for each; between them, exponents are interpolated linearly."""

Exponents = tuple[float, float, float]


class Candidates(NamedTuple):
    """The candidates for a query with their odds: of one tag in the order of its list, of several by their index.

    `votes` are the weights of several query tags for all tags, a row for each query tag; a single one needs none.
    """

    tags: NDArray[np.intp]
    odds: NDArray[np.float64]
    votes: NDArray[np.float32] | None


@dataclass(frozen=True, eq=False)
class RelatedTags:
    """The tags with a weight from each tag, best first: those of tag i are indices[starts[i]:starts[i + 1]].

    Best first means by falling weight alone.

    Attributes:
        starts: where the list of each tag begins.
        indices: the tags of the lists.
        alone: the weights of a tag that is the whole query.
        together: the weights of a tag among others.
        evidence: the weights of the logistic regressions, in logits; they add to the prior.
        prior: the logit of each tag without any query.
        logistic_weight: how much the logistic regressions count beside the linear ones, 0…1.
        popularity_exponents: the exponents of a tag's count at specificity 0, ½ and 1.
        single_tag_exponents: the same for a query of one tag.
    """

    starts: NDArray[np.int32]
    indices: NDArray[np.int32]
    alone: NDArray[np.float32]
    together: NDArray[np.float32]
    evidence: NDArray[np.float32]
    prior: NDArray[np.float32]
    logistic_weight: float
    popularity_exponents: Exponents
    single_tag_exponents: Exponents

    def prepare(self) -> None:
        """Compute what the first query would otherwise wait for: some milliseconds for millions of weights."""
        self._starts, self._positive_ends  # noqa: B018 - cached from now on

    def span(self, tag: int) -> slice:
        """Where the list of one tag is."""
        return slice(self._starts[tag], self._starts[tag + 1])

    def weights(self, tag: int, query_size: int) -> NDArray[np.float32]:
        """The weights of one tag of a query for indices[span(tag)].  suggestions.md (5)

        Beside other tags a tag counts only for itself; alone it also stands for those that are missing.
        """
        return self.alone[self.span(tag)] if query_size == 1 else self.together[self.span(tag)]

    def candidates(self, query: tuple[int, ...]) -> Candidates:
        """The tags outside the query whose weights add up to more than 0, and the odds of each.

        suggestions.md (6), without the popularity.
        """
        if len(query) == 1:
            positive = slice(self._starts[query[0]], self._positive_ends[query[0]])
            return Candidates(self._listed(positive), self.alone[positive].astype(np.float64), None)
        votes = np.zeros((len(query), len(self.prior)), dtype=np.float32)
        logits = self.prior.copy()
        for row, tag in zip(votes, query, strict=True):
            span = self.span(tag)
            listed = self._listed(span)
            row[listed] = self.together[span]
            logits[listed] += self.evidence[span]
        total = votes.sum(axis=0)
        for tag in query:
            total[tag] = 0.0
        (tags,) = (total > 0).nonzero()
        odds = total[tags].astype(np.float64)
        share = self.logistic_weight
        if share == 0:
            return Candidates(tags, odds, votes)
        return Candidates(tags, np.exp((1.0 - share) * np.log(odds) + share * logits[tags].astype(np.float64)), votes)

    def company(self, query: tuple[int, ...]) -> NDArray[np.float64]:
        """The mean weight of the query tags for every tag, each as if it were alone.

        Where many tags are still missing, each of those that are there also stands for them.
        """
        total = np.zeros(len(self.prior))
        for tag in query:
            span = self.span(tag)
            total[self._listed(span)] += np.maximum(self.alone[span], 0.0)
        return total / max(len(query), 1)

    def _listed(self, span: slice) -> NDArray[np.intp]:
        """The tags of a list, in the type by which numpy indexes several times faster than by others."""
        return self.indices[span].astype(np.intp)

    @cached_property
    def _starts(self) -> list[int]:
        """A list is faster to read item by item."""
        starts: list[int] = self.starts.tolist()
        return starts

    @cached_property
    def _positive_ends(self) -> list[int]:
        """Where the list of each tag falls to 0: it is in the order of its weights alone."""
        positive = np.concatenate([[0], np.cumsum(self.alone > 0)])
        starts = self.starts.astype(np.intp)
        ends: list[int] = (starts[:-1] + np.diff(positive[starts])).tolist()
        return ends

    def popularity_exponent(self, specificity: float, query_size: int) -> float:
        """The exponent at a specificity, interpolated between those of 0, ½ and 1."""
        exponents = self.single_tag_exponents if query_size == 1 else self.popularity_exponents
        return float(np.interp(specificity, SPECIFICITIES, exponents))


def probability(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Odds as a score between 0 and 1."""
    scores: NDArray[np.float64] = odds / (1.0 + odds)
    return scores


def popularity_factors(counts: NDArray[Any], exponent: float) -> NDArray[np.float64]:
    """count^−exponent, scaled so that none is above 1: the rarest tag has 1, with a negative exponent the commonest.

    suggestions.md (6)
    """
    scale = counts.min() if exponent > 0 else counts.max()
    factors: NDArray[np.float64] = (counts / scale) ** -exponent
    return factors
