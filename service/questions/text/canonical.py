"""Checks tags before they are stored elsewhere: the tag of the vocabulary that each stands for, or close ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from rapidfuzz import fuzz, process

from service.answers import CanonicalAnswer, CanonicalTag, MissingTag, UnknownTag
from service.close_spelling import CLOSE, SHORTEST_SPELLING, SIMILAR, SUGGESTIONS
from service.names import Found
from service.query import find_phrase
from service.ranking import rank
from service.view import View, search_key

MISSING: Final = 10
MOST_KNOWN: Final = 50
"""So many of the known tags of a document decide which others are worth adding."""

AT_ONCE: Final = 50
"""So many unknown names are compared with all tags at once: it takes a few milliseconds, then others may run."""


@dataclass(frozen=True)
class Close:
    """The tags whose spelling is most like a name, best first, and whether the first is close enough to be meant."""

    tags: list[int]
    meant: bool


def canonical(view: View, names: list[str]) -> CanonicalAnswer:
    """What each name stands for, then the tags worth adding to those, and the names that are banned."""
    found = {name: find_name(view, name) for name in dict.fromkeys(names)}
    banned = [name for name in found if view.names.is_banned(name)]
    unknown = [name for name, tag in found.items() if tag is None and name not in banned]
    close = dict(zip(unknown, closest(view, unknown), strict=True))
    found |= {name: (near.tags[0], "spelling") for name, near in close.items() if near.meant}
    tags = dict.fromkeys(tag[0] for tag in found.values() if tag is not None)
    return CanonicalAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        tags=[_answer(view, name, found[name], close.get(name)) for name in names],
        missing=_missing(view, tuple(tags)[:MOST_KNOWN]),
        banned=banned,
    )


def find_name(view: View, name: str) -> Found | None:
    """The tag that a whole name stands for, without a search for close spellings."""
    if view.names.is_banned(name):
        return None
    return view.names.find(name) or find_phrase(view, search_key(name))


def closest(view: View, names: list[str]) -> Iterable[Close]:
    """For each name, the tags that are spelled most like it."""
    spellings = list(view.spellings)
    for start in range(0, len(names), AT_ONCE):
        keys = [search_key(name) for name in names[start : start + AT_ONCE]]
        scores = process.cdist(keys, spellings, scorer=fuzz.ratio, score_cutoff=SIMILAR, dtype=np.float32)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :SUGGESTIONS]
        for key, row, places in zip(keys, scores, best, strict=True):
            near = [int(place) for place in places if row[place] > 0] if len(key) >= SHORTEST_SPELLING else []
            tags = dict.fromkeys(view.spellings[spellings[place]] for place in near)
            yield Close(list(tags), bool(near) and float(row[near[0]]) >= CLOSE)


def _answer(view: View, name: str, found: Found | None, close: Close | None) -> CanonicalTag | UnknownTag:
    names = view.snapshot.names
    if found is None:
        return {"input": name, "unknown": True, "suggestions": [names[tag] for tag in close.tags] if close else []}
    tag, how = found
    return {"input": name, "tag": names[tag], "how": how, "count": view.counts[tag]}


def _missing(view: View, tags: tuple[int, ...]) -> list[MissingTag]:
    """The best related tags."""
    if not tags:
        return []
    ranking = rank(view, tags, 0.5, MISSING)
    return [
        {"tag": view.snapshot.names[tag], "score": score, "count": view.counts[tag], "cluster": view.cluster_of[tag]}
        for tag, score in zip(ranking.tags, ranking.scores.round(6).tolist(), strict=True)
    ]
