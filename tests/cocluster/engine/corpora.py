"""Matrices to test on: golden cases, real samples, and a small dense smoothing of its own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).parents[1] / "golden"
CORPORA = Path(__file__).parents[4] / "shared" / "corpora"


def incidence(documents):
    m = 1 + max(max(d) for d in documents)
    M = np.zeros((len(documents), m))
    for i, tags in enumerate(documents):
        M[i, tags] = 1.0
    return M


def transition(M):
    """T of the rows of M, math.md (1) and (2)."""
    A = M / np.sqrt(M.sum(axis=0))
    A /= np.sqrt((A * A).sum(axis=1))[:, None]
    S = A @ A.T
    d = np.ones(len(M))
    for _ in range(2000):
        step = np.sqrt(d * (S @ d))
        d /= step
        if np.abs(step - 1).max() < 1e-14:
            break
    return S * d[:, None] * d


def smoothed(M, teleport=1e-6):
    """M* after teleport, math.md (3) and (4); rows of equal documents are bitwise equal, likewise columns."""
    _, rows, back_rows = np.unique(M, axis=0, return_index=True, return_inverse=True)
    _, columns, back_columns = np.unique(M, axis=1, return_index=True, return_inverse=True)
    N = transition(M) @ M @ transition(M.T)
    N = (1 - teleport) * N + teleport * np.outer(N.sum(axis=1), N.sum(axis=0)) / N.sum()
    return np.ascontiguousarray(N[rows[back_rows.ravel()]][:, columns[back_columns.ravel()]])


def golden(name):
    case = json.loads((GOLDEN / f"{name}.json").read_text())
    return case, smoothed(incidence(case["documents"]), case["teleport"])


def sample(name, limit, min_count=5):
    """M of the first documents of a corpus, filtered as in DESIGN §2; None when the corpora are not there."""
    path = CORPORA / f"{name}.jsonl.gz"
    if not path.exists():
        return None
    with gzip.open(path, "rt") as lines:
        documents = [sorted(set(json.loads(line)["tags"])) for line, _ in zip(lines, range(limit), strict=False)]
    names = sorted({t for d in documents for t in d})
    number = {t: i for i, t in enumerate(names)}
    M = np.zeros((len(documents), len(names)))
    for i, tags in enumerate(documents):
        M[i, [number[t] for t in tags]] = 1.0
    while True:
        shape = M.shape
        M = M[:, M.sum(axis=0) >= min_count]
        M = M[M.sum(axis=1) > 0]
        if M.shape == shape:
            return M
