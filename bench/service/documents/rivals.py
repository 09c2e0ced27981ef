"""What a user would put in our place, and the parts that ours is made of. Each scores all documents for all queries."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from bench.service.documents.ours import Dense, counts_of, lift_matrix, sizes_of
from bench.service.documents.tasks import Matrix
from cocluster.equations.similarity import scale_matrix, similarity_factor
from cocluster.equations.smoothing import gathering_matrix
from cocluster.equations.transition import symmetric_scaling, transition

Scores = Callable[[Matrix, Matrix, Any], Dense]
"""Documents, queries and a setting -> queries × documents."""


@dataclass(frozen=True)
class Rival:
    """A ranker, and the settings that the tuning draw chooses among, one for each task."""

    name: str
    scores: Scores
    settings: tuple[Any, ...] = (None,)


def weighted(M: Matrix, weights: NDArray[Any]) -> Matrix:
    return scale_matrix(M, np.ones(M.shape[0]), weights)


def products(queries: Matrix, documents: Matrix) -> Dense:
    return np.asarray((queries @ documents.T).toarray(), dtype=np.float32)


def shared_tags(M: Matrix, queries: Matrix, _: None) -> Dense:
    return products(queries, M)


def jaccard(M: Matrix, queries: Matrix, _: None) -> Dense:
    shared = products(queries, M)
    return shared / (sizes_of(queries)[:, None] + sizes_of(M) - shared)


def tfidf_matrix(M: Matrix, documents: Matrix) -> Matrix:
    """Rows of length 1, tags counting log((1 + n)/(1 + c)) + 1, as scikit-learn does."""
    rows = weighted(M, np.log((1 + documents.shape[0]) / (1 + counts_of(documents))) + 1)
    norms = np.sqrt(np.asarray((rows * rows).sum(axis=1)).ravel())
    return scale_matrix(rows, 1 / np.maximum(norms, 1e-12), np.ones(M.shape[1]))


def tfidf(M: Matrix, queries: Matrix, _: None) -> Dense:
    return products(tfidf_matrix(queries, M), tfidf_matrix(M, M))


def bm25(M: Matrix, queries: Matrix, setting: tuple[float, float]) -> Dense:
    """The library bm25s; the setting is k1 and b."""
    import bm25s  # noqa: PLC0415 - an extra that may be missing

    def words(rows: Matrix) -> list[list[str]]:
        return [[str(tag) for tag in rows.indices[a:b]] for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)]

    model = bm25s.BM25(k1=setting[0], b=setting[1])
    model.index(words(M), show_progress=False)
    empty = np.zeros(M.shape[0], dtype=np.float32)
    return np.array([model.get_scores(query) if query else empty for query in words(queries)], dtype=np.float32)


def lsi(M: Matrix, queries: Matrix, factors: int) -> Dense:
    """Cosine in the space of the first singular vectors of TF-IDF."""
    from sklearn.utils.extmath import randomized_svd  # noqa: PLC0415 - an extra that may be missing

    documents = tfidf_matrix(M, M)
    _, _, V = randomized_svd(csr_matrix(documents), min(factors, M.shape[1] - 1), random_state=0)
    return cosines(np.asarray(tfidf_matrix(queries, M) @ V.T), np.asarray(documents @ V.T))


def cosines(queries: NDArray[Any], documents: NDArray[Any]) -> Dense:
    q, d = (rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-12)[:, None] for rows in (queries, documents))
    found: Dense = (q @ d.T).astype(np.float32)
    return found


def als(M: Matrix, queries: Matrix, alpha: float) -> Dense:
    """Alternating least squares (implicit) with 100 factors; a query is folded in as a document, cosines compare."""
    from implicit.als import AlternatingLeastSquares  # noqa: PLC0415 - an extra that may be missing

    model = AlternatingLeastSquares(factors=100, alpha=alpha, regularization=0.05, random_state=0, num_threads=1)
    model.fit(csr_matrix(M.astype(np.float32)), show_progress=False)
    rows = csr_matrix(queries.astype(np.float32))
    folded = np.asarray(model.recalculate_user(np.arange(rows.shape[0]), rows))
    return cosines(folded, np.asarray(model.user_factors))


def transition_x(M: Matrix, queries: Matrix, _: None) -> Dense:
    """T^X between the query, as a document of its own, and the documents, up to a factor of the query."""
    A = similarity_factor(M, np.ones(M.shape[0]), np.ones(M.shape[1]))
    DA = scale_matrix(A, symmetric_scaling(A, np.ones(M.shape[0])).d, np.ones(M.shape[1]))
    return products(weighted(queries, 1 / np.sqrt(counts_of(M))), DA)


def smoothed(M: Matrix, documents: Matrix) -> NDArray[np.float64]:
    """M* of the documents, without teleport; `documents` may be queries beside those that M is learnt from."""
    ones = np.ones(M.shape[0]), np.ones(M.shape[1])
    A = similarity_factor(M, *ones)
    rows = symmetric_scaling(A, ones[0]).d
    B = similarity_factor(csr_array(M.T), ones[1], ones[0])
    T = transition(B, symmetric_scaling(B, ones[1]))
    G = gathering_matrix(csr_array(A.T @ scale_matrix(M, rows, ones[1])), T)
    if documents is M:
        return np.asarray(scale_matrix(A, rows, ones[1]) @ G)
    return np.asarray(weighted(documents, 1 / np.sqrt(counts_of(M))) @ G)


def smoothed_share(M: Matrix, queries: Matrix, _: None) -> Dense:
    """Σ_j log of the document's share of column j of M*."""
    N = smoothed(M, M)
    return np.asarray(queries @ np.log(N / N.sum(axis=0) + 1e-12).T, dtype=np.float32)


def smoothed_hellinger(M: Matrix, queries: Matrix, _: None) -> Dense:
    """Σ √(p q) of the rows of M*, the query's made as for a document of its own."""
    rows = (np.sqrt(N / np.maximum(N.sum(axis=1), 1e-12)[:, None]) for N in (smoothed(M, queries), smoothed(M, M)))
    q, d = rows
    found: Dense = (q @ d.T).astype(np.float32)
    return found


def mean_lifts(M: Matrix, lifts: Dense) -> Dense:
    """Σ_{k∈d} ℓ_kj/|d|, documents × tags."""
    means = np.asarray(M.astype(np.float32) @ lifts)
    means /= sizes_of(M)[:, None]
    return means


def log_mean_lift(M: Matrix, queries: Matrix, own_weight: float) -> Dense:
    """Σ_j log(.1 + Σ_{k∈d} ℓ_kj/|d|), ℓ_jj = κ n/c_j: a tag counts together with its neighbours."""
    means = mean_lifts(M, lift_matrix(M))
    rows = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
    means[rows, M.indices] += own_weight * M.shape[0] / counts_of(M)[M.indices] / sizes_of(M)[rows]
    return np.asarray(queries.astype(np.float32) @ np.log(means + np.float32(0.1)).T)


def cross_entropy(M: Matrix, queries: Matrix, _: None) -> Dense:
    """Σ_y e_y log(.1 + .9 x_y/p_y) over single tags, for the first 200 by the log of the mean lift."""
    C = np.asarray((M.T @ M).toarray())
    R = C / C.sum(axis=1, keepdims=True)
    x = np.asarray(M @ R) / sizes_of(M)[:, None]
    shares = scale_matrix(queries, 1 / np.maximum(sizes_of(queries), 1), np.ones(M.shape[1]))
    e = 0.2 * shares.toarray() + 0.8 * np.asarray(shares @ R)
    entropy = e @ np.log(0.1 + 0.9 * x / x.mean(axis=0)).T
    first = log_mean_lift(M, queries, 1.0)
    least = np.partition(first, -200, axis=1)[:, [-200]]
    return np.where(first >= least, entropy, -1e9).astype(np.float32)


RIVALS: Final = (
    Rival("shared tags", shared_tags),
    Rival("Jaccard", jaccard),
    Rival("TF-IDF cosine", tfidf),
    Rival("BM25 (bm25s)", bm25, ((1.2, 0.75), (1.2, 0.3), (3.0, 0.75), (8.0, 0.75))),
    Rival("LSI 300", lsi, (300,)),
    Rival("ALS 100 (implicit)", als, (5.0, 20.0, 80.0, 320.0)),
    Rival("T^X", transition_x),
)
PARTS: Final = (
    Rival("M*, log of share by column", smoothed_share),
    Rival("M*, Hellinger", smoothed_hellinger),
    Rival("log of the mean lift", log_mean_lift, (1.0, 1.5, 2.0)),
    Rival("… first 200 by cross-entropy", cross_entropy),
)
"""What ours is made of, and its earlier forms: measured on the first draw alone."""
