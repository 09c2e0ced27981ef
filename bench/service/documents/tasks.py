"""The four tasks: which documents are indexed, what is asked, and which document should be found."""

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.places import CORPORA
from cocluster import incidence
from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.vocabulary.tag_corpus import TagCorpus

Matrix: TypeAlias = "csr_array[np.float64, tuple[int, int]]"
Hiding = Literal["third", "halves", "noisy"]
HIDINGS: Final[tuple[Hiding, ...]] = get_args(Hiding)
NAMES: Final = ("tabler_icons", "whatscooking", "lastfm_artists", "citeulike_a", "debtags")
LABELLED: Final = ("tabler_icons", "whatscooking", "debtags")
SEEDS: Final = (50, 51, 52)
TUNING_SEEDS: Final = (1, 2)
"""What there is to tune is chosen on these draws. No reported figure comes from them."""

DOCUMENTS: Final = 8000
ASKED: Final = 1000
MIN_COUNT: Final = 5
LEAST_TAGS: Final[dict[Hiding, int]] = {"third": 3, "halves": 2, "noisy": 3}
"""Documents with fewer tags are not asked about."""


@dataclass(frozen=True, eq=False)
class Hidden:
    """The documents as they are indexed, the queries, and the document that each should find."""

    matrix: Matrix
    queries: Matrix
    targets: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Classes:
    """The documents, those that are asked about, and the class of each document."""

    matrix: Matrix
    asked: NDArray[np.intp]
    classes: NDArray[np.intp]


@cache
def tagged(name: str) -> TagCorpus:
    """A corpus as the worker reads it."""
    path = CORPORA / f"{name}.jsonl.gz"
    return load_documents(Corpus(name=name, source=str(path), path=path), Stages(lambda *_: None))[0]


def drawn(name: str, seed: int) -> tuple[Matrix, NDArray[np.intp]]:
    """8,000 documents of a corpus × the tags in at least five of them, and the class of each; −1 without one.

    They are in random order: in the file, neighbours often have the same class, and rankers break ties by position.
    """
    corpus = tagged(name)
    rows = np.random.default_rng(seed).permutation(len(corpus.ids))[:DOCUMENTS]
    filtered = incidence(corpus.matrix[rows], MIN_COUNT)
    labels = [corpus.labels[row] for row in rows[filtered.rows]]
    numbers = {label: number for number, label in enumerate(sorted({label for label in labels if label is not None}))}
    return filtered.matrix, np.array([numbers.get(label, -1) if label is not None else -1 for label in labels])


def hidden(name: str, seed: int, hiding: Hiding) -> Hidden:
    """1,000 of the documents with some of their tags hidden; the others whole."""
    return hide(drawn(name, seed)[0], seed, hiding)


def hide(M: Matrix, seed: int, hiding: Hiding, asked: int = ASKED) -> Hidden:
    """Hide tags of some documents, and ask for these documents; tags that no document has any more are left out.

    third: a third of the tags is hidden; the query has these and one of the others. halves: one half is hidden, and is
    the query. noisy: two thirds are kept, and the query has one half of all, drawn anew.
    """
    random = np.random.default_rng([seed, HIDINGS.index(hiding)])
    able = np.flatnonzero(np.diff(M.indptr) >= LEAST_TAGS[hiding])
    targets = np.sort(random.permutation(able)[:asked])
    rows = [M.indices[M.indptr[row] : M.indptr[row + 1]] for row in range(M.shape[0])]
    queries = []
    for target in targets.tolist():
        tags = random.permutation(rows[target])
        third, half = max(1, round(len(tags) / 3)), len(tags) // 2
        if hiding == "third":
            kept, query = tags[third:], tags[: third + 1]
        elif hiding == "halves":
            kept, query = tags[half:], tags[:half]
        else:
            kept, query = tags[third:], random.permutation(tags)[: len(tags) - half]
        rows[target] = np.sort(kept)
        queries.append(np.sort(query))
    indexed, asked_for = matrix_of(rows, M.shape[1]), matrix_of(queries, M.shape[1])
    known = np.flatnonzero(np.bincount(indexed.indices, minlength=M.shape[1]))
    return Hidden(indexed[:, known], asked_for[:, known], targets)


def classes(name: str, seed: int) -> Classes:
    """1,000 of the documents that have a class."""
    M, labels = drawn(name, seed)
    random = np.random.default_rng([seed, len(HIDINGS)])
    return Classes(M, np.sort(random.permutation(np.flatnonzero(labels >= 0))[:ASKED]), labels)


def recall(scores: NDArray[np.float32], targets: NDArray[np.intp], first: int = 10) -> float:
    """The share of queries whose document is among the first ten; among equals, the chance of it."""
    own = scores[np.arange(len(targets)), targets][:, None]
    better, equal = (scores > own).sum(axis=1), (scores == own).sum(axis=1)
    return float(np.clip((first - better) / equal, 0.0, 1.0).mean())


def same_class(scores: NDArray[np.float32], task: Classes, first: int = 10) -> float:
    """The share of the ten nearest documents that have the class of the document itself."""
    others = scores.astype(np.float32)
    others[np.arange(len(task.asked)), task.asked] = -np.inf
    nearest = np.argsort(-others, axis=1, kind="stable")[:, :first]
    return float((task.classes[nearest] == task.classes[task.asked][:, None]).mean())


def matrix_of(rows: list[NDArray[np.int32]], tags: int) -> Matrix:
    """Documents given by their tags, as a matrix."""
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    indices = np.concatenate(rows).astype(np.int32)
    return csr_array((np.ones(len(indices)), indices, starts), shape=(len(rows), tags))
