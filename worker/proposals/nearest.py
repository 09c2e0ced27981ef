"""The existing tags that are nearest to a new one: by their letters, and by the company that it came in."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from worker.proposals.company import CompanyRows, Sparse

MOST: Final = 4
"""Tags of each sort, at most."""

NEAR: Final = 0.4
"""Pairs of letters that two names have in common, at least, as a share of the mean number of theirs."""


def near_spellings(forms: Sequence[str], others: Sequence[str]) -> list[list[int]]:
    """For each other form, the known ones with most of its pairs of letters, as places; the nearest first.

    >>> near_spellings(["storm", "stream", "snow"], ["stormy", "cat"])
    [[0], []]
    """
    place = {pair: number for number, pair in enumerate(sorted({pair for form in forms for pair in _pairs(form)}))}
    known = _letters(forms, place)
    sizes = np.array([len(_pairs(form)) for form in forms], dtype=np.float64)
    found = []
    for form in others:
        shared = csr_array(known @ _letters([form], place).T).toarray().ravel()
        alike = 2.0 * shared / (sizes + len(_pairs(form)))
        best = np.argsort(-alike, kind="stable")[:MOST].tolist()
        found.append([number for number in best if alike[number] >= NEAR])
    return found


def near_company(company: CompanyRows, weights: NDArray[np.float64]) -> list[int]:
    """The tags whose company is most like these tags, first those that are none of them."""
    if not weights.any():
        return []
    tags = len(weights)
    alike = np.asarray(company.normalised[:tags] @ weights)
    order = np.lexsort((-alike, weights > 0))[:MOST]
    return [int(tag) for tag in order if alike[tag] > 0]


def _pairs(form: str) -> set[str]:
    """The pairs of neighbouring letters, with the two ends."""
    return {f" {form} "[place : place + 2] for place in range(len(form) + 1)}


def _letters(forms: Sequence[str], place: dict[str, int]) -> Sparse:
    """Forms × pairs of letters."""
    rows = [[place[pair] for pair in _pairs(form) if pair in place] for form in forms]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    columns = np.array([pair for row in rows for pair in row], dtype=np.int64)
    return csr_array((np.ones(len(columns)), columns, starts), shape=(len(forms), len(place)))
