"""Ranks documents: those with the tags of a query and those near to it, and those like a document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from service.questions.documents.evidence import DocumentScores, complete_scores, evidence, exact_scores
from service.questions.documents.likeness import likeness
from service.questions.documents.postings import AFFORDABLE, POSTED
from service.questions.documents.reasons import Reason, reasons
from service.questions.documents.sets import Mask, documents_with_all
from tagmodel import DocumentLookup

Match = Literal["all", "any", "near"]
"""Documents with all query tags, with at least one, or any that fit."""

RESCORED: Final = 1000
"""Documents that are scored exactly: the first by their evidence. Those behind them keep its order."""

COMPARED: Final = 30
"""Documents whose likeness is computed: the first by their evidence. Those behind them keep its order."""

Scores = NDArray[np.float32]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RankedDocuments:
    """One page of ranked documents, by their positions in the index.

    Attributes:
        total: how many documents have all tags of the query.
        documents: the documents of the page, best first; at equal scores, the lower id.
        scores: their scores, comparable within one kind of ranking.
        because: for each, the tags that are the reason.
        more: whether other documents follow the page.
    """

    total: int
    documents: Positions
    scores: Scores
    because: tuple[tuple[Reason, ...], ...]
    more: bool


def no_documents() -> RankedDocuments:
    """The answer to a query of which nothing is known."""
    return RankedDocuments(0, np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32), (), more=False)


def ranked_documents(
    index: DocumentLookup,
    tags: Sequence[int],
    *,
    limit: int,
    offset: int = 0,
    match: Match | None = None,
    among: Mask | None = None,
) -> RankedDocuments:
    """The documents for a query, from `offset` on.

    Without `match`, those with all tags come first, then those with some of them, then those that are only near.

    `among` restricts all of it to some documents, for instance those of a concept. Without tags, every document
    matches and none is better than another.
    """
    query, wanted = tuple(dict.fromkeys(tags)), offset + limit
    complete = documents_with_all(index, query, among)
    first, scores = complete[:0], np.zeros(0, dtype=np.float32)
    more = len(complete) > wanted
    if match in (None, "all") or not query:
        first, scores = best(index, complete, complete_scores(index, query, complete), wanted)
    if query and match != "all" and not (match is None and more):
        found = evidence(index, query, _affordable(wanted, among))
        for tier in _tiers(found, match, len(query)):
            counted = tier if among is None else tier & among[found.documents]
            candidates, rough = found.documents[counted], found.scores[counted]
            near, near_scores, more = _near(index, query, candidates, rough, wanted - len(first))
            first, scores = np.concatenate([first, near]), np.concatenate([scores, near_scores])
            if more:
                break
    return _page(index, query, len(complete), (first[offset:], scores[offset:]), more=more)


def similar_documents(
    index: DocumentLookup,
    tags: Sequence[int],
    *,
    limit: int,
    offset: int = 0,
    exclude: int | None = None,
    among: Mask | None = None,
) -> RankedDocuments:
    """Documents like one with these tags, also without a common tag; `exclude` is the document itself.

    The first by evidence are ordered by likeness, which is their score; documents behind them score less.
    """
    query, wanted = tuple(dict.fromkeys(tags)), offset + limit
    found = evidence(index, query, _affordable(wanted, among))
    counted = found.documents != exclude if exclude is not None else np.ones(len(found.documents), dtype=np.bool_)
    if among is not None:
        counted &= among[found.documents]
    candidates, scores = found.documents[counted], found.scores[counted]
    total = int(np.count_nonzero(found.matches[counted] == len(query)))
    more = len(candidates) > wanted
    if not found.whole:  # the first of them, with all that speaks for them
        candidates = best(index, candidates, scores, RESCORED)[0]
        scores = exact_scores(index, query, candidates, POSTED)
    documents, rough = best(index, candidates, scores, max(wanted, COMPARED))
    compared = best(index, documents[:COMPARED], likeness(index, query, documents[:COMPARED]), COMPARED)
    behind = compared[1].min(initial=0.0) - 1.0 + rough[COMPARED:] / rough.max(initial=1.0)
    ranked = _joined(compared, (documents[COMPARED:], behind), offset, wanted)
    return _page(index, query, total, ranked, more=more)


def best(index: DocumentLookup, documents: Positions, scores: Scores, wanted: int) -> tuple[Positions, Scores]:
    """The first of these documents and their scores, by falling score; at equal scores, by id."""
    surplus = len(documents) - wanted
    if surplus > 0:
        near = np.flatnonzero(scores >= np.partition(scores, surplus)[surplus]) if wanted else np.arange(0)
        documents, scores = documents[near], scores[near]
    order = np.lexsort((index.order_of(documents), -scores))[:wanted]
    return documents[order], scores[order]


def _affordable(wanted: int, among: Mask | None) -> int | None:
    """How much is read to find the first documents; None, all of it, far down a list or among some documents only."""
    return AFFORDABLE if among is None and wanted <= RESCORED else None


def _tiers(found: DocumentScores, match: Match | None, tags: int) -> list[Mask]:
    """Which documents are ranked together, tier by tier; those with all tags come before, unless all are near."""
    some = found.matches > 0
    if match is None:
        return [some & (found.matches < tags), ~some]
    return [some if match == "any" else np.ones(len(some), dtype=np.bool_)]


def _near(
    index: DocumentLookup, query: Sequence[int], candidates: Positions, scores: Scores, wanted: int
) -> tuple[Positions, Scores, bool]:
    """The first of these documents, their scores, and whether there are more."""
    documents, rough = best(index, candidates, scores, max(wanted, RESCORED))
    exact = best(index, documents[:RESCORED], exact_scores(index, query, documents[:RESCORED]), RESCORED)
    found, found_scores = _joined(exact, (documents[RESCORED:], rough[RESCORED:]), 0, wanted)
    return found, found_scores, len(candidates) > wanted


def _joined(
    head: tuple[Positions, Scores], tail: tuple[Positions, Scores], start: int, end: int
) -> tuple[Positions, Scores]:
    """A part of two lists of documents and scores, one behind the other."""
    return np.concatenate([head[0], tail[0]])[start:end], np.concatenate([head[1], tail[1]])[start:end]


def _page(
    index: DocumentLookup, query: Sequence[int], total: int, ranked: tuple[Positions, Scores], *, more: bool
) -> RankedDocuments:
    documents, scores = ranked
    return RankedDocuments(total, documents, scores, reasons(index, query, documents), more)
