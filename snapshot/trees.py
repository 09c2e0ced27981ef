import numpy as np
from numpy.typing import NDArray


def labels_at(linkage: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """The cluster of each leaf when a tree is cut into exactly k: 0…k−1, ordered by smallest member.

    The rows of the linkage are in the order of the merges, so the first n − k of them have happened.

    Raises:
        ValueError: k is not between 1 and the number of leaves.
    """
    leaves = len(linkage) + 1
    if not 1 <= k <= leaves:
        raise ValueError(f"k must be between 1 and {leaves}, not {k}")
    merged = linkage[: leaves - k, :2].astype(np.int64)
    node = np.arange(2 * leaves - 1)
    node[merged] = np.arange(leaves, 2 * leaves - k)[:, None]
    while not np.array_equal(above := node[node], node):
        node = above
    _, first, labels = np.unique(node[:leaves], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    numbered: NDArray[np.int64] = rank[labels]
    return numbered
