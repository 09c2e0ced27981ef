"""The company that tags keep: how alike two tags are, by the tags that they occur with."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tagmodel.related import RelatedTags

Floats = NDArray[np.float32]
Cosines = NDArray[np.float64]

OWN_SHARE: Final = 0.05
"""What a tag counts for in its own company, beside 1 for all others: a little, so that tags that replace each other
(two spellings, two kinds of flour) can be alike without ever meeting."""

NEIGHBOURS: Final = 128
"""So many of them: the rest changes groups little and costs time."""

CENTRED: Final = 0.5
"""How much of the mean of all candidates is subtracted: more gives more even groups, less a higher AUC."""

BONUS: Final = 0.1
"""What two tags of one concept are more alike, in cosine."""

BROAD_BONUS: Final = 0.05
"""The same if one of them is broad: broad tags are of a concept by chance."""


@dataclass(frozen=True, eq=False)
class Company:
    """The nearest tags of every tag, and √ of their shares in its company; one row a tag, of one length.

    A tag with fewer neighbours repeats itself. Products of rows are Bhattacharyya coefficients.

    Attributes:
        columns: the neighbours of each tag, itself first.
        roots: √ of their shares.
        concepts: the cluster of each tag.
        broad: whether a tag is broad.
    """

    columns: NDArray[np.int32]
    roots: Floats
    concepts: NDArray[np.int32]
    broad: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        related: RelatedTags,
        concepts: NDArray[np.int32],
        broad: NDArray[np.bool_],
        own_share: float = OWN_SHARE,
        neighbours: int = NEIGHBOURS,
    ) -> "Company":
        """The company of every tag: its one-tag weights above 0, as shares of their sum."""
        m = len(related.prior)
        row = np.repeat(np.arange(m), np.diff(related.starts))
        other, weights = related.indices[: len(row)], related.alone[: len(row)]
        weights = np.where(row != other, np.maximum(weights, 0.0), 0.0).astype(np.float64)
        shares = weights / np.maximum(np.bincount(row, weights, minlength=m), 1e-12)[row]
        order = np.lexsort((-shares, row))
        place = np.arange(len(row)) - np.repeat(related.starts[:-1], np.diff(related.starts))
        listed = (place < neighbours) & (shares[order] > 0)
        best, position = order[listed], place[listed] + 1
        length = min(neighbours, m) + 1
        columns = np.repeat(np.arange(m, dtype=np.int32)[:, None], length, axis=1)
        values = np.full((m, length), own_share)
        columns[row[best], position] = other[best]
        values[row[best], position] = shares[best]
        own = columns == np.arange(m)[:, None]
        total = np.where(own, 0.0, values).sum(axis=1, keepdims=True) + own_share
        return cls(columns, np.sqrt(values / total).astype(np.float32), concepts, broad)

    def cosines(self, tags: NDArray[np.intp]) -> Cosines:
        """How alike some tags are, those of one concept a little more."""
        return join_concepts(centred_cosines(rows_of(self, tags)), self.concepts[tags], self.broad[tags])

    def mean_cosines(self, tags: NDArray[np.intp]) -> NDArray[np.float64]:
        """The mean cosine of each of some tags with the others, after half of the mean of the corpus is subtracted.

        The sum of the cosines with all is the product with the sum of all, so that thousands of tags take little time.
        """
        columns, roots = self.columns[tags], self._roots(tags)
        products, square = self._mean
        inverse = 1.0 / self._lengths[tags]
        total = np.bincount(columns.ravel(), (roots * inverse[:, None]).ravel(), minlength=len(self.columns))
        count = inverse.sum()
        sums = (roots * total[columns]).sum(axis=1) - CENTRED * count * products[tags]
        sums += CENTRED**2 * square * count - CENTRED * (inverse * products[tags]).sum()
        means: NDArray[np.float64] = (sums * inverse - 1.0) / max(len(tags) - 1, 1)
        return means

    def _roots(self, tags: NDArray[np.intp]) -> Floats:
        """The roots of some tags with 0 where a tag repeats itself."""
        repeated = self.columns[tags] == tags[:, None]
        repeated[:, 0] = False
        return np.where(repeated, np.float32(0.0), self.roots[tags])

    @cached_property
    def _mean(self) -> tuple[NDArray[np.float64], float]:
        """The product of every tag's row with the mean of all rows, and that of the mean with itself."""
        m = len(self.columns)
        roots = self._roots(np.arange(m))
        mean = np.bincount(self.columns.ravel(), roots.ravel(), minlength=m) / m
        return (roots * mean[self.columns]).sum(axis=1), float(mean @ mean)

    @cached_property
    def _lengths(self) -> NDArray[np.float64]:
        """The length of every tag's row after half of the mean is subtracted."""
        products, square = self._mean
        return np.sqrt(np.maximum(1.0 - 2.0 * CENTRED * products + CENTRED**2 * square, 1e-12))


def rows_of(whole: Company, tags: NDArray[np.intp]) -> Floats:
    """The company of some tags as a matrix: tags × the tags in the company of at least two of them."""
    columns = whole.columns[tags]
    shared = np.bincount(columns.ravel(), minlength=len(whole.columns)) > 1
    number = np.cumsum(shared)
    width = int(number[-1]) + 1
    number *= shared  # all others go to column 0, which is emptied
    rows = np.zeros((len(tags), width), dtype=np.float32)
    rows.ravel()[number[columns] + np.arange(0, rows.size, width)[:, None]] = whole.roots[tags]
    rows[:, 0] = 0.0
    return rows


def centred_cosines(rows: Floats) -> Cosines:
    """Cosines of the rows after half of their mean is subtracted.

    What all candidates share says little about groups. But without it, common tags of no group lose their company.
    """
    n = len(rows)
    products = (rows @ rows.T).astype(np.float64)
    np.fill_diagonal(products, 1.0)
    means = CENTRED * (products.sum(axis=0) / n)
    products -= means
    products -= (means - CENTRED * (means.sum() / n))[:, None]
    lengths = np.sqrt(np.maximum(products.diagonal(), 1e-12))
    products /= lengths
    products /= lengths[:, None]
    return products


def join_concepts(
    cosines: Cosines, concepts: NDArray[np.int32], broad: NDArray[np.bool_], broad_bonus: float = BROAD_BONUS
) -> Cosines:
    """The cosines with a little more for tags of one concept, so that groups outlast new documents as concepts do."""
    bonus = np.where(broad[:, None] | broad, broad_bonus, BONUS)
    bonus *= concepts[:, None] == concepts
    np.fill_diagonal(bonus, BONUS)
    bonus += cosines
    bonus /= 1.0 + BONUS
    return bonus
