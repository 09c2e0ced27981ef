from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from cocluster.arrays import Floats, Ints, Sparse
from cocluster.micro.tasks import Local
from cocluster.pipeline import Transitions
from cocluster.similarity import scale

Singles: TypeAlias = NDArray[np.float32]

DENSE_TAGS = 10_000
"""Up to so many different tags G is written out (m×m, 12 bytes an entry); beyond, it stays a product of sparse
matrices. Fixed, so that the memory of a machine decides nothing."""

STRIPE = 256
"""Rows of G made at once."""


class Gathering(Protocol):
    """G: features × tags, after teleport, so that rows of M* are combinations of its rows.  math.md (3), (4)"""

    def aggregated(self, Q: Sparse) -> Floats:
        """Q · G: the masses over tags of clusters whose masses over features are Q."""

    def table(self, L: Floats) -> Singles:
        """G · Lᵀ: what each feature adds to the score of each row of L."""

    def grouped(self, E: Sparse) -> Singles:
        """G · E: the masses of each feature over groups of tags."""


@dataclass(frozen=True, eq=False)
class Written:
    """G written out."""

    G: Floats
    singles: Singles

    def aggregated(self, Q: Sparse) -> Floats:
        """Q · G."""
        return np.asarray(Q @ self.G)

    def table(self, L: Floats) -> Singles:
        """G · Lᵀ in float32: enough to tell which cluster is nearest (docs/explanation/scale.md)."""
        made: Singles = self.singles @ L.astype(np.float32).T
        return made

    def grouped(self, E: Sparse) -> Singles:
        """G · E."""
        return np.asarray(self.G @ E, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Grouped:
    """G over groups of tags, in float32: for telling which cluster is nearest, not for masses."""

    G: Singles

    def aggregated(self, Q: Sparse) -> Floats:
        """Q · G."""
        return np.asarray(Q @ self.G, dtype=np.float64)

    def table(self, L: Floats) -> Singles:
        """G · Lᵀ."""
        made: Singles = self.G @ L.astype(np.float32).T
        return made

    def grouped(self, E: Sparse) -> Singles:
        """G · E."""
        return np.asarray(self.G @ E.astype(np.float32))


@dataclass(frozen=True, eq=False)
class Product:
    """G = (1−λ) C T + λ g hᵀ as it is, C and T sparse: for so many tags that m×m does not fit."""

    C: Sparse
    T: Sparse
    g: Floats
    h: Floats
    rate: float

    def aggregated(self, Q: Sparse) -> Floats:
        """((1−λ) Q C) T + λ (Q g) hᵀ, T being symmetric."""
        made = np.empty((Q.shape[0], self.T.shape[0]))
        starts = range(0, Q.shape[0], STRIPE)
        gathered: Sparse = csr_array(Q @ self.C)
        for start, stripe in zip(starts, Local().each(_stripe, starts, (gathered, self.T)), strict=True):
            made[start : start + STRIPE] = stripe
        made *= 1.0 - self.rate
        for start in starts:
            part = slice(start, start + STRIPE)
            made[part] += np.outer(np.asarray(csr_array(Q[part]) @ self.g), self.rate * self.h)
        return made

    def table(self, L: Floats) -> Singles:
        """C ((1−λ) T Lᵀ) + λ g (L h)ᵀ, as many rows of L at a time as keep the memory small."""
        made = np.empty((self.C.shape[0], len(L)), dtype=np.float32)
        starts = range(0, len(L), STRIPE)
        factors = self.C.astype(np.float32), self.T.astype(np.float32), L, 1.0 - self.rate
        for start, columns in zip(starts, Local().each(_columns, starts, factors), strict=True):
            part = slice(start, start + STRIPE)
            made[:, part] = columns
            made[:, part] += np.outer(self.rate * self.g, L[part] @ self.h)
        return made

    def grouped(self, E: Sparse) -> Singles:
        """(1−λ) C (T E) + λ g (hᵀ E), a stripe of rows at a time."""
        made = np.empty((self.C.shape[0], E.shape[1]), dtype=np.float32)
        starts = range(0, len(made), STRIPE)
        factors = self.C.astype(np.float32), csr_array((1.0 - self.rate) * (self.T @ E)).astype(np.float32).toarray()
        for start, stripe in zip(starts, Local().each(_rows_of_product, starts, factors), strict=True):
            part = slice(start, start + STRIPE)
            made[part] = stripe
            made[part] += np.outer(self.rate * self.g[part], np.asarray(E.T @ self.h))
        return made


@dataclass(frozen=True, eq=False)
class Extended:
    """G with more rows below it: features that are masses over tags by themselves (math.md (12))."""

    base: Gathering
    features: int
    more: Floats

    def aggregated(self, Q: Sparse) -> Floats:
        """Q · [G; more]."""
        made = self.base.aggregated(csr_array(Q[:, : self.features]))
        made += np.asarray(csr_array(Q[:, self.features :]) @ self.more)
        return made

    def table(self, L: Floats) -> Singles:
        """[G; more] · Lᵀ."""
        return np.vstack([self.base.table(L), self.more.astype(np.float32) @ L.astype(np.float32).T])

    def grouped(self, E: Sparse) -> Singles:
        """[G; more] · E."""
        return np.vstack([self.base.grouped(E), np.asarray(self.more @ E, dtype=np.float32)])


@dataclass(frozen=True, eq=False)
class Factored:
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

    def summed(self, members: Sparse) -> Floats:
        """M* added up: members · M*, members being groups × different documents."""
        return self.G.aggregated(csr_array(members @ self.rows))

    def extended(self, share: float, columns: Sparse, more: Floats) -> Factored:
        """(1 − share) M* + columns · more."""
        kept = csr_array(self.rows * (1.0 - share))
        rows: Sparse = csr_array(hstack([kept, columns]))
        rows.sort_indices()
        return replace(
            self,
            rows=rows,
            G=Extended(self.G, self.rows.shape[1], more),
            feature_sums=np.concatenate([self.feature_sums, more @ self.column_sizes]),
        )


def _columns(start: int, factors: tuple[Sparse, Sparse, Floats, float]) -> Singles:
    """Some columns of the share of C T Lᵀ in G."""
    C, T, L, share = factors
    part = np.ascontiguousarray((share * L[start : start + STRIPE]).astype(np.float32).T)
    return np.asarray(C @ np.asarray(T @ part))


def over_groups(whole: Factored, group: Ints) -> Factored:
    """M* over groups of tags: each column the sum of those of a group, and of all the tags they stand for."""
    tags, groups = len(group), int(group.max()) + 1
    E: Sparse = csr_array((whole.column_sizes, group, np.arange(tags + 1)), shape=(tags, groups))
    return replace(
        whole,
        G=Grouped(whole.G.grouped(E)),
        column_sizes=np.ones(groups),
        column_sums=np.asarray(E.T @ whole.column_sums),
    )


def factored(made: Transitions, rate: float) -> Factored:
    """M* as a product, teleport included: (4) is linear in the rows, so it is applied to G."""
    folded, A = made.folded, made.A
    DA = scale(A, made.rows.d, np.ones(A.shape[1]))
    weighted = scale(folded.matrix, folded.row_sizes * made.rows.d, folded.column_sizes)
    C: Sparse = csr_array(A.T @ weighted)
    C.sort_indices()
    g = np.asarray(C @ (made.T @ folded.column_sizes))
    c = np.asarray(made.T @ (C.T @ (DA.T @ folded.row_sizes)))
    h = c / (c @ folded.column_sizes)
    G = written(C, made.T, g, h, rate) if len(c) <= DENSE_TAGS else Product(C, made.T, g, h, rate)
    return Factored(DA, G, folded.row_sizes, folded.column_sizes, c, g)


def written(C: Sparse, T: Sparse, g: Floats, h: Floats, rate: float) -> Written:
    """G in full, a stripe of rows at a time, so that no other m×m matrix is needed."""
    m = T.shape[0]
    G = np.empty((m, m))
    starts = range(0, m, STRIPE)
    for start, stripe in zip(starts, Local().each(_stripe, starts, (C, T)), strict=True):
        part = slice(start, start + STRIPE)
        G[part] = stripe
        G[part] *= 1.0 - rate
        G[part] += np.outer(rate * g[part], h)
    return Written(G, G.astype(np.float32))


def _rows_of_product(start: int, factors: tuple[Sparse, Singles]) -> Singles:
    """Some rows of a sparse matrix times a dense one."""
    return np.asarray(csr_array(factors[0][start : start + STRIPE]) @ factors[1])


def _stripe(start: int, factors: tuple[Sparse, Sparse]) -> Floats:
    """Some rows of C T, T being symmetric."""
    C, T = factors
    return np.asarray(T @ np.ascontiguousarray(C[start : start + STRIPE].toarray().T)).T
