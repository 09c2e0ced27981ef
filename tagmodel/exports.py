"""Exports a dendrogram to formats of other programs, without recursion, because trees can be very deep."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tagmodel.dendrogram import Branches


def newick(branches: Branches, labels: Sequence[str]) -> str:
    """Newick. Branch lengths are differences of height; names are quoted, quotes in them doubled.

    Args:
        branches: The part of the tree to write.
        labels: The names of its leaves.

    Returns:
        One line that ends with a semicolon.

    >>> import numpy as np
    >>> from tagmodel import Dendrogram
    >>> tree = Dendrogram(np.array([[0, 1, 0.1, 2], [2, 3, 0.7, 3]]))
    >>> newick(tree.branches([0, 1, 2]), ["rain", "snow", "coin"])
    "('coin':0.7,('rain':0.1,'snow':0.1):0.6);"
    """
    leaves = len(labels)
    parts: list[str] = []
    stack: list[tuple[int, float] | str] = [";", (branches.root, branches.height(branches.root))]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        number, above = node
        height = branches.height(number)
        length = f":{above - height:.6g}" if number != branches.root else ""
        if number < leaves:
            name = labels[number].replace("'", "''")
            parts.append(f"'{name}'{length}")
        else:
            merge = branches.merges[number - leaves]
            parts.append("(")
            stack += [f"){length}", (merge.b, height), ",", (merge.a, height)]
    return "".join(parts)


def nested_json(
    branches: Branches,
    sizes: Sequence[int],
    leaf: Callable[[int], Mapping[str, Any]],
    encode: Callable[[Mapping[str, Any]], bytes],
) -> bytes:
    """{"height", "size", "children"} down to the leaves, which `leaf` describes; `sizes` are those of the leaves.

    Args:
        branches: The part of the tree to write.
        sizes: The number of items of each leaf.
        leaf: What to say of a leaf, by its number.
        encode: Turns a record into JSON.

    Returns:
        JSON.

    >>> import json
    >>> import numpy as np
    >>> from tagmodel import Dendrogram
    >>> tree = Dendrogram(np.array([[0, 1, 0.1, 2], [2, 3, 0.7, 3]]))
    >>> names = ["rain", "snow", "coin"]
    >>> def encode(record):
    ...     return json.dumps(record).encode()
    >>> whole = nested_json(tree.branches([0, 1, 2]), [1, 1, 1], lambda leaf: {"tag": names[leaf]}, encode)
    >>> sorted(json.loads(whole))
    ['children', 'height', 'size']
    """
    leaves = len(sizes)
    size = list(sizes)
    for merge in branches.merges:
        size.append(size[merge.a] + size[merge.b])
    parts: list[bytes] = []
    stack: list[int | bytes] = [branches.root]
    while stack:
        node = stack.pop()
        if isinstance(node, bytes):
            parts.append(node)
        elif node < leaves:
            parts.append(encode(leaf(node)))
        else:
            merge = branches.merges[node - leaves]
            head = encode({"height": merge.height, "size": size[node]})
            parts.append(head.removesuffix(b"}") + b',"children":[')
            stack += [b"]}", merge.b, b",", merge.a]
    return b"".join(parts)
