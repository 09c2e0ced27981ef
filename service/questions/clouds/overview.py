"""The cloud of a whole corpus, as the first page shows it: the best tags of each of a few groups."""

from dataclasses import replace
from typing import Final

from service.answers import CloudAnswer, Other
from service.questions.clouds.cloud import cloud_groups, group_tags, query_answer
from service.questions.related.joint_counts import NO_COUNTS, JointCounts
from service.questions.related.ranking import popular
from service.questions.text.query import NOTHING, ParsedQuery
from service.view.view import View
from tagmodel.group_names import name

POOL: Final = 3
"""So many times the tags that are shown are grouped: the commonest few, cut up, are a poorer start."""


def overview(
    view: View, limit: int, groups: int, query: ParsedQuery = NOTHING, joint: JointCounts = NO_COUNTS
) -> CloudAnswer:
    """About `limit` tags in at most `groups` groups, those of each group that represent it best.

    The query has no tags; it may exclude some.
    """
    ranking = popular(view, POOL * limit, joint.among)
    grouping = group_tags(view, ranking, groups, shrinks=False)  # every group shows as many tags as the others
    best = [ranked[: max(limit // groups, 1)] for ranked in grouping.ranked]
    keys = [view.tag_keys[tag] for tag in ranking.tags]
    grouping = replace(grouping, groups=[sorted(each) for each in best], names=[name(each, keys) for each in best])
    shown = {place for places in best for place in places}
    rest = sum(score for place, score in enumerate(ranking.scores.tolist()) if place not in shown) + ranking.rest
    total = sum(ranking.scores.tolist()) + ranking.rest
    return CloudAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        query=query_answer(view, query),
        groups=cloud_groups(view, ranking, grouping),
        other=Other(len(ranking.tags) + ranking.others - len(shown), round(rest, 6), round(rest / total, 4)),
    )
