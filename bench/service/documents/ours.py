"""The rankings of the product as plain formulas over whole matrices: what `service` computes from its index."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.service.documents.tasks import Matrix
from cocluster.tags.profiles import company_profiles
from service.questions.documents.evidence import COMMON_TAGS, FLOOR, SIZE_EXPONENT
from service.questions.documents.likeness import OWN_SHARE
from service.questions.documents.postings import OWN_WEIGHT
from tagmodel.index.document_index import SHRINKAGE

Dense = NDArray[np.float32]
ALL: Final = -1
"""Every tag counts as a neighbour: the exact formula."""


class Setting(NamedTuple):
    """κ, a and p of documents.md (1), and what is added to |d|."""

    own_weight: float
    common_tags: float
    size_exponent: float = SIZE_EXPONENT
    more_tags: float = 1.0


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


def evidence_scores(M: Matrix, queries: Matrix, *, neighbours: int = ALL, setting: Setting = SERVED) -> Dense:
    """s(q, d), queries × documents.  documents.md (1)"""
    return next(evidence_by_setting(M, queries, (setting,), neighbours=neighbours))


def evidence_by_setting(
    M: Matrix, queries: Matrix, settings: Sequence[Setting], *, neighbours: int = ALL
) -> Iterator[Dense]:
    """s(q, d) for several settings, one after the other; what is the same for some of them is computed once."""
    rows = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
    lifts = np.asarray(M.astype(np.float32) @ lift_matrix(M, neighbours=neighbours))
    lifts[rows, M.indices] = 0.0
    asked = queries.astype(np.float32)
    matches = np.asarray((queries @ M.T).toarray()).astype(np.int64)
    lacking: dict[tuple[float, float], Dense] = {}
    for setting in settings:
        size = setting.more_tags, setting.size_exponent
        floors = (FLOOR * (size[0] + sizes_of(M)) ** size[1]).astype(np.float32)
        if size not in lacking:
            lacking[size] = np.asarray(asked @ np.log1p(lifts / floors[:, None]).T)
        own = np.log1p(setting.own_weight * M.shape[0] / counts_of(M)[M.indices] / floors[rows]).astype(np.float32)
        has = csr_array((own, M.indices, M.indptr), shape=M.shape)
        steps = np.log1p(np.arange(matches.max(initial=0)) / setting.common_tags)
        bonus = np.concatenate([[0.0], np.cumsum(steps)]).astype(np.float32)
        yield lacking[size] + csr_array(asked @ has.T).toarray() + bonus[matches]


def likeness_scores(M: Matrix, queries: Matrix) -> Dense:
    """Σ_y e_y log(.1 + .9 x_y/p_y), queries × documents.  documents.md (2)"""
    halves, mean = company_profiles(M)
    profiles = halves.astype(np.float32)
    x = np.asarray(M.astype(np.float32) @ profiles) / sizes_of(M)[:, None]
    e = np.asarray(queries.astype(np.float32) @ profiles) / sizes_of(queries)[:, None]
    found: Dense = e @ np.log((1 - OWN_SHARE) + OWN_SHARE * x / mean).T
    return found
