from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from service.answers import CloudAnswer, CloudGroup, CloudTag, QueryAnswer, UnderstoodPart
from service.suggesting import Ranking, popular, rank
from service.understanding import Understood
from service.view import View


def cloud(view: View, query: Understood, *, limit: int, groups: int, specificity: float) -> CloudAnswer:
    """The tags around a query, or the commonest ones without a query, in at most `groups` groups."""
    ranking = rank(view, query.tags, specificity) if query.tags else popular(view, limit)
    tags, scores = ranking.tags[:limit], ranking.scores[:limit]
    broad = view.snapshot.broad[tags]
    entries = _entries(view, Ranking(tags, scores, ranking.shares[:limit]))
    members = np.flatnonzero(~broad)
    return CloudAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        query=query_answer(view, query),
        groups=_groups(view, tags, entries, members, groups),
        broad=[entries[place] for place in np.flatnonzero(broad).tolist()],
    )


def query_answer(view: View, query: Understood) -> QueryAnswer:
    """The query as the answer repeats it."""
    return QueryAnswer(
        text=query.text,
        tags=[view.snapshot.names[tag] for tag in query.tags],
        understood=[UnderstoodPart(part.text, part.tag, part.how) for part in query.parts],
        ignored=list(query.ignored),
    )


def _entries(view: View, ranking: Ranking) -> list[CloudTag]:
    top = float(ranking.scores.max(initial=0.0)) or 1.0
    return [
        CloudTag(
            tag=view.snapshot.names[tag],
            weight=round(score / top, 4),
            count=int(view.snapshot.counts[tag]),
            score=round(score, 6),
        )
        for tag, score in zip(ranking.tags.tolist(), ranking.scores.tolist(), strict=True)
    ]


def _groups(
    view: View, tags: NDArray[np.int64], entries: list[CloudTag], members: NDArray[np.intp], at_most: int
) -> list[CloudGroup]:
    labels = joined(view, tags[members], at_most)
    total = sum(entries[place].weight for place in members.tolist()) or 1.0
    by_label: defaultdict[int, list[int]] = defaultdict(list)
    for place, label in zip(members.tolist(), labels.tolist(), strict=True):
        by_label[label].append(place)
    found = [_group(view, tags, entries, places, total) for places in by_label.values()]
    return sorted(found, key=lambda group: (-group.weight, group.id))


def _group(view: View, tags: NDArray[np.int64], entries: list[CloudTag], places: list[int], total: float) -> CloudGroup:
    """One group, named after the cluster that weighs most in it."""
    weights: defaultdict[int, float] = defaultdict(float)
    for place in places:
        weights[int(view.snapshot.tag_cluster[tags[place]])] += entries[place].weight
    clusters = sorted(weights, key=lambda cluster: (-weights[cluster], cluster))
    return CloudGroup(
        id=clusters[0],
        label=", ".join(view.clusters[clusters[0]].label),
        weight=round(sum(weights.values()) / total, 4),
        size=sum(view.clusters[cluster].size for cluster in clusters),
        clusters=clusters,
        tags=[entries[place] for place in places],
    )


def joined(view: View, tags: NDArray[np.int64], at_most: int) -> NDArray[np.int64]:
    """The group of each tag: its cluster, or, where those are too many, the branch of the tree above it.

    Going up the tree only joins groups, so the highest k with few enough of them is found by bisection.
    """
    chosen = view.snapshot.tag_cluster[tags].astype(np.int64)
    if len(np.unique(chosen)) <= at_most:
        return chosen
    low, high = 1, len(view.snapshot.clusters)
    while high - low > 1:
        middle = (low + high) // 2
        if len(np.unique(view.tree_labels(middle)[tags])) <= at_most:
            low = middle
        else:
            high = middle
    return view.tree_labels(low)[tags]
