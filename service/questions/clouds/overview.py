"""The cloud of a whole corpus, as the first page shows it: the best tags of each of a few groups."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.answers import CloudAnswer, Other
from service.questions.clouds.cloud import MOST_OF_LITTLE, candidates, cloud_groups, query_answer
from service.questions.clouds.constraints import constraints_on
from service.questions.clouds.grouping import (
    LOOSE_ONE_IN,
    NO_GROUPS,
    SMALLEST,
    Grouping,
    Labels,
    cut,
    mean_cosines,
    settle_tags,
)
from service.questions.clouds.ward import ward
from service.questions.related.joint_counts import NO_COUNTS, JointCounts
from service.questions.related.ranking import Ranking, popular
from service.questions.text.query import NOTHING, ParsedQuery
from service.view.rare_company import company_of_rare
from service.view.view import View
from snapshot.version.gain import warning
from tagmodel.company import Cosines
from tagmodel.language.group_names import name, ranked

POOL: Final = 3
"""So many times the tags that are shown are grouped: the commonest few, cut up, are a poorer start."""

FINER: Final = 2
"""So many times the groups that are shown are made, and the best are shown."""


def overview(
    view: View, limit: int, groups: int, query: ParsedQuery = NOTHING, joint: JointCounts = NO_COUNTS
) -> CloudAnswer:
    """About `limit` tags in at most `groups` groups, those of each group that represent it best.

    The query has no tags; it may exclude some.
    """
    ranking = popular(view, POOL * limit, joint.among)
    said = warning(view.snapshot.quality)
    groups = min(groups, MOST_OF_LITTLE) if said else groups
    grouping = _grouping(view, ranking, limit, groups)
    shown = {place for places in grouping.groups for place in places}
    rest = sum(score for place, score in enumerate(ranking.scores.tolist()) if place not in shown) + ranking.rest
    total = sum(ranking.scores.tolist()) + ranking.rest
    return CloudAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        query=query_answer(view, query),
        groups=cloud_groups(view, ranking, grouping),
        other=Other(
            len(ranking.tags) + ranking.others - len(shown), round(rest, 6), round(rest / total, 4) if total else 0.0
        ),
        warning=said,
    )


def _grouping(view: View, ranking: Ranking, limit: int, most: int) -> Grouping:
    """The best groups, each from one branch, and what of the commonest tags none of them shows.

    Best by coherence × share of the documents. A branch is one of as many as there may be groups.
    """
    found = candidates(view, ranking)
    n = len(found.tags)
    if not n:
        return NO_GROUPS
    cosines = company_of_rare(view, found.tags).cosines(found.tags)
    branch = view.tree.cut(min(most, view.tree.leaves))[found.tags].astype(np.int64)
    labels = groups_of_branches(cosines, branch, most if n <= limit else FINER * most)
    constraints = constraints_on(view.edited, ranking.tags, FINER * most)
    if constraints is not None:
        labels = np.asarray(np.unique(constraints.apply(cosines, labels), return_inverse=True)[1], dtype=np.intp)
    fit = mean_cosines(cosines, labels)
    size = max(limit // most, 1)
    best: list[list[int]] = [[] for _ in range(int(labels.max()) + 1)]
    label_of = labels.tolist()
    for place in ranked(found.scores, fit):
        if len(best[label_of[place]]) < size:
            best[label_of[place]].append(place)
    worth = [_worth(view, cosines, found.tags, places) for places in best]
    order = sorted(range(len(best)), key=lambda each: -worth[each])
    sure = _best_of_branches(order, [int(branch[places[0]]) for places in best], branch, most)
    chosen = [*sure, *(each for each in order if each not in sure)][:most]
    left = _left_out(best, chosen, limit)
    if len(left) >= SMALLEST and len(chosen) == most:
        left = _left_out(best, chosen[:-1], limit) if len(sure) < most else []
        chosen = chosen[:-1] if left else chosen
    chosen.sort(key=lambda each: -worth[each])
    groups = [best[each] for each in chosen] + ([left] if len(left) >= SMALLEST else [])
    relevance = [worth[each] / (worth[chosen[0]] or 1.0) for each in chosen] + [0.0] * (len(groups) - len(chosen))
    return Grouping(
        [sorted(each) for each in groups],
        groups,
        [name(each, found.keys) for each in groups],
        [number >= len(chosen) for number in range(len(groups))],
        [False] * len(groups),
        relevance,
    )


def _best_of_branches(order: list[int], branch_of: list[int], branch: NDArray[np.int64], most: int) -> list[int]:
    """The best group of each branch that has its share of the tags, half of it at least."""
    sizes = np.bincount(branch)
    first: dict[int, int] = {}
    for group in order:
        first.setdefault(branch_of[group], group)
    return [group for each, group in first.items() if 2 * most * sizes[each] >= len(branch)][:most]


def groups_of_branches(cosines: Cosines, branch: NDArray[np.int64], parts: int) -> Labels:
    """About so many groups of tags, each within one branch, in proportion to the tags of the branches."""
    labels = np.full(len(branch), -1, dtype=np.intp)
    groups = 0
    for each in np.unique(branch).tolist():
        places = np.flatnonzero(branch == each)
        share = max(round(parts * len(places) / len(branch)), 1)
        inner = cosines[np.ix_(places, places)]
        found = cut(ward(inner), min(share, max(len(places) // SMALLEST, 1)))
        found = settle_tags(inner, found) if found.max() > 0 else np.zeros_like(found)
        labels[places] = groups + found
        groups += int(found.max()) + 1
    return labels


def _worth(view: View, cosines: Cosines, tags: NDArray[np.intp], places: list[int]) -> float:
    """Coherence × the share of documents that have one of the tags; without documents, of its commonest tag."""
    if len(places) < SMALLEST:
        return 0.0
    pairs = cosines[np.ix_(places, places)]
    coherence = (float(pairs.sum()) - len(places)) / (len(places) * (len(places) - 1))
    if view.has_documents:
        having = np.zeros(view.documents.index.position_count, dtype=np.bool_)
        for place in places:
            having[view.documents.index.documents_of(int(tags[place]))] = True
        covered = float(np.count_nonzero(having)) / max(len(view.documents), 1)
    else:
        covered = max(view.counts[int(tags[place])] for place in places) / max(view.document_count, 1)
    return max(coherence, 0.0) * covered


def _left_out(best: list[list[int]], chosen: list[int], limit: int) -> list[int]:
    """Of the commonest tags, those that lead a group that is not chosen: at most one in seven of those shown."""
    leading = sorted(best[each][0] for each in range(len(best)) if each not in chosen and best[each])
    return [place for place in leading if place < limit // 2][: limit // LOOSE_ONE_IN]
