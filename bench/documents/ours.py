"""The rankings of the product as plain formulas over whole matrices: what `service` computes from its index."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.documents.tasks import Matrix
from cocluster.lifts import SHRINKAGE
from cocluster.profiles import company_profiles
from service.document_evidence import COMMON_TAGS, FLOOR, OWN_WEIGHT
from service.document_likeness import OWN_SHARE

Dense = NDArray[np.float32]
ALL: Final = -1
"""Every tag counts as a neighbour: the exact formula."""


class Setting(NamedTuple):
    """κ and a of documents.md (1)."""

    own_weight: float
    common_tags: float


SERVED: Final = Setting(OWN_WEIGHT, COMMON_TAGS)


def counts_of(M: Matrix) -> NDArray[np.float64]:
    """In how many documents each tag is, at least 1: a tag may have lost its last document by hiding."""
    return np.maximum(np.bincount(M.indices, minlength=M.shape[1]), 1).astype(np.float64)


def sizes_of(M: Matrix) -> Dense:
    """How many tags each document has."""
    return np.diff(M.indptr).astype(np.float32)


def lift_matrix(M: Matrix, shrinkage: float = SHRINKAGE, neighbours: int = ALL) -> Dense:
    """ℓ_kj without its diagonal; column j keeps its `neighbours` largest.  documents.md (1)"""
    c = counts_of(M)
    C = np.asarray((M.T @ M).toarray(), dtype=np.float64)
    np.fill_diagonal(C, 0.0)
    lifts = M.shape[0] * C**2 / (C + shrinkage) / np.outer(c, c)
    if 0 <= neighbours < len(c):
        order = np.argsort(-lifts, axis=0, kind="stable")
        np.put_along_axis(lifts, order[neighbours:], 0.0, axis=0)
    return lifts.astype(np.float32)


def mean_lifts(M: Matrix, lifts: Dense) -> Dense:
    """Σ_{k∈d} ℓ_kj/|d|, documents × tags."""
    means = np.asarray(M.astype(np.float32) @ lifts)
    means /= sizes_of(M)[:, None]
    return means


def evidence_scores(M: Matrix, queries: Matrix, *, neighbours: int = ALL, setting: Setting = SERVED) -> Dense:
    """s(q, d), queries × documents.  documents.md (1)"""
    return evidence_by_setting(M, queries, (setting,), neighbours=neighbours)[0]


def evidence_by_setting(
    M: Matrix, queries: Matrix, settings: Sequence[Setting], *, neighbours: int = ALL
) -> list[Dense]:
    """s(q, d) for several settings: what the tags that a document lacks add is the same for all of them."""
    gains = mean_lifts(M, lift_matrix(M, neighbours=neighbours))
    np.log1p(gains / np.float32(FLOOR), out=gains)
    rows = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
    own = M.shape[0] / counts_of(M)[M.indices] / sizes_of(M)[rows]
    gains[rows, M.indices] = 0.0
    lacking = np.asarray(queries.astype(np.float32) @ gains.T)
    matches = np.asarray((queries @ M.T).toarray()).astype(np.int64)
    found = []
    for setting in settings:
        has = csr_array((np.log1p(setting.own_weight * own / FLOOR), M.indices, M.indptr), shape=M.shape)
        steps = np.log1p(np.arange(matches.max(initial=0)) / setting.common_tags)
        bonus = np.concatenate([[0.0], np.cumsum(steps)])
        scores = lacking + np.asarray((queries @ has.T).toarray()) + bonus[matches]
        found.append(scores.astype(np.float32))
    return found


def likeness_scores(M: Matrix, queries: Matrix) -> Dense:
    """Σ_y e_y log(.1 + .9 x_y/p_y), queries × documents.  documents.md (2)"""
    halves, mean = company_profiles(M)
    profiles = halves.astype(np.float32)
    x = np.asarray(M.astype(np.float32) @ profiles) / sizes_of(M)[:, None]
    e = np.asarray(queries.astype(np.float32) @ profiles) / sizes_of(queries)[:, None]
    found: Dense = e @ np.log((1 - OWN_SHARE) + OWN_SHARE * x / mean).T
    return found
