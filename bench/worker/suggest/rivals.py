"""What a user would put in our place. Each ranker learns from training documents and scores all tags for a query."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse import csr_array, csr_matrix

from bench.worker.suggest.splits import VALIDATED
from cocluster.equations.similarity import similarity_factor
from cocluster.equations.transition import symmetric_scaling, transition
from worker.suggestions.held_out import Matrix

Scores: TypeAlias = Callable[[Matrix], NDArray[Any]]
"""Queries, one a row (1 where a tag is asked for) -> the scores of all tags; −∞ for those that are not suggested."""


@dataclass(frozen=True)
class Rival:
    """A ranker, and the settings that validation chooses among."""

    name: str
    build: Callable[[Matrix, Any], Scores]
    settings: tuple[Any, ...] = (None,)
    validated: int = VALIDATED


def summed(weights: NDArray[Any]) -> Scores:
    """Score a tag by the sum of the query tags' weights for it."""
    rows = np.ascontiguousarray(weights, dtype=np.float32)
    return lambda queries: np.asarray(queries.astype(np.float32) @ rows)


def counts(M: Matrix) -> NDArray[np.float64]:
    return np.asarray(M.sum(axis=0)).ravel()


def pairs(M: Matrix) -> NDArray[np.float64]:
    """In how many documents two tags stand together; 0 on the diagonal."""
    found = np.asarray((M.T @ M).toarray())
    np.fill_diagonal(found, 0.0)
    return found


def popularity(M: Matrix, _: None) -> Scores:
    return lambda queries: np.tile(counts(M), (queries.shape[0], 1))


def cooccurrence(M: Matrix, _: None) -> Scores:
    return summed(pairs(M))


def conditional(M: Matrix, _: None) -> Scores:
    """P(tag | query tag), summed."""
    return summed(pairs(M) / counts(M)[:, None])


def cosine(M: Matrix, _: None) -> Scores:
    c = np.sqrt(counts(M))
    return summed(pairs(M) / c[:, None] / c)


def ppmi(M: Matrix, _: None) -> Scores:
    """Positive pointwise mutual information of documents."""
    c = counts(M)
    with np.errstate(divide="ignore"):
        found = np.log(pairs(M) * M.shape[0] / c[:, None] / c)
    return summed(np.maximum(found, 0.0))


def transitions(M: Matrix, exponent: float) -> Scores:
    """T^Y × count^exponent."""
    B = similarity_factor(csr_array(M.T), np.ones(M.shape[1]), np.ones(M.shape[0]))
    T = transition(B, symmetric_scaling(B, np.ones(M.shape[1]))).toarray()
    np.fill_diagonal(T, 0.0)
    return summed(T * counts(M) ** exponent)


def ease(M: Matrix, penalty: float) -> Scores:
    """B = I − P D(1/diag P), P = (MᵀM + λI)⁻¹ (Steck 2019), as published."""
    G = np.asfortranarray((M.T @ M).toarray(), dtype=np.float32)
    G[np.diag_indices_from(G)] += penalty
    factor, wrong = lapack.spotrf(G, lower=1, overwrite_a=1)
    if wrong:
        raise ValueError(f"λ = {penalty} is too small")
    P, _ = lapack.spotri(factor, lower=1, overwrite_c=1)
    P = np.tril(P)
    P += np.tril(P, -1).T
    P /= -np.diag(P).copy()
    np.fill_diagonal(P, 0.0)
    return summed(P)


def bm25(M: Matrix, neighbours: int) -> Scores:
    from implicit.nearest_neighbours import BM25Recommender  # noqa: PLC0415 - an extra that may be missing

    model = BM25Recommender(K=neighbours, num_threads=2)
    model.fit(csr_matrix(M), show_progress=False)
    similarity = model.similarity.toarray()
    np.fill_diagonal(similarity, 0.0)
    return summed(similarity)


def als(M: Matrix, setting: tuple[int, float]) -> Scores:
    """Alternating least squares; a query is folded in as a document of its own."""
    from implicit.als import AlternatingLeastSquares  # noqa: PLC0415 - an extra that may be missing

    factors, alpha = setting
    model = AlternatingLeastSquares(factors=factors, alpha=alpha, regularization=0.05, random_state=0, num_threads=2)
    model.fit(csr_matrix(M.astype(np.float32)), show_progress=False)
    tags = np.asarray(model.item_factors)

    def scores(queries: Matrix) -> NDArray[Any]:
        rows = csr_matrix(queries.astype(np.float32))
        return np.asarray(model.recalculate_user(np.arange(rows.shape[0]), rows) @ tags.T)

    return scores


def nearest_documents(M: Matrix, setting: tuple[float, float]) -> Scores:
    """Documents vote for their tags by their likeness to the query: Jaccard's, tags counting log(n / count).

    The likeness is taken to a power, the votes are divided by count^tilt. All documents are compared with a query.
    """
    power, tilt = setting
    weight = np.log(M.shape[0] / counts(M)) + 1e-9
    member = M.astype(np.float32)
    weighted: Any = (member * weight.astype(np.float32)[None, :]).tocsr()
    lengths: NDArray[np.float32] = np.asarray(weighted.sum(axis=1)).ravel()
    shrink: NDArray[np.float32] = (counts(M) ** -tilt).astype(np.float32)

    def scores(queries: Matrix) -> NDArray[Any]:
        shared = np.asarray((weighted @ queries.astype(np.float32).T).toarray())
        asked = np.asarray(queries @ weight).astype(np.float32)
        likeness = (shared / (lengths[:, None] + asked - shared)) ** np.float32(power)
        found = np.asarray(member.T @ likeness).T * shrink
        return np.where(found > 0, found, -np.inf)

    return scores


RIVALS = (
    Rival("popularity", popularity),
    Rival("co-occurrence", cooccurrence),
    Rival("conditional probability", conditional),
    Rival("cosine", cosine),
    Rival("PPMI", ppmi),
    Rival("T^Y", lambda M, _: transitions(M, 0.0)),
    Rival("T^Y × √count", lambda M, _: transitions(M, 0.5)),
    Rival("nearest documents", nearest_documents, ((2.0, 0.0), (2.0, 0.3), (4.0, 0.0), (4.0, 0.3)), validated=300),
    Rival("EASE", ease, (2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)),
    Rival("BM25 (implicit)", bm25, (20, 100, 500)),
    Rival("ALS (implicit)", als, ((64, 5.0), (128, 2.0), (128, 10.0)), validated=300),
)
