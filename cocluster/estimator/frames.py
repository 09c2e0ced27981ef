"""Results as tables of pandas, for those who have it."""

from typing import Any

import numpy as np

from cocluster.equations.arrays import Ints
from cocluster.tags.relations import TagRelation
from tagmodel import Cluster


def _pandas() -> Any:
    try:
        import pandas as pd  # noqa: PLC0415 - optional
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("to_frame needs pandas: pip install pandas") from error
    return pd


def tag_frame(names: list[str], counts: Ints, clusters: tuple[Cluster, ...], leading: list[Ints]) -> Any:
    """A row for each tag: its documents, its cluster and the label of that; leading tags of a cluster first."""
    rows = [
        (names[tag], int(counts[tag]), cluster.id, cluster.name)
        for cluster, tags in zip(clusters, leading, strict=True)
        for tag in tags
    ]
    return _pandas().DataFrame(rows, columns=["tag", "documents", "cluster", "label"])


def relation_frame(relations: list[TagRelation]) -> Any:
    """A row for each proposed relation."""
    return _pandas().DataFrame(relations, columns=list(TagRelation._fields))


def document_frame(labels: Ints, concepts: Ints, positions: Ints, clusters: tuple[Cluster, ...]) -> Any:
    """A row for each document of the input: its cluster, and the cluster of tags that has most of it."""
    pd = _pandas()
    tag_clusters = np.full(len(labels), -1)
    tag_clusters[positions] = concepts
    names = {cluster.id: cluster.name for cluster in clusters}
    table = pd.DataFrame({"cluster": labels, "tag_cluster": tag_clusters})
    table["label"] = [names.get(cluster) for cluster in tag_clusters.tolist()]
    table.index.name = "document"
    return table
