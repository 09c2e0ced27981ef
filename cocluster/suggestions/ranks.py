"""Ranks hidden tags among the suggestions for the other tags of their documents."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster.suggestions.kernels.ranks import rank_hidden
from cocluster.suggestions.lists import Lists
from cocluster.suggestions.logistic import LogisticWeights
from cocluster.tasks import LocalTasks

AT_ONCE: Final = 256
"""Documents of one task."""


def hidden_ranks(
    lists: Lists,
    evidence: LogisticWeights,
    starts: NDArray[np.int64],
    documents: NDArray[np.int32],
    asked: NDArray[np.bool_],
    *,
    logistic_weights: NDArray[np.float64],
    factors: NDArray[np.float64],
    first: int,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The rank of each tag of each document that is `asked` for, among the suggestions for the document's other tags.

    Document d has the tags documents[starts[d]:starts[d + 1]]. The ranks are those of each tag for each of the
    `logistic_weights` (α of suggestions.md (6)) and popularity exponents, 0 where the tag is not suggested or not asked
    for; of equal scores the tag with the lower number comes first. The second array marks the tags that are ever among
    the `first`, if that is not 0. The `factors` (tags × exponents) are the popularity factors: for queries of one tag,
    then for longer ones.
    """
    tags, exponents = factors.shape[1:]
    quick_factors = np.ascontiguousarray(np.log2(factors).transpose(0, 2, 1), dtype=np.float32)
    arrays = (lists.starts, lists.indices, lists.alone, lists.together, evidence.weights, evidence.prior)

    def rank_block(block: slice, _: None) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        bounds = starts[block.start : block.stop + 1]
        entries = documents[bounds[0] : bounds[-1]]
        ranks = np.zeros((len(entries), len(logistic_weights), exponents), dtype=np.int32)
        seen = np.zeros((len(logistic_weights), exponents, tags), dtype=np.bool_)
        rank_hidden(
            arrays,
            bounds - bounds[0],
            entries,
            asked[bounds[0] : bounds[-1]],
            logistic_weights,
            factors,
            quick_factors,
            first,
            ranks,
            seen,
        )
        return ranks, seen

    blocks = [slice(start, min(start + AT_ONCE, len(starts) - 1)) for start in range(0, len(starts) - 1, AT_ONCE)]
    parts = list(LocalTasks().each(rank_block, blocks, None))
    return np.concatenate([ranks for ranks, _ in parts]), np.logical_or.reduce([seen for _, seen in parts])
