import numpy as np
from numpy.typing import NDArray

from cocluster.suggestions.kernels import rank_hidden
from cocluster.suggestions.lists import Lists


def hidden_ranks(
    lists: Lists,
    starts: NDArray[np.int64],
    documents: NDArray[np.int32],
    *,
    blends: NDArray[np.float64],
    factors: NDArray[np.float64],
    first: int,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Where each tag of each document stands among the suggestions of the document's other tags.

    Document d has the tags documents[starts[d]:starts[d + 1]]. The ranks are those of each tag for each of the
    `blends` and rows of `factors` (suggestions.md (4), (5)), 0 where the tag is not suggested; of equal scores the
    tag with the lower number stands first. The second array says which tags ever stand among the `first`.
    """
    ranks = np.zeros((len(documents), len(blends), len(factors)), dtype=np.int32)
    seen = np.zeros((len(blends), len(factors), factors.shape[1]), dtype=np.bool_)
    arrays = (lists.starts, lists.indices, lists.alone, lists.together)
    rank_hidden(arrays, starts, documents, blends, factors, first, ranks, seen)
    return ranks, seen
