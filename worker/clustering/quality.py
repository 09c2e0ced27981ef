"""Computes the figures by which an operator judges a run."""

from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import CoClustering, coherence, v_measure
from cocluster.equations.information import information


def quality(
    model: CoClustering,
    matrix: csr_array[np.float64, tuple[int, int]],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    labels: list[str | None],
    *,
    entropy: float,
    moved: NDArray[np.bool_],
) -> dict[str, float]:
    """Figures by which an operator judges a run. After a fit by micro-clusters the information of M* is an estimate."""
    start = model.information_ / model.plan_.information_kept
    left = information(model.aggregated(rows, columns))
    sizes = np.bincount(columns)
    figures = {
        "information_bits": start,
        "information_kept": left / start if start > 0 else 1.0,
        "tag_entropy": entropy,
        "tag_clusters": float(len(sizes)),
        "document_clusters": float(rows.max() + 1),
        "largest_tag_cluster": float(sizes.max()),
        "median_tag_cluster": float(np.median(sizes)),
        "moved_by_refinement": float(moved.mean()),
        **asdict(coherence(matrix, columns)),
    }
    if all(label is not None for label in labels):
        _, truth = np.unique(np.array(labels, dtype=str), return_inverse=True)
        figures["document_v_measure"] = float(v_measure(truth, rows))
    return {name: round(value, 6) for name, value in figures.items()}
