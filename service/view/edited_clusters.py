"""The clusters of a view after edits: labels, names, and their order in the tree."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from snapshot import Snapshot
from snapshot.edits import EditedPartition
from tagmodel import Cluster, Company
from tagmodel.language.group_names import label


def edited_clusters(
    snapshot: Snapshot,
    company: Company,
    edited: EditedPartition,
    members: dict[int, list[int]],
    *,
    file_known: bool,
) -> dict[int, Cluster]:
    """The clusters that have tags, by id: with the labels of editors, and new names for those with other tags.

    `file_known`: the edits include those of the corpora file, so a label of the file that the run stored is old if it
    is not among them.
    """
    clusters: dict[int, Cluster] = {}
    for cluster in snapshot.clusters:
        tags = members.get(cluster.id)
        if tags is None:
            continue
        if cluster.id in edited.labels:
            clusters[cluster.id] = Cluster(cluster.id, (edited.labels[cluster.id],), len(tags), edited=True)
        elif cluster.edited and not file_known:
            clusters[cluster.id] = Cluster(cluster.id, cluster.label, len(tags), edited=True)
        elif cluster.edited or cluster.id in edited.changed:
            clusters[cluster.id] = Cluster(cluster.id, _name(snapshot, company, tags), len(tags))
        else:
            clusters[cluster.id] = cluster
    return clusters


def remaining_order(
    places: dict[int, int], gaps: list[int], clusters: Collection[int]
) -> tuple[dict[int, int], list[int]]:
    """The places of the clusters that are left in the leaf order, and the merges between these places."""
    if len(clusters) == len(places):
        return places, gaps
    kept = sorted({places[cluster] for cluster in clusters})
    number = {place: position for position, place in enumerate(kept)}
    return {cluster: number[places[cluster]] for cluster in clusters}, [max(gaps[a:b]) for a, b in pairwise(kept)]


def _name(snapshot: Snapshot, company: Company, tags: Sequence[int]) -> tuple[str, ...]:
    chosen = label(company, list(tags), snapshot.counts, snapshot.keys)
    return tuple(snapshot.names[tag] for tag in chosen)
