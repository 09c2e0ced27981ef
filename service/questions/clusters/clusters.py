"""The clusters of the chosen cut, the partition at any other k, and single tags."""

import csv
import io
from collections import Counter

from service.answers import (
    AliasesAnswer,
    ClusterAnswer,
    ClusterDetail,
    ClustersAnswer,
    Member,
    NearCluster,
    Neighbour,
    TagAnswer,
)
from service.errors import OutOfRange, UnknownCluster
from service.questions.documents.documents import representatives
from service.questions.related.joint_counts import NO_COUNTS, JointCounts
from service.questions.related.ranking import rank
from service.response_cache import CachedResponse
from service.view.view import View
from snapshot import normalise
from tagmodel import Cluster

NEAR = 5
REPRESENTATIVES = 6
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets run a cell that begins like this as a formula."""


def clusters(view: View, k: int | None, *, limit: int | None, offset: int) -> ClustersAnswer:
    """The chosen partition, or the tree cut into exactly k."""
    groups = _chosen_partition(view) if k is None else _cut_tree(view, check_k(k, view.tree.leaves, "tags"))
    page = groups[offset:] if limit is None else groups[offset : offset + limit]
    names = view.tag_names
    return ClustersAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        k=len(groups),
        chosen=k is None,
        offset=offset,
        clusters=[
            ClusterAnswer(number, label or view.label(tags), len(tags), [names[tag] for tag in tags])
            for number, label, tags in page
        ],
    )


def table(view: View, partition: ClustersAnswer) -> CachedResponse:
    """A partition as CSV, one line a tag."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["tag", "count", "cluster", "label"])
    for cluster in partition.clusters:
        for tag in cluster.tags:
            count = view.counts[view.index[normalise(tag)]]
            lines.writerow([_plain_cell(tag), count, cluster.id, _plain_cell(cluster.label)])
    return CachedResponse(text.getvalue().encode(), "", "text/csv; charset=utf-8")


def _plain_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def check_k(k: int, size: int, of: str) -> int:
    """Return the number of clusters, or raise OutOfRange."""
    if not 1 <= k <= size:
        raise OutOfRange(f"k: {k} is not between 1 and {size}, the number of {of}")
    return k


def about_cluster(view: View, number: int) -> ClusterDetail:
    """All about one cluster of the chosen cut."""
    entry = view.clusters.get(number)
    if entry is None:
        raise UnknownCluster(f"{view.snapshot.corpus} has no cluster {number}")
    snapshot = view.snapshot
    documents = cluster_documents(view).get(number)
    return ClusterDetail(
        corpus=snapshot.corpus,
        version=snapshot.version,
        revision=view.revision,
        id=number,
        label=entry.name,
        size=entry.size,
        documents=documents,
        share=None if documents is None else round(documents / view.document_count, 6),
        tags=[
            Member(
                snapshot.names[tag],
                view.counts[tag],
                round(float(snapshot.breadth[tag]), 4),
                view.broad[tag],
                view.moved_by_refinement(tag),
            )
            for tag in view.members.get(number, [])
        ],
        near=[NearCluster(other.id, other.name, other.size) for other in clusters_near(view, number)],
        lineage=view.lineage,
        representatives=representatives(view, number, REPRESENTATIVES),
    )


def cluster_documents(view: View) -> dict[int, int]:
    """How many documents belong to each cluster, by id; empty if the version did not count them."""
    documents: Counter[int] = Counter()
    if view.snapshot.cluster_documents:
        for cluster, count in zip(view.snapshot.clusters, view.snapshot.cluster_documents, strict=True):
            documents[view.concept_id(cluster.id)] += count
    return documents


def clusters_near(view: View, number: int) -> list[Cluster]:
    """The clusters that the tree joins with this one first."""
    place, gaps = view.cluster_place, view.cluster_gaps

    def joined_at(other: int) -> int:
        low, high = sorted((place[number], place[other]))
        return max(gaps[low:high], default=-1)

    others = sorted((other for other in view.clusters if other != number), key=lambda other: (joined_at(other), other))
    return [view.clusters[other] for other in others[:NEAR]]


def aliases(view: View, *, limit: int, offset: int) -> AliasesAnswer:
    """The synonyms and folded variants of all tags, those of the commonest tags first."""
    listed = [(tag, alias) for tag in view.listed for alias in view.names.of_tag.get(tag, ())]
    return AliasesAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        total=len(listed),
        offset=offset,
        aliases=[
            {"alias": alias.name, "tag": view.tag_names[tag], "how": alias.how, "count": alias.count}
            for tag, alias in listed[offset : offset + limit]
        ],
    )


def tag_answer(view: View, tag: int, limit: int, joint: JointCounts = NO_COUNTS) -> TagAnswer:
    """All about one tag; its neighbours are the related tags at specificity 1."""
    snapshot = view.snapshot
    ranking = rank(view, (tag,), 1.0, limit, among=joint.among)
    number = view.concept_of(tag)
    neighbours: list[Neighbour] = [
        {
            "tag": view.tag_names[other],
            "score": round(score, 6),
            "count": view.counts[other],
            "cluster": view.concept_of(other),
        }
        for other, score in zip(ranking.tags, ranking.scores.tolist(), strict=True)
    ]
    joint.add_to(neighbours, ranking.tags)
    aliases = view.names.of_tag.get(tag, [])
    relations = view.relations
    return TagAnswer(
        corpus=snapshot.corpus,
        version=snapshot.version,
        revision=view.revision,
        tag=view.tag_names[tag],
        count=view.counts[tag],
        share=round(view.counts[tag] / view.document_count, 6),
        cluster=number,
        label=None if number is None else view.clusters[number].name,
        breadth=None if view.is_tail(tag) else round(float(snapshot.breadth[tag]), 4),
        broad=view.broad[tag],
        rare=view.is_tail(tag),
        moved_by_refinement=view.moved_by_refinement(tag),
        synonyms=[alias.name for alias in aliases if alias.how == "synonym"],
        variants=[alias.name for alias in aliases if alias.how != "synonym"],
        description=relations.descriptions.get(tag, ""),
        labels=dict(relations.labels.get(tag, {})),
        broader=[view.tag_names[each] for each in relations.broader.get(tag, ())],
        narrower=[view.tag_names[each] for each in relations.narrower.get(tag, ())],
        implies=[view.tag_names[each] for each in relations.implied.get(tag, ())],
        implied_by=[view.tag_names[each] for each in relations.implied_by.get(tag, ())],
        neighbours=neighbours,
    )


def _chosen_partition(view: View) -> list[tuple[int, str, list[int]]]:
    return [(entry.id, entry.name, view.members.get(entry.id, [])) for entry in view.clusters.values()]


def _cut_tree(view: View, k: int) -> list[tuple[int, str, list[int]]]:
    tree, by_count = view.tree, view.count_rank
    return [
        (number, "", sorted(tree.items_of(tree.span(node)), key=by_count.__getitem__))
        for number, node in enumerate(tree.nodes_at(k))
    ]
