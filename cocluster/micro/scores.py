"""Scores of clusters for documents, highest for the nearest one in KL, without writing M* out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Floats, Singles, Sparse
from cocluster.fit.factored import FactoredMatrix

CHUNK = 256
"""Rows of M* computed at a time."""


def score_table(smoothed: FactoredMatrix, masses: Floats) -> Singles:
    """H = G · D(v) log(N/rowsum)ᵀ, features × clusters: a document's scores are its row · H.  math.md (13)

    KL(x ‖ a) = Σ x log x − Σ x log a, and the first sum is the same for every a.
    """
    return smoothed.G.table(log_shares(masses, smoothed.column_sizes) * smoothed.column_sizes)


def log_shares(masses: Floats, column_sizes: Floats) -> Floats:
    """log₂ of each row's shares; a column stands for `column_sizes` equal ones."""
    logs: Floats = np.log2(masses / (masses @ column_sizes)[:, None])
    return logs


def rows_in_chunks(smoothed: FactoredMatrix, rows: Sparse) -> Iterator[tuple[slice, Floats, Floats]]:
    """A few rows of M* at a time: their slice, their masses, and log₂ of their shares."""
    for start in range(0, rows.shape[0], CHUNK):
        part = slice(start, start + CHUNK)
        masses = smoothed.G.aggregate(csr_array(rows[part]))
        yield part, masses, log_shares(masses, smoothed.column_sizes)
