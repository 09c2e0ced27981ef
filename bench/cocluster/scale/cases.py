"""The matrices that are measured: real corpora, parts of them, and planted ones of any size."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.document_files import documents_of, gather
from bench.places import CORPORA
from cocluster import checkerboard, incidence


class MissingCorpus(Exception):
    """A corpus that is not part of the project is not where it is looked for."""


class Case(NamedTuple):
    """A matrix, the known classes of its documents and of its tags, and how many there are."""

    matrix: Any
    rows: NDArray[Any] | None
    columns: NDArray[Any] | None
    k: int


def case(name: str) -> Case:
    """`corpus`, `corpus:documents`, `corpus:documents:tags`, `board:n:m:k`, `planted:n:m:k` or `folksonomy:n:m:k`."""
    kind, *numbers = name.split(":")
    sizes = [int(number) for number in numbers]
    if kind == "board":
        n, m, k = sizes
        return Case(*checkerboard(n=n, m=m, k=k, seed=0), k)
    if kind == "planted":
        return planted(*sizes)
    if kind == "folksonomy":
        return folksonomy(*sizes)
    return corpus(kind, *sizes)


def corpus(name: str, documents: int | None = None, tags: int | None = None) -> Case:
    """The first documents of a corpus, with its commonest tags."""
    path = CORPORA / f"{name}.jsonl.gz"
    if not path.exists():
        raise MissingCorpus(f"{path} is not there: these measurements need the shared corpora")
    found = gather(islice(documents_of(path), documents))
    columns = np.arange(len(found.keys))
    if tags is not None:
        columns = np.sort(np.argsort(-np.bincount(found.matrix.indices), kind="stable")[:tags])
    kept = incidence(found.matrix[:, columns], 1 if tags is not None else 5)
    labels = np.array([found.labels[row] or "" for row in kept.rows])
    rows = np.unique(labels, return_inverse=True)[1]
    return Case(kept.matrix, rows if rows.max() else None, None, int(rows.max()) + 1 if rows.max() else 20)


def planted(n: int, m: int, k: int, length: int = 10) -> Case:
    """Documents of ten tags, eight of ten of their own topic, the first of a topic's tags the commonest."""
    random = np.random.default_rng(0)
    topic = random.integers(0, k, n)
    of_tag = np.where(random.random((n, length)) < 0.8, topic[:, None], random.integers(0, k, (n, length)))
    rank = (m // k * random.random((n, length)) ** 2).astype(np.int64)
    rows = np.repeat(np.arange(n), length)
    cells = np.unique(rows * m + (rank * k + of_tag).ravel())
    X = csr_array((np.ones(len(cells)), (cells // m, cells % m)), shape=(n, m))
    kept = incidence(X, 3)
    return Case(kept.matrix, topic[kept.rows], kept.columns % k, k)


def folksonomy(n: int, m: int, k: int, length: int = 10) -> Case:
    """Documents of ten tags by Zipf's law: seven of ten of their own topic, the others of all.

    Tag t belongs to topic t mod k and has the rank t div k in it, drawn with a chance of 1/(rank + 3); the others are
    drawn by 1/(t + 3). So the first tag is in a tenth of the documents, and most tags are in a few. Tags in fewer than
    three go.
    """
    random = np.random.default_rng(0)
    topic = random.integers(0, k, n)
    own = random.random((n, length)) < 0.7
    tags = np.where(own, _by_zipf(m // k, (n, length), random) * k + topic[:, None], _by_zipf(m, (n, length), random))
    cells = np.unique(np.repeat(np.arange(n), length) * m + tags.ravel())
    X = csr_array((np.ones(len(cells)), (cells // m, cells % m)), shape=(n, m))
    kept = incidence(X, 3)
    return Case(kept.matrix, topic[kept.rows], kept.columns % k, k)


def _by_zipf(ranks: int, shape: tuple[int, int], random: np.random.Generator) -> NDArray[np.int64]:
    """Ranks drawn with a chance of 1/(rank + 3)."""
    share = np.cumsum(1.0 / (np.arange(ranks) + 3.0))
    drawn: NDArray[np.int64] = np.searchsorted(share, share[-1] * random.random(shape)).astype(np.int64)
    return drawn
