"""Labels of clusters: an editor's, or else by the one rule that names groups of tags."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from snapshot import normalise
from tagmodel import Cluster, Company, Partition
from tagmodel.language.group_names import label


def label_clusters(
    whole: Company,
    partition: Partition,
    counts: NDArray[np.int32],
    names: Sequence[str],
    keys: Sequence[str],
    *,
    edited: Mapping[str, str],
) -> tuple[Cluster, ...]:
    """The clusters of a partition with their labels. An editor declares a label for the cluster of a tag."""
    by_count = np.argsort(-counts, kind="stable")
    given = editors_labels(partition, keys, edited)
    clusters = []
    for position, cluster in enumerate(partition.ids):
        members = by_count[partition.labels[by_count] == position].tolist()
        if cluster in given:
            clusters.append(Cluster(cluster, (given[cluster],), len(members), edited=True))
        else:
            chosen = label(whole, members, counts, keys)
            clusters.append(Cluster(cluster, tuple(names[tag] for tag in chosen), len(members)))
    return tuple(clusters)


def editors_labels(partition: Partition, keys: Sequence[str], edited: Mapping[str, str]) -> dict[int, str]:
    """Editors' labels by cluster; labels of tags that are not there are passed over."""
    tag_of = {key: tag for tag, key in enumerate(keys)}
    return {
        int(partition.item_ids[tag_of[normalise(tag)]]): text
        for tag, text in edited.items()
        if normalise(tag) in tag_of
    }
