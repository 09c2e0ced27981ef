"""The tag cloud around a query, in groups."""

from itertools import pairwise

from service.answers import CloudAnswer, CloudGroup, CloudTag, Other, QueryAnswer, Sense
from service.query import ParsedQuery
from service.ranking import Ranking, popular, rank, round_all
from service.senses import senses
from service.view import View


def cloud(
    view: View, query: ParsedQuery, *, limit: int, groups: int, specificity: float, with_senses: bool = False
) -> CloudAnswer:
    """The tags around a query, or the commonest ones without a query, in at most `groups` groups."""
    ranking = rank(view, query.tags, specificity, limit) if query.tags else popular(view, limit)
    entries = _entries(view, ranking)
    broad = view.broad
    return CloudAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        query=query_answer(view, query),
        groups=_groups(view, [pair for pair in entries if not broad[pair[0]]], groups),
        broad=[entry for tag, entry in entries if broad[tag]],
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


def _entries(view: View, ranking: Ranking) -> list[tuple[int, CloudTag]]:
    """The tags of the cloud with their numbers; weights are scaled so that the heaviest has 1."""
    if not ranking.tags:
        return []
    names, counts = view.snapshot.names, view.counts
    scale = 1.0 / (ranking.scores[0] or 1.0)
    weights = round_all([score * scale for score in ranking.scores], 4)
    return [
        (tag, CloudTag(names[tag], weight, counts[tag], score))
        for tag, weight, score in zip(ranking.tags, weights, round_all(ranking.scores, 6), strict=True)
    ]


def _groups(view: View, entries: list[tuple[int, CloudTag]], at_most: int) -> list[CloudGroup]:
    """The groups, heaviest first; each has the label of its heaviest cluster."""
    cluster_of = view.cluster_of
    weights: dict[int, float] = {}
    for tag, entry in entries:
        cluster = cluster_of[tag]
        weights[cluster] = weights.get(cluster, 0.0) + entry.weight
    group_of = group_clusters(view, set(weights), at_most)
    tags: dict[int, list[CloudTag]] = {group: [] for group in group_of.values()}
    for tag, entry in entries:
        tags[group_of[cluster_of[tag]]].append(entry)
    clusters: dict[int, list[int]] = {group: [] for group in tags}
    for cluster in sorted(weights, key=lambda cluster: (-weights[cluster], cluster)):
        clusters[group_of[cluster]].append(cluster)
    total = sum(weights.values()) or 1.0
    groups = [
        CloudGroup(
            id=members[0],
            label=view.labels[members[0]],
            weight=round(sum([weights[cluster] for cluster in members]) / total, 4),
            size=sum([view.clusters[cluster].size for cluster in members]),
            clusters=members,
            tags=tags[group],
        )
        for group, members in clusters.items()
    ]
    groups.sort(key=lambda group: (-group.weight, group.id))
    return groups


def _other(ranking: Ranking) -> Other:
    """What the limit left out."""
    shown = sum(ranking.scores)
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
