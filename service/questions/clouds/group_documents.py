"""The documents that show what each group of a cloud means."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.answers import CloudGroup
from service.questions.documents.sets import Mask
from service.view.view import View
from snapshot import normalise
from tagmodel import DocumentLookup

MOST_COMPARED: Final = 4_000
"""At most so many documents are compared; of more, every n-th is."""

LEADING: Final = 3
"""A group that the documents of the query do not show is shown by documents with its first tags."""

Documents = NDArray[np.intp]


def documents_by_group(
    view: View,
    index: DocumentLookup,
    of_query: Documents,
    groups: Sequence[CloudGroup],
    most: int,
    *,
    among: Mask | None = None,
) -> list[list[int]]:
    """For each group, at most so many documents, best first.

    `of_query` are the documents with all tags of the query, none without a query. Each stands for the group whose tags
    it has most of, by their weight in the cloud; within a group those come first that have much of it and little of the
    others. A group with too few of these goes on with documents that stand for another one, then with documents that
    lack the query. Those are `among` the documents that count.
    """
    if not groups:
        return []
    cloud = _CloudTags(view, groups)
    chosen = _chosen(cloud, index, of_query, most)
    lacking = [number for number, documents in enumerate(chosen) if len(documents) < most]
    if lacking:
        others = np.zeros(index.position_count, dtype=np.bool_)
        for number in lacking:
            for tag in cloud.tags[number][:LEADING]:
                others[index.documents_of(tag)] = True
        others[of_query] = False
        if among is not None:
            others &= among
        more = _chosen(cloud, index, np.flatnonzero(others), most)
        for number in lacking:
            chosen[number] = (chosen[number] + more[number])[:most]
    return chosen


class _CloudTags:
    """Which group of a cloud each tag belongs to, and with which weight."""

    def __init__(self, view: View, groups: Sequence[CloudGroup]) -> None:
        self.tags = [[view.index[normalise(tag["tag"])] for tag in group["tags"]] for group in groups]
        self.group_of = np.full(len(view.counts), -1)
        self.weight_of = np.zeros(len(view.counts))
        for number, (tags, group) in enumerate(zip(self.tags, groups, strict=True)):
            self.group_of[tags] = number
            self.weight_of[tags] = [tag["weight"] for tag in group["tags"]]

    def weights(self, index: DocumentLookup, documents: Documents) -> NDArray[np.float64]:
        """Documents × groups: the summed weight of the tags that a document shares with a group."""
        tags = index.tags_of_all(documents)
        rows = np.repeat(np.arange(len(documents)), index.sizes_of(documents))
        listed = self.group_of[tags] >= 0
        rows, tags, k = rows[listed], tags[listed], len(self.tags)
        flat = np.bincount(rows * k + self.group_of[tags], self.weight_of[tags], minlength=len(documents) * k)
        return np.asarray(flat, dtype=np.float64).reshape(len(documents), k)


def _chosen(cloud: _CloudTags, index: DocumentLookup, documents: Documents, most: int) -> list[list[int]]:
    """For each group, the documents that stand for it, then those that stand for another but share its tags."""
    if not len(documents):
        return [[] for _ in cloud.tags]
    compared = documents[:: -(-len(documents) // MOST_COMPARED)]
    weights = cloud.weights(index, compared)
    best = weights.argmax(axis=1)
    quality = weights**2 / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    chosen = []
    for number in range(len(cloud.tags)):
        order = np.lexsort((compared, -quality[:, number], best != number))[:most]
        chosen.append(compared[order[weights[order, number] > 0]].tolist())
    return chosen
