"""Suggestions beside a query: related tags with their reasons."""

from typing import Final

import numpy as np

from service.answers import Because, RelatedAnswer, RelatedTag
from service.questions.clouds.cloud import query_answer
from service.questions.related.joint_counts import NO_COUNTS, JointCounts
from service.questions.related.ranking import Ranking, rank, shares
from service.questions.text.query import ParsedQuery
from service.view.view import View

NO_REASON: Final = -1.0
"""Stands for the share of a query tag that did not bring a suggestion; a very small share is rounded to 0."""


def related(
    view: View, query: ParsedQuery, *, limit: int, specificity: float, joint: JointCounts = NO_COUNTS
) -> RelatedAnswer:
    """The best suggestions beside a query, each with the query tags that brought it; none without a query."""
    return RelatedAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        query=query_answer(view, query),
        related=_suggestions(view, query.asked, limit, specificity, joint) if query.asked else [],
    )


def _suggestions(
    view: View, query: tuple[int, ...], limit: int, specificity: float, joint: JointCounts
) -> list[RelatedTag]:
    ranking = rank(view, query, specificity, limit, among=joint.among)
    reasons = _reasons([view.name_of(tag) for tag in query], ranking)
    names, counts, concept = view.tag_names, view.counts, view.concept_of
    suggestions: list[RelatedTag] = [
        {"tag": names[tag], "score": score, "count": counts[tag], "cluster": concept(tag), "because": because}
        for tag, score, because in zip(ranking.tags, ranking.scores.round(6).tolist(), reasons, strict=True)
    ]
    joint.add_to(suggestions, ranking.tags)
    return suggestions


def _reasons(names: list[str], ranking: Ranking) -> list[list[Because]]:
    """Of each tag, the query tags that brought it, those with the largest shares first; `names` are the query's."""
    if len(names) == 1:
        alone: list[Because] = [{"tag": names[0], "share": 1.0}]
        return [alone] * len(ranking.tags)
    by_query_tag = shares(ranking)
    order = (-by_query_tag).argsort(axis=0, kind="stable")
    rounded = np.where(by_query_tag > 0, by_query_tag.round(4), NO_REASON)
    return [
        [{"tag": names[place], "share": row[place]} for place in places if row[place] >= 0]
        for places, row in zip(order.T.tolist(), rounded.T.tolist(), strict=True)
    ]
