"""The documents that show what each group of a cloud means: those that have the query and most of the group."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.answers import CloudGroup
from service.view import View
from snapshot import normalise
from tagmodel import DocumentIndex

MOST_COMPARED: Final = 4_000
"""At most so many documents of a query are compared; of more, every n-th is."""


def documents_by_group(
    view: View, index: DocumentIndex, documents: NDArray[np.integer], groups: Sequence[CloudGroup], most: int
) -> list[list[int]]:
    """For each group, at most so many of the given documents, best first; a document stands for one group only.

    A document belongs to the group whose tags it has most of, by their weight in the cloud. Within a group those come
    first that have much of it and little of the others.
    """
    if not len(documents) or not groups:
        return [[] for _ in groups]
    compared = documents[:: -(-len(documents) // MOST_COMPARED)]
    shares = _weights(view, index, compared, groups)
    best = shares.argmax(axis=1)
    own = shares[np.arange(len(compared)), best]
    quality = own**2 / np.maximum(shares.sum(axis=1), 1e-12)
    order = np.lexsort((compared, -quality))
    order = order[own[order] > 0]
    return [compared[order[best[order] == number][:most]].tolist() for number in range(len(groups))]


def _weights(
    view: View, index: DocumentIndex, documents: NDArray[np.integer], groups: Sequence[CloudGroup]
) -> NDArray[np.float64]:
    """Documents × groups: the summed weight of the tags that a document shares with a group."""
    group_of = np.full(index.tag_count, -1)
    weight_of = np.zeros(index.tag_count)
    for number, group in enumerate(groups):
        for tag in group["tags"]:
            position = view.index[normalise(tag["tag"])]
            group_of[position], weight_of[position] = number, tag["weight"]
    rows, tags = index.tags_of_many(documents)
    listed = group_of[tags] >= 0
    cells = rows[listed] * len(groups) + group_of[tags[listed]]
    flat = np.bincount(cells, weight_of[tags[listed]], minlength=len(documents) * len(groups))
    return flat.reshape(len(documents), len(groups))
