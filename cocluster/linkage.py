import numpy as np

from cocluster.arrays import Floats
from cocluster.history import Tree


def linkage(tree: Tree) -> Floats:
    """The tree as scipy's (n−1)×4 linkage; heights are the information lost so far, in bits.  math.md (11)

    The cost D* may fall from one merge to the next; the information lost on one tree cannot.
    """
    pairs = np.sort(np.column_stack([tree.a_node, tree.b_node]), axis=1)
    return np.column_stack([pairs, np.cumsum(tree.loss), tree.a_size + tree.b_size]).astype(np.float64)
