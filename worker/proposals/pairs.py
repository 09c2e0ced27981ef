"""Finds pairs of tags that may be one: spelled alike, always together, never together."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.tags.relations import FEWEST, STRIPE, Pair, joint_counts
from worker.proposals.company import CompanyRows, Floats, Sparse
from worker.proposals.spelling import Alike

SAME_WORDS: Final = 0.05
ONE_LETTER: Final = 0.15
"""How alike the company of two tags must be if they are the same words, or differ in a letter."""

TOGETHER: Final = 0.5
"""Documents with both of two co-occurring tags, as a share of those with either."""

NEVER: Final = 0.02
"""Documents with both of two substitutes, at most, as a share of those with the rarer."""

EXPECTED: Final = 1.0
"""Documents with both that chance alone would make, at least: otherwise that there are none says nothing."""

SUBSTITUTE: Final = 0.3
"""How alike the company of substitutes must be."""

CLEAR: Final = 0.8
CLEARLY_ALIKE: Final = 0.9
"""The second partner of either tag must be this much worse: tags with several partners are lists of one person."""


def by_spelling(pairs: Iterable[Alike], company: CompanyRows, counts: NDArray[np.int64]) -> list[tuple[Pair, float]]:
    """Pairs that are spelled alike and keep similar company, those with the largest effect first."""
    listed = list(pairs)
    if not listed:
        return []
    places = np.array([(pair.known, pair.other) for pair in listed], dtype=np.intp)
    similarity = company.similarity(places[:, 0], places[:, 1])
    least = np.where([pair.by_letter for pair in listed], ONE_LETTER, SAME_WORDS)
    order = np.argsort(-similarity * np.log2(1.0 + counts[places[:, 1]]), kind="stable")
    return [
        ((listed[place].known, listed[place].other), float(similarity[place]))
        for place in order.tolist()
        if similarity[place] >= least[place]
    ]


def co_occurring(M: Sparse, company: CompanyRows) -> list[tuple[Pair, float]]:
    """Pairs of which one hardly ever occurs without the other, and neither with a third; most often together first."""
    counts = np.bincount(M.indices, minlength=M.shape[1]).astype(np.float64)
    partner, best, second = np.zeros(M.shape[1], dtype=np.intp), np.zeros(M.shape[1]), np.zeros(M.shape[1])
    for start, together in joint_counts(M):
        row = np.repeat(np.arange(together.shape[0]), np.diff(together.indptr)) + start
        either = counts[row] + counts[together.indices] - together.data
        share = np.where(row == together.indices, 0.0, together.data / either)
        _two_best(row, together.indices, share, into=(partner, best, second))
    pairs = [
        pair
        for pair in _mutual(partner, best)
        if best[pair[0]] >= TOGETHER and counts[list(pair)].min() >= FEWEST
        if second[list(pair)].max() <= CLEAR * best[pair[0]]
    ]
    return _sorted(pairs, best, counts, company)


def substitutes(M: Sparse, company: CompanyRows) -> list[tuple[Pair, float]]:
    """Pairs that keep the same company and are never together, although chance alone would bring them together.

    What is less alike than a second partner that matters is left out at once.
    """
    counts = np.bincount(M.indices, minlength=M.shape[1]).astype(np.float64)
    rows = company.normalised[: M.shape[1]]
    columns = csr_array(rows.T)
    partner, best, second = np.zeros(M.shape[1], dtype=np.intp), np.zeros(M.shape[1]), np.zeros(M.shape[1])
    for start, together in joint_counts(M):
        row, column, alike = _entries(csr_array(rows[start : start + STRIPE] @ columns), SUBSTITUTE * CLEARLY_ALIKE)
        one, other = counts[start + row], counts[column]
        both = _looked_up(together, row, column)
        chosen = (both <= NEVER * np.minimum(one, other)) & (one * other >= EXPECTED * M.shape[0])
        _two_best(row[chosen] + start, column[chosen], alike[chosen], into=(partner, best, second))
    pairs = [
        pair
        for pair in _mutual(partner, best)
        if best[pair[0]] >= SUBSTITUTE and second[list(pair)].max() <= CLEARLY_ALIKE * best[pair[0]]
    ]
    return _sorted(pairs, best, counts, company)


def _entries(matrix: Sparse, least: float = 0.0) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Row, column and value of each entry of at least this value."""
    (chosen,) = np.nonzero(matrix.data >= least)
    row = np.searchsorted(matrix.indptr, chosen, side="right") - 1
    return row, matrix.indices[chosen].astype(np.int64), matrix.data[chosen]


def _looked_up(matrix: Sparse, row: NDArray[np.int64], column: NDArray[np.int64]) -> Floats:
    """The values at these places, 0 where there is no entry."""
    matrix.sort_indices()
    rows, columns, values = _entries(matrix)
    keys, wanted = rows * matrix.shape[1] + columns, row * matrix.shape[1] + column
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, values[place], 0.0)


def _two_best(
    row: NDArray[np.integer],
    column: NDArray[np.integer],
    score: Floats,
    *,
    into: tuple[NDArray[np.intp], Floats, Floats],
) -> None:
    """Note the partner of each row with the highest score, this score, and the second highest."""
    partner, best, second = into
    order = np.lexsort((column, -score, row))
    rows, firsts = np.unique(row[order], return_index=True)
    partner[rows], best[rows] = column[order][firsts], score[order][firsts]
    more = np.append(firsts[1:], len(order)) - firsts > 1
    second[rows[more]] = score[order][firsts[more] + 1]


def _mutual(partner: NDArray[np.intp], best: Floats) -> list[Pair]:
    """The pairs that are each other's best partner."""
    one = np.flatnonzero((partner[partner] == np.arange(len(partner))) & (np.arange(len(partner)) < partner))
    return [(int(place), int(partner[place])) for place in one if best[place] > 0]


def _sorted(pairs: list[Pair], best: Floats, counts: Floats, company: CompanyRows) -> list[tuple[Pair, float]]:
    """Pairs by falling score, the commoner tag first, with the similarity of their company."""
    if not pairs:
        return []
    pairs = sorted(((a, b) if counts[a] >= counts[b] else (b, a) for a, b in pairs), key=lambda pair: -best[pair[0]])
    places = np.array(pairs, dtype=np.intp)
    similarity = company.similarity(places[:, 0], places[:, 1])
    return list(zip(pairs, similarity.tolist(), strict=True))
