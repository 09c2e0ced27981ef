"""Applies the edits of a corpus to a snapshot."""

from collections.abc import Callable, Iterator

import numpy as np

from snapshot.edits.partition import EditedPartition, Tags, edit_partition
from snapshot.edits.state import EditState
from snapshot.version.schema import Snapshot
from tagmodel import Company
from tagmodel.language.spelling import normalise


def edited_partition(
    snapshot: Snapshot, find: Callable[[str], int | None], company: Company, edits: EditState
) -> EditedPartition:
    """The partition of a snapshot with the edits that hold. `find` gives the tag that a name stands for."""
    clusters = computed_clusters(snapshot)
    if not edits.holding:
        return EditedPartition(clusters)

    head = len(snapshot.names)

    def nearest(tag: int) -> Iterator[int]:
        return clusters_by_share(snapshot, company, tag) if tag < head else _by_size(snapshot)

    counts = [*snapshot.counts.tolist(), *snapshot.tail.counts.tolist()]
    tags = Tags(find, clusters, counts, nearest, snapshot.version, head)
    return edit_partition(tags, edits.holding)


def computed_clusters(snapshot: Snapshot) -> list[int]:
    """The cluster of each tag as the run computed it: head tags, then tail tags."""
    return [*snapshot.partition.item_ids.tolist(), *snapshot.tail.concepts.tolist()]


def _by_size(snapshot: Snapshot) -> Iterator[int]:
    partition = snapshot.partition
    for position in np.argsort(-partition.sizes, kind="stable").tolist():
        yield partition.ids[position]


def clusters_by_share(snapshot: Snapshot, company: Company, tag: int) -> Iterator[int]:
    """The clusters by their share in the company of a tag, as the run computed them; those without any by size."""
    partition = snapshot.partition
    neighbours = company.columns[tag]
    shares = np.where(neighbours == tag, 0.0, company.roots[tag].astype(np.float64) ** 2)
    weights = np.bincount(partition.labels[neighbours], shares, minlength=len(partition.ids))
    for position in np.lexsort((-partition.sizes, -weights)).tolist():
        yield partition.ids[position]


def key_finder(snapshot: Snapshot) -> Callable[[str], int | None]:
    """Finds tags by their keys and aliases, for those who have no index of all names."""
    index = {key: tag for tag, key in enumerate(snapshot.keys + snapshot.tail.keys)}
    for alias in snapshot.aliases:
        if alias.tag in index:
            index.setdefault(normalise(alias.name), index[alias.tag])
    return lambda name: index.get(normalise(name))
