"""Suggestions beside a query: related tags with their reasons."""

from service.answers import Because, RelatedAnswer, RelatedTag
from service.cloud import query_answer
from service.query import ParsedQuery
from service.ranking import rank, round_all, shares
from service.view import View


def related(view: View, query: ParsedQuery, *, limit: int, specificity: float) -> RelatedAnswer:
    """The best suggestions beside a query, each with the query tags that brought it; none without a query."""
    return RelatedAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        query=query_answer(view, query),
        related=_suggestions(view, query.tags, limit, specificity) if query.tags else [],
    )


def _suggestions(view: View, tags: tuple[int, ...], limit: int, specificity: float) -> list[RelatedTag]:
    ranking = rank(view, tags, specificity, limit)
    names, counts, clusters = view.snapshot.names, view.counts, view.cluster_of
    if len(tags) == 1:
        alone = [Because(names[tags[0]], 1.0)]
        reasons = [alone] * len(ranking.tags)
    else:
        reasons = [_because([names[tag] for tag in tags], row) for row in shares(view, tags, ranking.tags)]
    return [
        RelatedTag(names[tag], score, counts[tag], clusters[tag], because)
        for tag, score, because in zip(ranking.tags, round_all(ranking.scores, 6), reasons, strict=True)
    ]


def _because(names: list[str], row: list[float]) -> list[Because]:
    pairs = sorted(zip(names, row, strict=True), key=lambda pair: -pair[1])
    return [Because(name, round(share, 4)) for name, share in pairs if share > 0]
