"""What a ranking costs at 586,274 documents and on the demo's corpus, in one run with BM25 on the same postings."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.service.documents.tasks import HIDINGS, MIN_COUNT, Hiding, Matrix, hide, tagged
from cocluster import document_index, incidence
from service.questions.documents.evidence import exact_scores
from service.questions.documents.ranking import best, ranked_documents, similar_documents
from tagmodel import DocumentIndex

LARGE: Final = "radio_large"
DEMO: Final = "tabler_icons"
QUERIES: Final = 500
PAGE: Final = 10
COMPARED_WITH_EXACT: Final = 200
"""Queries that are also answered without shortcuts."""

SEED: Final = 50
K1: Final = 1.2
B: Final = 0.75


class Bm25:
    """BM25 in numpy over the postings of the index."""

    def __init__(self, index: DocumentIndex) -> None:
        sizes = index.sizes.astype(np.float32)
        self.index = index
        self.factor: NDArray[np.float32] = (K1 + 1) / (1 + K1 * (1 - B + B * sizes / sizes.mean()))

    def best(self, tags: Sequence[int]) -> NDArray[np.intp]:
        """The first ten documents."""
        n = self.index.document_count
        scores = np.zeros(n, dtype=np.float32)
        for tag in tags:
            documents, count = self.index.documents_of(tag), self.index.count(tag)
            scores[documents] += np.float32(np.log1p((n - count + 0.5) / (count + 0.5))) * self.factor[documents]
        found = np.flatnonzero(scores > 0)
        return best(self.index, found, scores[found], PAGE)[0]


def zipf_queries(index: DocumentIndex, seed: int = SEED) -> list[tuple[int, ...]]:
    """Queries of one to four tags, each drawn by Zipf's law: the commonest has a chance ∝ 1, the next ∝ 1/2."""
    random = np.random.default_rng(seed)
    by_count = np.argsort(-np.diff(index.tag_starts), kind="stable")
    chance = 1.0 / np.arange(1, len(by_count) + 1)
    chance /= chance.sum()
    sizes = random.integers(1, 5, QUERIES)
    return [tuple(by_count[random.choice(len(by_count), size, replace=False, p=chance)].tolist()) for size in sizes]


def random_documents(index: DocumentIndex, seed: int = SEED) -> list[int]:
    """Documents to find the like of."""
    found: list[int] = np.random.default_rng(seed).choice(index.document_count, QUERIES, replace=False).tolist()
    return found


def measure(name: str) -> dict[str, Any]:
    """Index a whole corpus and time both rankings and BM25, question by question in turn; milliseconds."""
    matrix = incidence(tagged(name).matrix, MIN_COUNT).matrix
    began = time.process_time()
    index = document_index(matrix)
    build = time.process_time() - began
    bm25, asked = Bm25(index), random_documents(index)
    queries = zipf_queries(index)
    tags = [tuple(index.tags_of(document).tolist()) for document in asked]
    documents = timed(queries, bm25.best, lambda query, _: ranked_documents(index, query, limit=PAGE))
    near = timed(queries, bm25.best, lambda query, _: ranked_documents(index, query, match="near", limit=PAGE))
    similar = timed(tags, bm25.best, lambda query, at: similar_documents(index, query, exclude=asked[at], limit=PAGE))
    return {
        "documents": index.document_count,
        "tags": index.tag_count,
        "entries": len(index.tags),
        "build_seconds": build,
        "bytes": index.nbytes,
        "queries": documents,
        "near": near,
        "similar": similar,
    }


def shortcuts(name: str) -> list[dict[str, Any]]:
    """What the shortcuts of the service lose on a whole corpus, task by task."""
    matrix = incidence(tagged(name).matrix, MIN_COUNT).matrix
    return [shortcut_figures(matrix, hiding) for hiding in HIDINGS]


def shortcut_figures(matrix: Matrix, hiding: Hiding) -> dict[str, Any]:
    """Recall@10 by the service and by scoring every document, and how many of the latter's ten the service has."""
    task = hide(matrix, SEED, hiding, asked=COMPARED_WITH_EXACT)
    served, whole = document_index(task.matrix), document_index(task.matrix, neighbours=matrix.shape[1])
    everything = np.arange(whole.document_count)
    hits, shared = np.zeros(2), 0
    for row, target in enumerate(task.targets.tolist()):
        query = task.queries.indices[task.queries.indptr[row] : task.queries.indptr[row + 1]].tolist()
        ours = ranked_documents(served, query, match="near", limit=PAGE).documents
        exact = best(whole, everything, exact_scores(whole, query, everything), PAGE)[0]
        hits += target in ours, target in exact
        shared += len(np.intersect1d(ours, exact))
    asked = len(task.targets)
    return {
        "task": hiding,
        "asked": asked,
        "with": hits[0] / asked,
        "without": hits[1] / asked,
        "same": shared / asked / PAGE,
    }


def timed(
    queries: Sequence[tuple[int, ...]],
    rival: Callable[[tuple[int, ...]], object],
    ours: Callable[[tuple[int, ...], int], object],
) -> dict[str, float]:
    """The median processor time of both, in milliseconds, and that of the slowest twentieth."""
    times: NDArray[np.float64] = np.zeros((2, len(queries)))
    for at, query in enumerate(queries):
        start = time.process_time()
        rival(query)
        between = time.process_time()
        ours(query, at)
        times[:, at] = between - start, time.process_time() - between
    medians, slow = np.median(times, axis=1) * 1000, np.quantile(times, 0.95, axis=1) * 1000
    return {"bm25": medians[0], "ours": medians[1], "bm25_slow": slow[0], "ours_slow": slow[1]}
