"""The company of tags for proposals: which tags occur with a tag more often than by chance, and how alike that is."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.tags.lifts import lifts

Sparse = csr_array[np.float64, tuple[int, int]]
Floats = NDArray[np.float64]
Places = NDArray[np.intp]

NEAREST: Final = 128
"""Tags in the company of a tag, at most: those with the largest weights."""

SHARED: Final = 5
STRIPE: Final = 512
"""Tags whose company is computed at a time, so that the counts of all pairs are never in memory at once."""


@dataclass(frozen=True, eq=False)
class CompanyRows:
    """The company of some tags, one row each: log₂ of the lifts above 1 of the other tags; 0 for the tag itself."""

    rows: Sparse

    def similarity(self, one: Places, other: Places) -> Floats:
        """The cosine of the company of each pair of rows, without what either says about the other of the pair.

        The product leaves that out by itself, because no tag is in its own company.
        """
        a, b = self.rows[one], self.rows[other]
        products: Floats = np.asarray(a.multiply(b).sum(axis=1)).ravel()
        lengths = (self._squares[one] - _cells(a, other) ** 2) * (self._squares[other] - _cells(b, one) ** 2)
        cosines: Floats = products / np.sqrt(np.maximum(lengths, 1e-12))
        return cosines.clip(0.0, 1.0)

    def shared(self, one: int, other: int) -> list[int]:
        """The tags in the company of both, those that are nearest to the two first."""
        common = self.rows[[one]].multiply(self.rows[[other]]).tocsr()
        return [int(tag) for tag in common.indices[np.argsort(-common.data, kind="stable")][:SHARED]]

    def nearest(self, row: int) -> list[int]:
        """The nearest tags of one tag."""
        own = slice(self.rows.indptr[row], self.rows.indptr[row + 1])
        return [int(tag) for tag in self.rows.indices[own][np.argsort(-self.rows.data[own], kind="stable")][:SHARED]]

    @cached_property
    def normalised(self) -> Sparse:
        """The rows at length 1."""
        lengths = np.repeat(np.sqrt(np.maximum(self._squares, 1e-12)), np.diff(self.rows.indptr))
        return csr_array((self.rows.data / lengths, self.rows.indices, self.rows.indptr), shape=self.rows.shape)

    @cached_property
    def _squares(self) -> Floats:
        squares: Floats = np.asarray(self.rows.multiply(self.rows).sum(axis=1)).ravel()
        return squares


def company_of(tags: Sparse, M: Sparse) -> CompanyRows:
    """The company of tags (documents × these tags) among the tags of M. The first columns of `tags` are those of M."""
    counts, own_counts = _counts(M), _counts(tags)
    transposed = csr_array(tags.T)
    stripes = []
    for start in range(0, tags.shape[1], STRIPE):
        together = csr_array(transposed[start : start + STRIPE] @ M)
        row = np.repeat(np.arange(start, start + together.shape[0]), np.diff(together.indptr))
        lift = lifts(together.data, counts[together.indices], own_counts[row], M.shape[0])
        weights = np.where(row == together.indices, 0.0, np.log2(np.maximum(lift, 1.0)))
        stripes.append(_heaviest(row - start, together.indices, weights, together.shape))
    data, indices, lengths = (np.concatenate(parts) for parts in zip(*stripes, strict=True))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return CompanyRows(csr_array((data, indices, starts), shape=(tags.shape[1], M.shape[1])))


def _heaviest(
    row: NDArray[np.int64], columns: NDArray[Any], weights: Floats, shape: tuple[int, int]
) -> tuple[Floats, NDArray[Any], NDArray[np.int64]]:
    """The heaviest entries of each row: weights, columns, and how many there are of each row."""
    order = np.lexsort((columns, -weights, row))
    order = order[weights[order] > 0]
    starts = np.searchsorted(row[order], np.arange(shape[0]))
    order = order[np.arange(len(order)) - starts[row[order]] < NEAREST]
    order = order[np.lexsort((columns[order], row[order]))]
    return weights[order], columns[order], np.bincount(row[order], minlength=shape[0])


def _cells(rows: Sparse, columns: Places) -> Floats:
    """The entry of each row in its column; 0 for a column that the rows do not have."""
    cells = np.zeros(rows.shape[0])
    inside = columns < rows.shape[1]
    cells[inside] = np.asarray(rows[np.flatnonzero(inside), columns[inside]]).ravel()
    return cells


def _counts(M: Sparse) -> Floats:
    return np.bincount(M.indices, minlength=M.shape[1]).astype(np.float64)
