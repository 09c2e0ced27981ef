"""The tag cloud around a query, in groups."""

from collections import defaultdict
from itertools import compress, pairwise

from service.answers import CloudAnswer, CloudGroup, CloudTag, Other, QueryAnswer, Sense
from service.query import ParsedQuery
from service.ranking import Ranking, popular, rank
from service.senses import senses
from service.view import View


def cloud(
    view: View, query: ParsedQuery, *, limit: int, groups: int, specificity: float, with_senses: bool = False
) -> CloudAnswer:
    """The tags around a query, or the commonest ones without a query, in at most `groups` groups."""
    ranking = rank(view, query.tags, specificity, limit, with_rest=True) if query.tags else popular(view, limit)
    entries = _entries(view, ranking)
    broad = [view.broad[tag] for tag in ranking.tags]
    narrow = [not each for each in broad]
    clusters = [view.cluster_of[tag] for tag in compress(ranking.tags, narrow)]
    return CloudAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        query=query_answer(view, query),
        groups=_groups(view, list(compress(entries, narrow)), clusters, groups),
        broad=list(compress(entries, broad)),
        other=_other(ranking),
        senses=_senses(view, query.tags[0]) if with_senses else None,
    )


def query_answer(view: View, query: ParsedQuery) -> QueryAnswer:
    """The query as the answer repeats it."""
    return QueryAnswer(
        text=query.text,
        tags=[view.snapshot.names[tag] for tag in query.tags],
        understood=list(query.parts),
        ignored=list(query.ignored),
        suggestions=list(query.suggestions),
    )


def group_clusters(view: View, clusters: set[int], at_most: int) -> dict[int, int]:
    """The group of each cluster: the cluster alone, or, if that makes too many groups, a branch of the tree above it.

    The latest merge in the gap between two neighbours in leaf order joins them. Going up the tree applies the earliest
    merges first, so this applies as many of the earliest as needed; the others separate the groups.
    """
    if len(clusters) <= at_most:
        return {cluster: cluster for cluster in clusters}
    place, gaps = view.cluster_place, view.cluster_gaps
    ordered = sorted(clusters, key=lambda cluster: (place[cluster], cluster))
    between = [max(gaps[place[a] : place[b]], default=-1) for a, b in pairwise(ordered)]
    apart = set(sorted(range(len(between)), key=between.__getitem__)[len(ordered) - at_most :])
    group = 0
    group_of = {ordered[0]: 0}
    for number, cluster in enumerate(ordered[1:]):
        group += number in apart
        group_of[cluster] = group
    return group_of


def _entries(view: View, ranking: Ranking) -> list[CloudTag]:
    """The tags of the cloud; weights are scaled so that the heaviest has 1."""
    if not ranking.tags:
        return []
    names, counts = view.snapshot.names, view.counts
    weights = ranking.scores * (1.0 / (ranking.scores[0] or 1.0))
    return [
        {"tag": names[tag], "weight": weight, "count": counts[tag], "score": score}
        for tag, weight, score in zip(
            ranking.tags, weights.round(4).tolist(), ranking.scores.round(6).tolist(), strict=True
        )
    ]


def _groups(view: View, entries: list[CloudTag], cluster_of: list[int], at_most: int) -> list[CloudGroup]:
    """The groups of some tags, whose clusters are given, heaviest first; each has the label of its heaviest cluster."""
    weights: defaultdict[int, float] = defaultdict(float)
    for cluster, entry in zip(cluster_of, entries, strict=True):
        weights[cluster] += entry["weight"]
    group_of = group_clusters(view, set(weights), at_most)
    tags: dict[int, list[CloudTag]] = {group: [] for group in group_of.values()}
    for cluster, entry in zip(cluster_of, entries, strict=True):
        tags[group_of[cluster]].append(entry)
    clusters: dict[int, list[int]] = {group: [] for group in tags}
    for cluster in sorted(weights, key=lambda cluster: (-weights[cluster], cluster)):
        clusters[group_of[cluster]].append(cluster)
    total = sum(weights.values()) or 1.0
    groups: list[CloudGroup] = [
        {
            "id": members[0],
            "label": view.labels[members[0]],
            "weight": round(sum([weights[cluster] for cluster in members]) / total, 4),
            "size": sum([view.clusters[cluster].size for cluster in members]),
            "clusters": members,
            "tags": tags[group],
        }
        for group, members in clusters.items()
    ]
    groups.sort(key=lambda group: (-group["weight"], group["id"]))
    return groups


def _other(ranking: Ranking) -> Other:
    """What the limit left out."""
    shown = sum(ranking.scores.tolist())
    total = shown + ranking.rest
    return Other(ranking.others, round(ranking.rest, 6), round(ranking.rest / total, 4) if total else 0.0)


def _senses(view: View, tag: int) -> list[Sense]:
    tag_senses = senses(view, tag)
    total = sum(sense.score for sense in tag_senses) or 1.0
    return [
        Sense(
            label=", ".join(view.snapshot.names[member] for member in sense.tags[:3]),
            weight=round(sense.score / total, 4),
            tags=[view.snapshot.names[member] for member in sense.tags],
        )
        for sense in tag_senses
    ]
