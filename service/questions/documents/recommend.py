"""Recommends documents to somebody by a history: by the evidence of each thing in it, spread over its concepts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.answers import HistoryConcept, HistoryReason, RecommendAnswer, RecommendedDocument
from service.questions.documents.calibration import calibrated, interest_divergence
from service.questions.documents.documents import entry
from service.questions.documents.evidence import evidence
from service.questions.documents.reasons import reasons
from service.view.view import View

SEEN: Final = 0.5
"""What a document counts that was seen, beside one that was liked."""

MOST_ITEMS: Final = 100
"""So many documents and tags of a history count: the last ones."""

POOL: Final = 600
"""Documents to choose from: the most relevant ones, and the first of every item."""

OF_EACH_ITEM: Final = 20
MOST_REASONS: Final = 2
LEAST_SHARE: Final = 0.1
"""An item of the history with less of the evidence is not named as a reason."""

Scores = NDArray[np.float32]


@dataclass(frozen=True)
class PersonHistory:
    """What somebody liked, saw and disliked: ids of documents, and tags."""

    liked: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    disliked: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    disliked_tags: tuple[str, ...] = ()


class Item(NamedTuple):
    """One thing of a history that the corpus knows; `document` is its position, None for a tag."""

    name: str
    document: int | None
    tags: tuple[int, ...]
    weight: float


def recommend(
    view: View, history: PersonHistory, *, diversity: float, exclude_seen: bool, limit: int
) -> RecommendAnswer:
    """The documents for a history, each with what it is recommended because of."""
    unknown: list[str] = []
    items = _items(view, history, unknown)
    disliked = [*_documents(view, history.disliked, 1.0, unknown)]
    banned = [item.tags[0] for item in _tags(view, history.disliked_tags, unknown)]
    index = view.documents.index
    votes = _votes(view, items)
    relevance = votes.sum(axis=0)
    relevance -= _votes(view, disliked).sum(axis=0)
    gone = [item.document for item in (*disliked, *(items if exclude_seen else ())) if item.document is not None]
    relevance[gone] = 0.0
    for tag in banned:
        relevance[index.documents_of(tag)] = 0.0
    pool = _pool(votes, relevance)
    wanted = _mean_shares(view, items)
    shares = _shares(view, pool)
    best = float(relevance[pool].max()) if len(pool) else 1.0
    rows = calibrated(relevance[pool] / best, shares, wanted, diversity=diversity, limit=limit)
    found = [_recommended(view, int(pool[row]), float(relevance[pool[row]] / best), items, votes) for row in rows]
    reached = shares[rows].mean(axis=0) if rows else np.zeros_like(wanted)
    return RecommendAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        fresh=view.fresh,
        unknown=unknown,
        divergence=round(float(interest_divergence(wanted, reached)), 4) if rows else None,
        concepts=_concepts(view, wanted, reached),
        documents=found,
    )


def _items(view: View, history: PersonHistory, unknown: list[str]) -> list[Item]:
    """What counts of a history. A document that was liked too is not counted as seen."""
    seen = tuple(name for name in history.seen if name not in set(history.liked))
    found = [
        *_documents(view, seen, SEEN, unknown),
        *_documents(view, history.liked, 1.0, unknown),
        *_tags(view, history.tags, unknown),
    ]
    return found[-MOST_ITEMS:]


def _documents(view: View, names: Sequence[str], weight: float, unknown: list[str]) -> list[Item]:
    found = []
    for name in dict.fromkeys(names):
        position = view.documents.position(name)
        if position is None:
            unknown.append(name)
        else:
            found.append(Item(name, position, tuple(view.documents.tags(position)), weight))
    return found


def _tags(view: View, names: Sequence[str], unknown: list[str]) -> list[Item]:
    found = []
    for name in dict.fromkeys(names):
        tag = view.names.tag(name)
        if tag is None:
            unknown.append(name)
        else:
            found.append(Item(view.tag_names[tag], None, (tag,), 1.0))
    return found


def _votes(view: View, items: Sequence[Item]) -> Scores:
    """What each item says for each document, between 0 and its weight: its evidence, that of the nearest being 1."""
    votes = np.zeros((len(items), view.documents.index.position_count), dtype=np.float32)
    for number, item in enumerate(items):
        found = evidence(view.documents.index, item.tags)
        others = found.scores[found.documents != item.document]  # it is like itself most of all
        best = max(float(others.max(initial=0.0)), 1e-9)
        votes[number, found.documents] = np.minimum(found.scores / best, 1.0) * item.weight
    return votes


def _pool(votes: Scores, relevance: Scores) -> NDArray[np.intp]:
    """The documents that are worth comparing, rising: without those of each item a small interest has none of them."""
    allowed = relevance > 0
    best = _largest(relevance, POOL)
    each = [_largest(row * allowed, OF_EACH_ITEM) for row in votes]
    return np.unique(np.concatenate([best, *each]))


def _largest(scores: Scores, most: int) -> NDArray[np.intp]:
    (found,) = (scores > 0).nonzero()
    if len(found) > most:
        found = found[np.argpartition(-scores[found], most - 1)[:most]]
    return found


def _shares(view: View, documents: NDArray[np.intp]) -> NDArray[np.float64]:
    """The share of each document's tags in each concept, a row for each."""
    rows = [view.documents.tags(document) for document in documents.tolist()]
    return shares_of_tags(view, rows)


def shares_of_tags(view: View, rows: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The share of each row's tags in each concept."""
    place = {concept: number for number, concept in enumerate(view.clusters)}
    found = np.zeros((len(rows), len(place)))
    for row, tags in zip(found, rows, strict=True):
        for tag in tags:
            concept = view.concept_of(tag)
            if concept is not None:
                row[place[concept]] += 1.0
    sums = found.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(found, sums, out=found, where=sums > 0)
    return shares


def _mean_shares(view: View, items: Sequence[Item]) -> NDArray[np.float64]:
    """The distribution of a history over the concepts."""
    shares = shares_of_tags(view, [item.tags for item in items])
    wanted: NDArray[np.float64] = (shares * np.array([[item.weight] for item in items]).reshape(-1, 1)).sum(axis=0)
    return wanted / wanted.sum() if wanted.any() else wanted


def _concepts(view: View, wanted: NDArray[np.float64], reached: NDArray[np.float64]) -> list[HistoryConcept]:
    names = list(view.clusters)
    order = np.argsort(-wanted, kind="stable")
    return [
        {
            "id": names[place],
            "label": view.labels[names[place]],
            "share": round(float(wanted[place]), 4),
            "recommended": round(float(reached[place]), 4),
        }
        for place in order.tolist()
        if wanted[place] > 0
    ]


def _recommended(view: View, document: int, score: float, items: Sequence[Item], votes: Scores) -> RecommendedDocument:
    """A document with the items of the history that speak most for it."""
    parts = votes[:, document]
    best = [place for place in np.argsort(-parts, kind="stable")[:MOST_REASONS].tolist() if parts[place] > 0]
    whole = float(parts.sum())
    named = [place for place in best if parts[place] / whole >= LEAST_SHARE] or best[:1]
    because: list[HistoryReason] = [_because(view, items[place], float(parts[place]) / whole) for place in named]
    (tags,) = reasons(view.documents.index, items[best[0]].tags, np.array([document]))
    names = " and ".join(each["title"] or each["name"] for each in because)
    return {"document": entry(view, document, score, tags), "because": because, "sentence": f"because of {names}"}


def _because(view: View, item: Item, share: float) -> HistoryReason:
    title = None if item.document is None else view.documents.card(item.document).title
    kind = "tag" if item.document is None else "document"
    return {"kind": kind, "name": item.name, "title": title, "share": round(share, 4)}  # type: ignore[typeddict-item]
