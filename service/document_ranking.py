"""Ranks documents: those with the tags of a query and those near to it, and those like a document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from service.document_evidence import evidence
from service.document_likeness import likeness
from service.document_reasons import Reason, reasons
from service.document_sets import Mask, documents_with_all
from tagmodel import DocumentIndex

Match = Literal["all", "any", "near"]
"""Documents with all query tags, with at least one, or any that fit."""

RERANKED: Final = 100
"""Documents that `similar_documents` compares closely, at least; those behind them keep their order."""

Scores = NDArray[np.float32]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RankedDocuments:
    """One page of ranked documents, by their positions in the index.

    Attributes:
        total: how many documents have all tags of the query.
        documents: the documents of the page, best first; at equal scores, the lower position.
        scores: their scores, comparable within one kind of ranking.
        because: for each, the tags that are the reason.
        more: whether other documents follow the page.
    """

    total: int
    documents: Positions
    scores: Scores
    because: tuple[tuple[Reason, ...], ...]
    more: bool


def ranked_documents(
    index: DocumentIndex,
    tags: Sequence[int],
    *,
    limit: int,
    offset: int = 0,
    match: Match | None = None,
    among: Mask | None = None,
) -> RankedDocuments:
    """The documents for a query, from `offset` on; without `match`, those with all tags first, then those near.

    `among` restricts all of it to some documents, for instance those of a concept. Without tags, every document
    matches and none is better than another.
    """
    query = tuple(dict.fromkeys(tags))
    complete = documents_with_all(index, query, among)
    if not query:
        page, scores = complete[offset : offset + limit], np.zeros(len(complete), dtype=np.float32)
        return _page(index, query, len(complete), page, scores[: len(page)], more=len(complete) > offset + limit)
    found = evidence(index, query)
    scores = found.scores
    if match == "all":
        order, more = best(complete, scores, offset + limit)
    else:
        if match == "any":
            scores[found.matches == 0] = 0.0
        if among is not None:
            scores *= among
        if match is None:
            order, more = _complete_first(complete, scores, offset + limit)
        else:
            order, more = best(np.flatnonzero(scores > 0), scores, offset + limit)
    page = order[offset:]
    return _page(index, query, len(complete), page, scores[page], more=more)


def similar_documents(
    index: DocumentIndex,
    tags: Sequence[int],
    *,
    limit: int,
    offset: int = 0,
    exclude: int | None = None,
    among: Mask | None = None,
) -> RankedDocuments:
    """Documents like one with these tags, also without a common tag; `exclude` is the document itself.

    The first by evidence are ordered by likeness. Their score is that likeness; documents behind them score less.
    """
    query = tuple(dict.fromkeys(tags))
    complete = documents_with_all(index, query, among)
    scores = evidence(index, query).scores
    if among is not None:
        scores *= among
    if exclude is not None:
        scores[exclude] = 0.0
        complete = complete[complete != exclude]
    order, more = best(np.flatnonzero(scores > 0), scores, max(offset + limit, RERANKED))
    first = order[:RERANKED]
    near = likeness(index, query, first)
    by_likeness = np.lexsort((first, -near))
    behind = scores[order[RERANKED:]]
    rest = near.min(initial=0.0) - 1.0 + behind / np.float32(scores[order].max(initial=1.0))
    order = np.concatenate([first[by_likeness], order[RERANKED:]])
    ranked = np.concatenate([near[by_likeness], rest])
    span = slice(offset, offset + limit)
    more = more or len(order) > offset + limit
    return _page(index, query, len(complete), order[span], ranked[span], more=more)


def _complete_first(complete: Positions, scores: Scores, wanted: int) -> tuple[Positions, bool]:
    """The first documents, those with all tags before the others; whether there are more."""
    first, more = best(complete, scores, wanted)
    if more:
        return first, True
    others = scores.copy()
    others[complete] = 0.0
    near, more = best(np.flatnonzero(others > 0), others, wanted - len(first))
    return np.concatenate([first, near]), more


def best(documents: Positions, scores: Scores, wanted: int) -> tuple[Positions, bool]:
    """The first of these documents by falling score, at equal scores by position; whether there are more."""
    own, surplus = scores[documents], len(documents) - wanted
    if surplus > 0:
        near = np.flatnonzero(own >= np.partition(own, surplus)[surplus]) if wanted else np.arange(0)
        documents, own = documents[near], own[near]
    return documents[np.lexsort((documents, -own))[:wanted]], surplus > 0


def _page(
    index: DocumentIndex, query: Sequence[int], total: int, documents: Positions, scores: Scores, *, more: bool
) -> RankedDocuments:
    because = tuple(reasons(index, query, document) for document in documents.tolist())
    return RankedDocuments(total, documents, scores, because, more)
