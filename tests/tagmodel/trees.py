"""Random dendrograms to test on, and slow readings of them to test against."""

import numpy as np
from hypothesis import strategies as st

from tagmodel import Dendrogram


def random_linkage(n, seed):
    """Any order of merges, heights that never fall."""
    random = np.random.default_rng(seed)
    nodes, sizes, rows = list(range(n)), [1] * n, []
    for step, height in enumerate(np.sort(random.random(n - 1))):
        a, b = random.choice(len(nodes), 2, replace=False)
        first, second = nodes[a], nodes[b]
        rows.append([first, second, height, sizes[first] + sizes[second]])
        sizes.append(sizes[first] + sizes[second])
        nodes = [node for node in nodes if node not in {first, second}] + [n + step]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def chain_linkage(n):
    """A tree as deep as it has leaves: each merge adds one leaf."""
    return np.array([[0 if i == 0 else n + i - 1, i + 1, float(i), i + 2] for i in range(n - 1)])


def slow_labels(linkage, k):
    """The cluster of each leaf after all merges but the last k − 1, merge by merge."""
    n = len(linkage) + 1
    members = {item: {item} for item in range(n)}
    for step, (a, b) in enumerate(linkage[: n - k, :2].astype(int).tolist()):
        members[n + step] = members.pop(a) | members.pop(b)
    labels = np.empty(n, dtype=int)
    for label, group in enumerate(sorted(members.values(), key=min)):
        labels[list(group)] = label
    return labels


def slow_leaves(linkage, node):
    """The leaves below a node."""
    n = len(linkage) + 1
    if node < n:
        return {node}
    a, b = linkage[node - n, :2].astype(int).tolist()
    return slow_leaves(linkage, a) | slow_leaves(linkage, b)


linkages = st.builds(random_linkage, st.integers(1, 25), st.integers(0, 10_000))
dendrograms = linkages.map(Dendrogram)


@st.composite
def dendrograms_with_split_nodes(draw):
    """A dendrogram, and some of its merges, each with all the merges above it."""
    tree = draw(dendrograms)
    split, left = [], [tree.root]
    while left:
        node = left.pop()
        if node >= tree.leaves and draw(st.booleans()):
            split.append(node)
            left += tree.children(node)
    return tree, split
