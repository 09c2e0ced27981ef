import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from snapshot import Related

KEPT = 64
"""How many tags are kept for each specificity; their union is stored."""

SPECIFICITIES = (0.0, 0.5, 1.0)


def related(transition: csr_array[np.float64, tuple[int, int]], counts: NDArray[np.int32]) -> Related:
    """The tags worth suggesting beside each tag, with their transition probabilities T^Y as scores.

    Suggestions rank by T^Y × count^(1−specificity), from popular (0) to specific (1). The union of the best at both
    ends and in the middle is kept, so that the service can rank for any specificity between them.
    """
    starts = [0]
    indices: list[NDArray[np.int32]] = []
    scores: list[NDArray[np.float32]] = []
    for tag in range(transition.shape[0]):
        row = slice(transition.indptr[tag], transition.indptr[tag + 1])
        others, values = transition.indices[row], transition.data[row]
        keep = (others != tag) & (values > 0)
        others, values = others[keep], values[keep]
        kept = np.unique(
            np.concatenate([best(values * counts[others] ** (1.0 - specificity)) for specificity in SPECIFICITIES])
        )
        kept = kept[np.argsort(-values[kept], kind="stable")]
        indices.append(others[kept].astype(np.int32))
        scores.append(values[kept].astype(np.float32))
        starts.append(starts[-1] + len(kept))
    return Related(
        starts=np.array(starts, dtype=np.int32),
        indices=np.concatenate([*indices, np.empty(0, dtype=np.int32)]),
        scores=np.concatenate([*scores, np.empty(0, dtype=np.float32)]),
    )


def best(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Places of the KEPT largest values; of equals, the first."""
    return np.argsort(-values, kind="stable")[:KEPT]
