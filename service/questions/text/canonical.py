"""Checks tags before they are stored elsewhere: the tag of the vocabulary that each stands for, or close ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from service.answers import CanonicalAnswer, CanonicalTag, MissingTag, UnknownTag
from service.questions.related.ranking import rank
from service.questions.text.close_spelling import reading, suggest
from service.questions.text.inflection import inflected
from service.questions.text.query import find_phrase
from service.view.names import Found
from service.view.view import View, search_key
from snapshot import normalise

MISSING: Final = 10
MOST_KNOWN: Final = 50
"""So many of the known tags of a document decide which others are worth adding."""


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
    close = dict(zip(unknown, closest_tags(view, unknown), strict=True))
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
    key = search_key(name)
    found = view.names.find(name) or find_phrase(view, key)
    if found is None and key.strip():
        tag = inflected(view, key)
        found = None if tag is None else (tag, "inflection")
    return found


def closest_tags(view: View, names: list[str]) -> Iterable[Close]:
    """For each name, the tags that it may have meant; the first is meant if it is the one reading of the spelling."""
    for name in names:
        key = search_key(name)
        meant = reading(view, key)
        near = [view.index[normalise(tag)] for tag in suggest(view, key)]
        yield Close(near, False) if meant is None else Close(list(dict.fromkeys((meant, *near))), True)


def _answer(view: View, name: str, found: Found | None, close: Close | None) -> CanonicalTag | UnknownTag:
    names = view.tag_names
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
        {"tag": view.tag_names[tag], "score": score, "count": view.counts[tag], "cluster": view.concept_of(tag)}
        for tag, score in zip(ranking.tags, ranking.scores.round(6).tolist(), strict=True)
    ]
