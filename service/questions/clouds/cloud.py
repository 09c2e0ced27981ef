"""The tag cloud around a query, in groups."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

import numpy as np

from service.answers import CloudAnswer, CloudGroup, CloudTag, ClusterShare, Other, QueryAnswer
from service.questions.clouds.constraints import constraints_on
from service.questions.clouds.grouping import Candidates, Grouped, Grouping, arrange, group
from service.questions.documents.sets import Mask
from service.questions.related.joint_counts import NO_COUNTS, JointCounts
from service.questions.related.opened import rank_among
from service.questions.related.ranking import NOTHING_RANKED, Ranking, popular, rank
from service.questions.text.query import ParsedQuery
from service.view.rare_company import company_of_rare
from service.view.view import View
from snapshot import NO_CONCEPT
from snapshot.version.gain import warning

LEAST_COMPANY: Final = 6
"""Groups of fewer tags than this mean little."""

MOST_OF_LITTLE: Final = 3
"""So many groups are enough for what means little."""


def cloud(
    view: View,
    query: ParsedQuery,
    *,
    limit: int,
    groups: int,
    specificity: float,
    by: Grouped = "query",
    joint: JointCounts = NO_COUNTS,
    opened: Mask | None = None,
) -> CloudAnswer:
    """The tags around a query, or the commonest ones without a query, in at most `groups` groups.

    `opened` are the documents of the group that the query opens; the tags are then those of these documents.
    """
    if query.nothing_known:
        ranking = NOTHING_RANKED
    elif opened is not None:
        ranking = rank_among(view, query.asked, opened, specificity=specificity, limit=limit, among=joint.among)
    elif query.asked:
        ranking = rank(view, query.asked, specificity, limit, with_rest=True, among=joint.among)
    else:
        ranking = popular(view, limit, joint.among)
    said = says_little(view, query, ranking)
    most = min(groups, MOST_OF_LITTLE) if said else groups
    return CloudAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        query=query_answer(view, query),
        groups=cloud_groups(view, ranking, group_tags(view, ranking, most, by, query.tags), joint),
        other=_other(ranking),
        warning=said,
    )


def says_little(view: View, query: ParsedQuery, ranking: Ranking) -> str | None:
    """A sentence if the groups of a cloud mean little; otherwise None."""
    found = len(ranking.tags) + ranking.others
    if query.tags and not query.nothing_known and found < LEAST_COMPANY:
        names = " and ".join(view.tag_names[tag] for tag in query.tags)
        return f"Hardly any tags go with {names}: {found} in all."
    return warning(view.snapshot.quality)


def query_answer(view: View, query: ParsedQuery) -> QueryAnswer:
    """The query as the answer repeats it."""
    return QueryAnswer(
        text=query.text,
        tags=[view.tag_names[tag] for tag in query.tags],
        understood=list(query.parts),
        ignored=list(query.ignored),
        suggestions=list(query.suggestions),
        excluded=list(query.excluded_parts),
        group=[view.tag_names[tag] for tag in query.group],
    )


def group_tags(view: View, ranking: Ranking, most: int, by: Grouped = "query", asked: tuple[int, ...] = ()) -> Grouping:
    """At most so many groups of tags ranked for the tags `asked`: by how they relate, or by the snapshot's clusters."""
    found = candidates(view, ranking, asked)
    whole = company_of_rare(view, np.append(found.tags, found.asked))
    if by == "query":
        return group(whole, found, most, constraints=constraints_on(view.edited, ranking.tags, most))
    clusters = [view.cluster_of[tag] for tag in ranking.tags]
    group_of = group_clusters(view, set(clusters) - {NO_CONCEPT}, most)
    group_of[NO_CONCEPT] = next(iter(group_of.values()), 0)
    numbers = {each: number for number, each in enumerate(dict.fromkeys(group_of.values()))}
    labels = np.array([numbers[group_of[cluster]] for cluster in clusters], dtype=np.intp)
    return arrange(whole, found, labels)


def candidates(view: View, ranking: Ranking, asked: tuple[int, ...] = ()) -> Candidates:
    """Ranked tags with what their grouping needs to know of them."""
    tags, keys = np.array(ranking.tags, dtype=np.intp), view.tag_keys
    return Candidates(
        tags,
        ranking.scores,
        [keys[tag] for tag in ranking.tags],
        view.count_array[tags],
        view.breadth[tags],
        view.broad_array[tags],
        np.array(asked, dtype=np.intp),
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
    names, counts, concept, broad = view.tag_names, view.counts, view.concept_of, view.broad
    weights = ranking.scores * (1.0 / (ranking.scores[0] or 1.0))
    return [
        {
            "tag": names[tag],
            "weight": weight,
            "count": counts[tag],
            "score": score,
            "cluster": concept(tag),
            "broad": broad[tag],
        }
        for tag, weight, score in zip(
            ranking.tags, weights.round(4).tolist(), ranking.scores.round(6).tolist(), strict=True
        )
    ]


def cloud_groups(view: View, ranking: Ranking, grouping: Grouping, joint: JointCounts = NO_COUNTS) -> list[CloudGroup]:
    """The groups as the answer lists them. Of several groups of one cluster, the first has its editor's label."""
    entries = _entries(view, ranking)
    joint.add_to(entries, ranking.tags)
    total = sum([entries[place]["weight"] for places in grouping.groups for place in places]) or 1.0
    edited_labels = dict(view.edited_labels)
    groups: list[CloudGroup] = []
    for number, (places, named) in enumerate(zip(grouping.groups, grouping.names, strict=True)):
        tags = [entries[place] for place in places]
        clusters = _shares(tags)
        edited = edited_labels.pop(clusters[0]["id"], None) if len(clusters) == 1 else None
        names = [entries[place]["tag"] for place in named]
        groups.append(
            {
                "key": names[0],
                "label": edited or ", ".join(names),
                "edited": edited is not None,
                "common": grouping.common[number],
                "also": grouping.loose[number],
                "relevance": round(grouping.relevance[number], 4),
                "weight": round(sum([tag["weight"] for tag in tags]) / total, 4),
                "hue": view.hues.get(clusters[0]["id"]) if clusters else None,
                "clusters": clusters,
                "tags": tags,
            }
        )
    return groups


def _shares(tags: Iterable[CloudTag]) -> list[ClusterShare]:
    """The clusters of some tags by falling share of their weight."""
    weights: dict[int, float] = {}
    for tag in tags:
        cluster = tag["cluster"]
        if cluster is None:
            continue
        weights[cluster] = weights.get(cluster, 0.0) + tag["weight"]
    if len(weights) == 1:
        return [{"id": cluster, "share": 1.0 if weights[cluster] else 0.0} for cluster in weights]
    total = sum(weights.values()) or 1.0
    shares = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"id": cluster, "share": round(weight / total, 4)} for cluster, weight in shares]


def _other(ranking: Ranking) -> Other:
    """What the limit left out."""
    shown = sum(ranking.scores.tolist())
    total = shown + ranking.rest
    return Other(ranking.others, round(ranking.rest, 6), round(ranking.rest / total, 4) if total else 0.0)
