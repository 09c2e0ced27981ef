"""The rankings of the product as plain formulas over whole matrices: what `service` computes from its index."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.documents.tasks import Matrix
from cocluster.lifts import SHRINKAGE
from cocluster.profiles import company_profiles
from service.document_evidence import COMMON_TAGS, FLOOR, OWN_WEIGHT
from service.document_likeness import OWN_SHARE
from service.document_ranking import RERANKED

Dense = NDArray[np.float32]
ALL: Final = -1
"""Every tag counts as a neighbour: the exact formula."""


def counts_of(M: Matrix) -> NDArray[np.float64]:
    """In how many documents each tag is, at least 1: a tag may have lost its last document by hiding."""
    return np.maximum(np.bincount(M.indices, minlength=M.shape[1]), 1).astype(np.float64)


def sizes_of(M: Matrix) -> Dense:
    """How many tags each document has."""
    return np.diff(M.indptr).astype(np.float32)


def lift_matrix(M: Matrix, shrinkage: float = SHRINKAGE, neighbours: int = ALL) -> Dense:
    """ℓ_kj without its diagonal; column j keeps its largest `neighbours`.  documents.md (1)"""
    c = counts_of(M)
    C = np.asarray((M.T @ M).toarray(), dtype=np.float64)
    lifts: Dense = (M.shape[0] * C**2 / (C + shrinkage) / np.outer(c, c)).astype(np.float32)
    np.fill_diagonal(lifts, 0.0)
    if 0 <= neighbours < len(c):
        rank = np.argsort(np.argsort(-lifts, axis=0, kind="stable"), axis=0, kind="stable")
        lifts[rank >= neighbours] = 0.0
    return lifts


def mean_lifts(M: Matrix, lifts: Dense) -> Dense:
    """Σ_{k∈d} ℓ_kj/|d|, documents × tags."""
    means = np.asarray(M.astype(np.float32) @ lifts)
    means /= sizes_of(M)[:, None]
    return means


def evidence_scores(
    M: Matrix,
    queries: Matrix,
    *,
    neighbours: int = ALL,
    own_weight: float = OWN_WEIGHT,
    common_tags: float = COMMON_TAGS,
    lifts: Dense | None = None,
) -> Dense:
    """s(q, d), queries × documents.  documents.md (1)"""
    means = mean_lifts(M, lift_matrix(M, neighbours=neighbours) if lifts is None else lifts)
    rows = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
    means[rows, M.indices] = own_weight * M.shape[0] / counts_of(M)[M.indices] / sizes_of(M)[rows]
    scores = np.asarray(queries.astype(np.float32) @ np.log1p(means / np.float32(FLOOR)).T)
    matches = np.asarray((queries @ M.T).toarray()).astype(np.int64)
    bonus = np.concatenate([[0.0], np.cumsum(np.log1p(np.arange(matches.max(initial=0)) / common_tags))])
    scores += bonus[matches]
    return scores


def likeness_scores(M: Matrix, queries: Matrix) -> Dense:
    """Σ_y e_y log(.1 + .9 x_y/p_y), queries × documents.  documents.md (2)"""
    halves, mean = company_profiles(M)
    profiles = halves.astype(np.float32)
    x = np.asarray(M.astype(np.float32) @ profiles) / sizes_of(M)[:, None]
    e = np.asarray(queries.astype(np.float32) @ profiles) / sizes_of(queries)[:, None]
    found: Dense = e @ np.log((1 - OWN_SHARE) + OWN_SHARE * x / mean).T
    return found


def similar_scores(M: Matrix, queries: Matrix, own: NDArray[np.intp], neighbours: int = ALL) -> Dense:
    """The likeness of the first by evidence; −∞ for the others and for the document that asks."""
    first = evidence_scores(M, queries, neighbours=neighbours)
    first[np.arange(len(own)), own] = -np.inf
    least = np.partition(first, -RERANKED, axis=1)[:, [-RERANKED]] if first.shape[1] > RERANKED else -np.inf
    return np.where((first >= least) & (first > 0), likeness_scores(M, queries), np.float32(-np.inf))
