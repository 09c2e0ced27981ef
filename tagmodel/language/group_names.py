"""Names of groups of tags, by the one rule: up to three of their own, the commonest that fit best."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tagmodel.company import Company

LABEL_TAGS: Final = 3
ALIKE: Final = 0.8
"""What share of their letters near-duplicates have in common."""

NAMED_BY: Final = 1000
"""The commonest tags decide on a name; so many are enough."""

REMEMBERED: Final = 8192
"""Pairs of spellings: the same few lead many groups."""


def label(whole: Company, tags: Sequence[int], counts: NDArray[Any], keys: Sequence[str]) -> list[int]:
    """The tags that name some tags, which come by falling count: those of the largest count × mean cosine."""
    first = list(tags[:NAMED_BY])
    order = list(range(len(first)))
    if len(first) > 2:  # two have the same mean cosine
        places = np.array(first, dtype=np.intp)
        order = ranked(counts[places].astype(np.float64), whole.mean_cosines(places))
    return [first[place] for place in name(order, [keys[tag] for tag in first])]


def ranked(scores: NDArray[np.float64], fit: NDArray[np.float64]) -> list[int]:
    """The places of tags, those first that represent their group best: score × mean cosine with the others."""
    places: list[int] = np.argsort(-(np.maximum(fit, 0.0) * scores), kind="stable").tolist()
    return places


def name(ranked: Sequence[int], keys: Sequence[str]) -> list[int]:
    """The first three, without near-duplicates of those already chosen."""
    chosen: list[int] = []
    for place in ranked:
        for other in chosen:  # a loop, because clouds name many groups, and any() takes three times as long
            if alike(keys[place], keys[other]):
                break
        else:
            chosen.append(place)
            if len(chosen) == LABEL_TAGS:
                break
    return chosen


@lru_cache(maxsize=REMEMBERED)
def alike(one: str, other: str) -> bool:
    """Near-duplicates: one begins with the other, or they share most of their letters in order."""
    if one.startswith(other) or other.startswith(one):
        return True
    least = ALIKE * (len(one) + len(other)) / 2
    return min(len(one), len(other)) >= least and common_letters(one, other) >= least


def common_letters(one: str, other: str) -> int:
    """The length of the longest common subsequence, with the bits of a number as one row of the usual table."""
    places: dict[str, int] = {}
    for place, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << place
    row = whole = (1 << len(one)) - 1
    for letter in other:
        matched = row & places.get(letter, 0)
        row = (row + matched) | (row - matched)
    return len(one) - (row & whole).bit_count()
