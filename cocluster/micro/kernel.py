"""The nearest cluster of each document, compiled: the one loop whose time grows with the documents."""

from __future__ import annotations

import numpy as np

from cocluster.engine.kernel import Floats, Ints, Longs, Singles, kernel


@kernel
def nearest_rows(starts: Longs, features: Ints, values: Singles, table: Singles) -> tuple[Ints, Floats]:
    """The argmax and max over clusters a of Σ_f values_f · table[f, a], for each row of a sparse block.  math.md (13)

    Sums in float32 in the order of the features, so that a row gets the same bits in any block.
    """
    rows, clusters = starts.size - 1, table.shape[1]
    label, best = np.zeros(rows, np.int32), np.zeros(rows, np.float64)
    scores = np.empty(clusters, np.float32)
    for x in range(rows):
        scores[:] = 0.0
        for e in range(starts[x], starts[x + 1]):
            value, row = values[e], table[features[e]]
            for a in range(clusters):
                scores[a] += value * row[a]
        label[x] = np.argmax(scores)
        best[x] = scores[label[x]]
    return label, best
