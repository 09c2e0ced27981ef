"""M* as a product rows · G that is never written out, for corpora with many documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array, hstack

from cocluster.equations.arrays import Floats, Ints, Singles, Sparse
from cocluster.equations.neighbours import Bounded, bounded, bounded_symmetric
from cocluster.equations.smoothing import STRIPE, gathering_factor, gathering_matrix, rows_of_product, teleport
from cocluster.equations.transition import Transitions
from cocluster.tasks import LocalTasks

DENSE_TAGS = 10_000
"""Up to so many different tags G is written out (m×m, 12 bytes an entry); beyond, it stays a product of sparse
matrices. Fixed, so that results do not depend on the memory of a machine."""

NEIGHBOURS = 256
"""Neighbours of each tag in these sparse matrices (docs/research/scale.md)."""

BLOCK = 8192
"""Rows of M*, over groups of tags, that are computed at a time."""


class Gathering(Protocol):
    """G: features × tags, after teleport, so that rows of M* are combinations of its rows.  math.md (3), (4)"""

    def aggregate(self, Q: Sparse) -> Floats:
        """Q · G: the masses over tags of clusters whose masses over features are Q."""

    def table(self, L: Floats) -> Singles:
        """G · Lᵀ: what each feature adds to the score of each row of L."""

    def group_tags(self, E: Sparse) -> Singles:
        """G · E: the masses of each feature over groups of tags."""


@dataclass(frozen=True, eq=False)
class DenseGathering:
    """G written out."""

    G: Floats
    singles: Singles

    def aggregate(self, Q: Sparse) -> Floats:
        """Q · G."""
        return np.asarray(Q @ self.G)

    def table(self, L: Floats) -> Singles:
        """G · Lᵀ in float32: enough to find the nearest cluster (docs/explanation/scale.md)."""
        product: Singles = self.singles @ L.astype(np.float32).T
        return product

    def group_tags(self, E: Sparse) -> Singles:
        """G · E, a stripe of rows at a time: the product copies what it is given."""
        stripes = [np.asarray(self.G[start : start + STRIPE] @ E) for start in range(0, len(self.G), STRIPE)]
        return np.concatenate(stripes, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class GroupedGathering:
    """G over groups of tags, in float32: enough to find the nearest cluster, not for masses."""

    G: Singles

    def aggregate(self, Q: Sparse) -> Floats:
        """Q · G."""
        return np.asarray(Q @ self.G, dtype=np.float64)

    def table(self, L: Floats) -> Singles:
        """G · Lᵀ."""
        product: Singles = self.G @ L.astype(np.float32).T
        return product

    def group_tags(self, E: Sparse) -> Singles:
        """G · E."""
        return np.asarray(self.G @ E.astype(np.float32))


@dataclass(frozen=True, eq=False)
class ProductGathering:
    """G = (1−λ) C T + L Rᵀ as a product, C and T sparse: for so many tags that m×m does not fit.  math.md (17)

    C and T have a bounded number of neighbours for each tag. L and R have a column for the teleport, λ g and h, and two
    for what the bound leaves out.
    """

    C: Sparse
    T: Sparse
    left: Floats
    right: Floats
    rate: float

    def aggregate(self, Q: Sparse) -> Floats:
        """((1−λ) Q C) T + (Q L) Rᵀ, T being symmetric."""
        product = np.empty((Q.shape[0], self.T.shape[0]))
        starts = range(0, Q.shape[0], STRIPE)
        masses: Sparse = csr_array(Q @ self.C)
        for start, stripe in zip(starts, LocalTasks().each(rows_of_product, starts, (masses, self.T)), strict=True):
            product[start : start + STRIPE] = stripe
        product *= 1.0 - self.rate
        for start in starts:
            part = slice(start, start + STRIPE)
            product[part] += np.asarray(csr_array(Q[part]) @ self.left) @ self.right.T
        return product

    def table(self, L: Floats) -> Singles:
        """C ((1−λ) T Lᵀ) + left (L right)ᵀ, a stripe of L at a time, to save memory."""
        product = np.empty((self.C.shape[0], len(L)), dtype=np.float32)
        starts = range(0, len(L), STRIPE)
        factors = self.C.astype(np.float32), self.T.astype(np.float32), L, 1.0 - self.rate
        for start, columns in zip(starts, LocalTasks().each(_product_columns, starts, factors), strict=True):
            part = slice(start, start + STRIPE)
            product[:, part] = columns
            product[:, part] += self.left @ (L[part] @ self.right).T
        return product

    def group_tags(self, E: Sparse) -> Singles:
        """(1−λ) C (T E) + left (rightᵀ E), a stripe of rows at a time."""
        product = np.empty((self.C.shape[0], E.shape[1]), dtype=np.float32)
        starts = range(0, len(product), STRIPE)
        factors = self.C.astype(np.float32), csr_array((1.0 - self.rate) * (self.T @ E)).astype(np.float32).toarray()
        spread = np.asarray(E.T @ self.right).T
        for start, stripe in zip(starts, LocalTasks().each(_rows_of_dense_product, starts, factors), strict=True):
            part = slice(start, start + STRIPE)
            product[part] = stripe
            product[part] += self.left[part] @ spread
        return product


@dataclass(frozen=True, eq=False)
class ExtendedGathering:
    """G with more rows below it: features that are masses over tags by themselves (math.md (12))."""

    base: Gathering
    features: int
    more: Floats

    def aggregate(self, Q: Sparse) -> Floats:
        """Q · [G; more]."""
        product = self.base.aggregate(csr_array(Q[:, : self.features]))
        product += np.asarray(csr_array(Q[:, self.features :]) @ self.more)
        return product

    def table(self, L: Floats) -> Singles:
        """[G; more] · Lᵀ."""
        return np.vstack([self.base.table(L), self.more.astype(np.float32) @ L.astype(np.float32).T])

    def group_tags(self, E: Sparse) -> Singles:
        """[G; more] · E."""
        return np.vstack([self.base.group_tags(E), np.asarray(self.more @ E, dtype=np.float32)])


@dataclass(frozen=True, eq=False)
class FactoredMatrix:
    """M* of the different documents and tags as rows · G, never written out.

    Attributes:
        rows: D(d)A, different documents × features.
        G: the gathering of the features.
        row_sizes: documents each row stands for.
        column_sizes: tags each column stands for.
        column_sums: mass of each tag (of one of those a column stands for).
        feature_sums: mass of each row of G.
    """

    rows: Sparse
    G: Gathering
    row_sizes: Floats
    column_sizes: Floats
    column_sums: Floats
    feature_sums: Floats

    @property
    def row_sums(self) -> Floats:
        """The mass of each document (of one of those a row stands for)."""
        return np.asarray(self.rows @ self.feature_sums)

    def sum_rows(self, members: Sparse) -> Floats:
        """M* added up: members · M*, members being groups × different documents."""
        return self.G.aggregate(csr_array(members @ self.rows))

    def largest_groups(self, E: Sparse) -> Ints:
        """The group of tags with the most mass in each row; E has the tags of each group.  math.md (15)"""
        table = self.G.group_tags(E)
        groups: Ints = np.empty(self.rows.shape[0], dtype=np.int64)
        for start in range(0, len(groups), BLOCK):
            part = slice(start, start + BLOCK)
            groups[part] = np.argmax(csr_array(self.rows[part]).astype(np.float32) @ table, axis=1)
        return groups

    def extend(self, share: float, columns: Sparse, more: Floats) -> FactoredMatrix:
        """(1 − share) M* + columns · more."""
        scaled = csr_array(self.rows * (1.0 - share))
        rows: Sparse = csr_array(hstack([scaled, columns]))
        rows.sort_indices()
        return replace(
            self,
            rows=rows,
            G=ExtendedGathering(self.G, self.rows.shape[1], more),
            feature_sums=np.concatenate([self.feature_sums, more @ self.column_sizes]),
        )


def _product_columns(start: int, factors: tuple[Sparse, Sparse, Floats, float]) -> Singles:
    """One task: a stripe of columns of share · C T Lᵀ."""
    C, T, L, share = factors
    part = np.ascontiguousarray((share * L[start : start + STRIPE]).astype(np.float32).T)
    return np.asarray(C @ np.asarray(T @ part))


def over_groups(smoothed: FactoredMatrix, group: Ints) -> FactoredMatrix:
    """M* over groups of tags: each column is the sum over the tags of a group, duplicates included."""
    tags, groups = len(group), int(group.max()) + 1
    E: Sparse = csr_array((smoothed.column_sizes, group, np.arange(tags + 1)), shape=(tags, groups))
    return replace(
        smoothed,
        G=GroupedGathering(smoothed.G.group_tags(E)),
        column_sizes=np.ones(groups),
        column_sums=np.asarray(E.T @ smoothed.column_sums),
    )


def factored_matrix(transitions: Transitions, rate: float) -> FactoredMatrix:
    """M* as a product, teleport included: (4) is linear in the rows, so it is applied to G."""
    distinct, DA, T = transitions.distinct, transitions.scaled_factor, transitions.T
    C = gathering_factor(transitions)
    g = np.asarray(C @ (T @ distinct.column_sizes))
    feature_masses = np.asarray(DA.T @ distinct.row_sizes)
    masses = np.asarray(C.T @ feature_masses)
    gathering: Gathering
    if T.shape[0] <= DENSE_TAGS:
        c = np.asarray(T @ masses)
        gathering = dense_gathering(C, T, g, c / (c @ distinct.column_sizes), rate)
    else:
        between = bounded_symmetric(T, NEIGHBOURS, distinct.column_sizes)
        c = np.asarray(between.kept @ masses) + between.rows * (between.columns @ masses)
        from_features = bounded(C, NEIGHBOURS, feature_masses, np.ones(len(c)))
        gathering = product_gathering(from_features, between, (g, c / (c @ distinct.column_sizes)), rate)
    return FactoredMatrix(DA, gathering, distinct.row_sizes, distinct.column_sizes, c, g)


def dense_gathering(C: Sparse, T: Sparse, g: Floats, h: Floats, rate: float) -> DenseGathering:
    """G = (1−λ) C T + λ g hᵀ in full."""
    G = gathering_matrix(C, T)
    teleport(G, rate, g, h)
    return DenseGathering(G, G.astype(np.float32))


def product_gathering(C: Bounded, T: Bounded, sums: tuple[Floats, Floats], rate: float) -> ProductGathering:
    """G = (1−λ) (C' + r sᵀ) (T' + q pᵀ) + λ g hᵀ, with a bounded number of neighbours for each tag.  math.md (17)

    `sums` are g, the mass of each row of G, which the bound does not change, and h, the share of each column.
    """
    through = np.asarray(C.kept @ T.rows) + C.rows * (C.columns @ T.rows)
    left = np.column_stack([rate * sums[0], (1.0 - rate) * C.rows, (1.0 - rate) * through])
    right = np.column_stack([sums[1], np.asarray(T.kept @ C.columns), T.columns])
    return ProductGathering(C.kept, T.kept, left, right, rate)


def _rows_of_dense_product(start: int, factors: tuple[Sparse, Singles]) -> Singles:
    """One task: a stripe of rows of a sparse matrix times a dense one."""
    return np.asarray(csr_array(factors[0][start : start + STRIPE]) @ factors[1])
