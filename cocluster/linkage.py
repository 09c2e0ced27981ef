import numpy as np

from cocluster.arrays import Floats, Ints
from cocluster.history import Tree


def linkage(tree: Tree) -> Floats:
    """The tree as scipy's (n−1)×4 linkage; heights are the information lost so far, in bits.  math.md (11)

    The cost D* may fall from one merge to the next; the information lost on one tree cannot. The last column counts
    leaves, as scipy wants it.
    """
    pairs = np.sort(np.column_stack([tree.a_node, tree.b_node]), axis=1)
    return np.column_stack([pairs, np.cumsum(tree.loss), leaves_below(pairs)]).astype(np.float64)


def leaves_below(pairs: Ints) -> Ints:
    """How many leaves each merge has below it."""
    leaves = len(pairs) + 1
    count = np.ones(leaves + len(pairs), dtype=np.int64)
    for merge, (a, b) in enumerate(pairs.tolist()):
        count[leaves + merge] = count[a] + count[b]
    return count[leaves:]
