"""Small 0/1 matrices to test on: drawn at random, full of ties, or with a name."""

import gzip
import json

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.needs import corpus_file

# As many as the profile says; of slow properties fewer.
examples = settings()
few_examples = settings(max_examples=settings.default.max_examples * 2 // 5)


@st.composite
def incidences(draw, least=1, most=9):
    """M without empty rows and columns; small, so many have duplicates, ties or disconnected parts."""
    shape = draw(st.tuples(st.integers(least, most), st.integers(least, most)))
    return filled(draw(arrays(np.bool_, shape)).astype(np.float64))


def filled(M):
    """M with a 1 put on the wrapped diagonal of each row and column that has none."""
    M = M.copy()
    n, m = M.shape
    for i in np.flatnonzero(M.sum(axis=1) == 0):
        M[i, i % m] = 1.0
    for j in np.flatnonzero(M.sum(axis=0) == 0):
        M[j % n, j] = 1.0
    return M


def circulant(n, offsets):
    """Row i holds the tags i + offsets: every document is like every other, all costs come in ties."""
    M = np.zeros((n, n))
    for offset in offsets:
        M[np.arange(n), (np.arange(n) + offset) % n] = 1.0
    return M


TIED = {
    "identity": np.eye(6),
    "ring": circulant(8, (0, 1)),
    "wide ring": circulant(9, (0, 1, 3)),
    "two equal parts": np.kron(np.eye(2), circulant(4, (0, 1))),
    "all duplicates": np.ones((5, 4)),
    "blocks of duplicates": np.kron(np.eye(3), np.ones((2, 3))),
    "complete but one": 1.0 - np.eye(6),
    "one tag in every document": np.hstack([np.ones((6, 1)), np.eye(6)]),
    "lattice": np.array([[(i & j) == 0 for j in range(8)] for i in range(8)], dtype=float),
}


def sample(name, documents, min_count=5):
    """M of the first documents of a corpus, filtered; skips the test when the corpora are not there."""
    from cocluster import incidence

    with gzip.open(corpus_file(name), "rt") as lines:
        tags = [json.loads(line)["tags"] for line, _ in zip(lines, range(documents), strict=False)]
    names = {tag: j for j, tag in enumerate(sorted({tag for some in tags for tag in some}))}
    X = np.zeros((len(tags), len(names)))
    for i, some in enumerate(tags):
        X[i, [names[tag] for tag in some]] = 1.0
    return incidence(X, min_count).matrix
