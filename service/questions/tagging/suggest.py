"""Suggests tags for a document from its title, its text and the tags that it has."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.answers import SuggestAnswer, SuggestedConcept, SuggestedDocument, SuggestedTag
from service.questions.tagging.given import given_tags
from service.questions.tagging.reasons import Said, reasons
from service.view.view import View
from tagmodel.language.text import TextModel
from tagmodel.rare import chances_by_query_tag, odds_beside_rare
from tagmodel.related import probability

MOST_KNOWN: Final = 50
"""So many of the tags of a document decide which others are worth adding."""

CONCEPT_TAGS: Final = 20
"""Suggested tags that decide the concept of a document, beside those given."""

LEAST_SCORE: Final = 0.005
"""Less likely tags are not suggested."""

POPULAR: Final = 0.0
"""The specificity of the odds beside given tags, as runs learn the mix with them."""

NO_TEXT: Final = TextModel()


@dataclass(frozen=True)
class UntaggedDocument:
    """A document as the request describes it."""

    title: str = ""
    text: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Ranked:
    """Tags by falling probability."""

    tags: NDArray[np.intp]
    scores: NDArray[np.float64]


def suggest_tags(view: View, documents: Sequence[UntaggedDocument], limit: int) -> SuggestAnswer:
    """Tags to add to each document, what becomes of those it has, and its concept."""
    return SuggestAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        text_known=text_model(view).knows_words,
        documents=[_suggested(view, document, limit) for document in documents],
    )


def text_model(view: View) -> TextModel:
    """What the version learnt from texts; nothing if this process does not have its documents."""
    return view.documents.text if view.has_documents else NO_TEXT


def _suggested(view: View, document: UntaggedDocument, limit: int) -> SuggestedDocument:
    given = given_tags(view, document.tags)
    known = tuple(dict.fromkeys(tag for _, tag in given if tag is not None))[:MOST_KNOWN]
    said = _evidence(view, document, known)
    ranked = _rank(view, said, max(limit, CONCEPT_TAGS))
    why = reasons(view, said, ranked.tags[:limit])
    tags: list[SuggestedTag] = [
        {
            "tag": view.tag_names[tag],
            "score": score,
            "count": view.counts[tag],
            "cluster": view.concept_of(tag),
            "reasons": because,
        }
        for tag, score, because in zip(
            ranked.tags[:limit].tolist(), ranked.scores[:limit].round(6).tolist(), why, strict=True
        )
    ]
    return {"tags": tags, "given": [answer for answer, _ in given], "concept": _concept(view, known, ranked)}


def _evidence(view: View, document: UntaggedDocument, known: tuple[int, ...]) -> Said:
    model = text_model(view)
    written = bool(document.title.strip() or document.text.strip())
    found = None
    if written and model.knows_words:
        found = model.evidence(view.documents.index, document.title, document.text)
    return Said(document.title, document.text, known, found, beside_tags(view, known) if known else None)


def beside_tags(view: View, query: tuple[int, ...]) -> NDArray[np.float64]:
    """What tags say of every tag: their odds at specificity 0, and the mean weight of the tags for their company."""
    beside = np.zeros((2, len(view.counts)))
    known = tuple(tag for tag in query if not view.is_tail(tag))
    beside[0] = _odds(view, query, known)
    if known:
        beside[1, : view.head_count] = view.snapshot.related.company(known)
        beside[1, list(known)] = 0.0
    return beside


def _odds(view: View, query: tuple[int, ...], known: tuple[int, ...]) -> NDArray[np.float64]:
    if any(map(view.is_tail, query)) and view.has_documents:
        parts = chances_by_query_tag(view.snapshot.related, view.documents.index, query)
        factors = partial(view.popularity, POPULAR)
        return odds_beside_rare(parts.sum(axis=0), query, view.head_count, factors)
    odds = np.zeros(len(view.counts))
    if known:
        found = view.snapshot.related.candidates(known)
        odds[found.tags] = found.odds * view.popularity(POPULAR, len(known))[found.tags]
    return odds


def _rank(view: View, said: Said, most: int) -> Ranked:
    """All tags that anything speaks for, by the learnt mix; by their odds alone if the text says nothing."""
    model = text_model(view)
    if said.found is None:
        beside = np.zeros((2, len(view.counts))) if said.beside is None else said.beside
        tags = np.flatnonzero(beside.any(axis=0))
        scores = model.tag_scores(tags, beside[:, tags]) if model.knows_words else _unmixed(beside[:, tags])
        return _best(view, said, tags, scores, most)
    tags = said.found.tags
    if said.beside is None:
        return _best(view, said, tags, model.scores(said.found, tags), most)
    tags = np.union1d(tags, np.flatnonzero(said.beside.any(axis=0)))
    return _best(view, said, tags, model.scores(said.found, tags, said.beside[:, tags]), most)


def _unmixed(beside: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of both probabilities, in a version that learnt no mix because it has no texts."""
    scores: NDArray[np.float64] = probability(beside).mean(axis=0)
    return scores


def _best(view: View, said: Said, tags: NDArray[np.intp], scores: NDArray[np.float64], most: int) -> Ranked:
    """The first of them, without those the document has and those that editors ban from the next run on."""
    banned = [tag for edit in view.edits.holding if edit.kind == "ban" for tag in map(view.names.tag, edit.forms)]
    kept = (scores >= LEAST_SCORE) & ~np.isin(tags, [*said.known, *(tag for tag in banned if tag is not None)])
    tags, scores = tags[kept], scores[kept]
    order = np.lexsort((tags, -scores))[:most]
    return Ranked(tags[order], scores[order])


def _concept(view: View, known: tuple[int, ...], ranked: Ranked) -> SuggestedConcept | None:
    """The concept with the largest share of the tags: given ones count 1, suggested ones their probability."""
    shares: dict[int, float] = {}
    weighted = [*((tag, 1.0) for tag in known), *zip(ranked.tags.tolist(), ranked.scores.tolist(), strict=True)]
    for tag, weight in weighted[: len(known) + CONCEPT_TAGS]:
        concept = view.concept_of(tag)
        if concept is not None:
            shares[concept] = shares.get(concept, 0.0) + weight
    if not shares:
        return None
    best = max(shares, key=lambda concept: shares[concept])
    return {"id": best, "label": view.labels[best], "share": round(shares[best] / sum(shares.values()), 4)}
