"""What it costs and loses to read only a part of the lists of documents for a query.

python -m bench.service.bounded            # radio_large, and two million documents drawn from it
"""

import argparse
import time
from collections.abc import Callable
from statistics import mean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.cocluster.scale.cases import corpus
from cocluster import document_index
from service.questions.documents import ranking
from service.questions.documents.postings import AFFORDABLE
from service.questions.documents.ranking import RankedDocuments, ranked_documents, similar_documents
from tagmodel import DocumentIndex

KINDS: Final = ("near one tag", "near several", "like a document")
QUERIES: Final = 150
EVERYTHING: Final = 10**12
Query = tuple[int | None, tuple[int, ...]]


def resampled(M: Any, documents: int) -> Any:
    """Documents drawn with replacement, without a tenth of their tags, in the order of their originals."""
    random = np.random.default_rng(0)
    drawn = M[np.sort(random.integers(0, M.shape[0], documents))]
    kept = random.random(drawn.nnz) < 0.9
    rows = np.repeat(np.arange(documents), np.diff(drawn.indptr))[kept]
    found = csr_array((np.ones(len(rows)), (rows, drawn.indices[kept])), shape=drawn.shape)
    found = csr_array(found[np.diff(found.indptr) > 0])
    found.sort_indices()
    return found


def queries(index: DocumentIndex) -> list[Query]:
    """One tag drawn by its count, two to four tags of a document, and a document, in turns."""
    random = np.random.default_rng(1)
    share = index.counts() / index.counts().sum()
    found: list[Query] = []
    for number in range(QUERIES):
        if number % 3 == 0:
            found.append((None, (int(random.choice(len(share), p=share)),)))
            continue
        least, tags, document = 1 + number % 3, np.empty(0), 0
        while len(tags) < least:
            document = int(random.integers(index.document_count))
            tags = index.tags_of(document)
        some: NDArray[Any] = random.choice(tags, min(len(tags), int(random.integers(2, 5))), replace=False)
        chosen = tuple(int(tag) for tag in (some if number % 3 == 1 else tags))
        found.append((None if number % 3 == 1 else document, chosen))
    return found


def answer(index: DocumentIndex, query: Query) -> RankedDocuments:
    document, tags = query
    if document is None:
        return ranked_documents(index, tags, match="near", limit=10)
    return similar_documents(index, tags, exclude=document, limit=10)


def timed(ask: Callable[[], RankedDocuments]) -> tuple[RankedDocuments, float]:
    """The answer, and milliseconds of processor time, the second time it is asked."""
    ask()
    began = time.process_time()
    return ask(), 1000 * (time.process_time() - began)


def rows(name: str, M: Any) -> list[str]:
    """The rows of the table for one matrix."""
    index = document_index(M)
    asked = queries(index)
    milliseconds: dict[int, list[float]] = {}
    answers: dict[int, list[set[int]]] = {}
    for most in (EVERYTHING, AFFORDABLE):
        vars(ranking)["AFFORDABLE"] = most
        found = [timed(lambda query=query: answer(index, query)) for query in asked]  # type: ignore[misc]
        milliseconds[most] = [spent for _, spent in found]
        answers[most] = [set(each.documents.tolist()) for each, _ in found]
    recall = [len(a & b) / max(len(a), 1) for a, b in zip(answers[EVERYTHING], answers[AFFORDABLE], strict=True)]
    full, bounded = milliseconds[EVERYTHING], milliseconds[AFFORDABLE]
    return [
        f"| {name} | {kind} | {mean(full[at::3]):.1f} | {mean(bounded[at::3]):.1f} | {mean(recall[at::3]):.3f} |"
        for at, kind in enumerate(KINDS)
    ]


def main() -> None:
    """Measure and print."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    M = corpus("radio_large").matrix
    print("| documents | query | all lists, ms | bounded, ms | recall@10 |\n|---|---|--:|--:|--:|")
    for name, matrix in ((f"{M.shape[0]:,}", M), ("2,000,000", resampled(M, 2_000_000))):
        print("\n".join(rows(name, matrix)), flush=True)


if __name__ == "__main__":
    main()
