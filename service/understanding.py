"""What the words of a query mean: which tags they are, which nearly are, which are not."""

from dataclasses import dataclass
from typing import Final, Literal

from rapidfuzz import fuzz, process

from service.errors import UnknownTags
from service.view import View, loosened
from snapshot import normalise

CLOSE: Final = 84.0
"""Similarity (0…100) from which a spelling counts as meant; below it, and above SIMILAR, it is only suggested."""

SIMILAR: Final = 60.0
SUGGESTIONS: Final = 5
LONGEST_QUERY: Final = 500

How = Literal["exact", "plural", "spelling"]


@dataclass(frozen=True)
class Part:
    """A piece of the query and the tag it was taken for."""

    text: str
    tag: str
    how: How


@dataclass(frozen=True)
class Understood:
    """The query as it was understood."""

    text: str
    parts: tuple[Part, ...]
    ignored: tuple[str, ...]
    tags: tuple[int, ...]


NOTHING: Final = Understood("", (), (), ())
"""No query at all: the whole corpus is asked about."""


def ask(view: View, tags: list[str], text: str) -> Understood:
    """Tags given one by one and words as typed, together."""
    given = exact(view, tags)
    if not text.strip():
        return given
    typed = understand(view, text)
    parts = dict(zip((*given.tags, *typed.tags), (*given.parts, *typed.parts), strict=True))
    return Understood(typed.text, tuple(parts.values()), typed.ignored, tuple(parts))


def exact(view: View, tags: list[str]) -> Understood:
    """Tags given one by one; each must exist, in any spelling that normalises to it."""
    found: dict[int, Part] = {}
    for tag in tags:
        index = view.index.get(normalise(tag))
        if index is None:
            raise UnknownTags(f"there is no tag {tag!r} in {view.snapshot.corpus}", suggest(view, tag))
        found.setdefault(index, Part(tag, view.snapshot.names[index], "exact"))
    return Understood("", tuple(found.values()), (), tuple(found))


def understand(view: View, text: str) -> Understood:
    """Free text as typed: the longest phrases that are tags first, then plurals, then close spellings."""
    words = loosened(normalise(text[:LONGEST_QUERY])).split()
    found: dict[int, Part] = {}
    ignored: list[str] = []
    start = 0
    while start < len(words):
        length, index, how = _longest(view, words[start:])
        phrase = " ".join(words[start : start + length])
        if index is None:
            ignored.append(phrase)
        else:
            found.setdefault(index, Part(phrase, view.snapshot.names[index], how))
        start += length
    if words and not found:
        raise UnknownTags(f"nothing in {text.strip()!r} is a tag of {view.snapshot.corpus}", suggest(view, text))
    return Understood(text, tuple(found.values()), tuple(ignored), tuple(found))


def suggest(view: View, text: str) -> list[str]:
    """The tags that look most like a text, best first."""
    wanted = loosened(normalise(text[:LONGEST_QUERY]))
    near = process.extract(wanted, view.loose.keys(), scorer=fuzz.WRatio, limit=SUGGESTIONS, score_cutoff=SIMILAR)
    return [view.snapshot.names[view.loose[key]] for key, _, _ in near]


def _longest(view: View, words: list[str]) -> tuple[int, int | None, How]:
    """How many of the first words make a tag, which one, and how it was recognised."""
    for length in range(min(view.longest_phrase, len(words)), 0, -1):
        phrase = " ".join(words[:length])
        index = view.loose.get(phrase)
        if index is not None:
            return length, index, "exact"
        for form in _number_forms(phrase):
            index = view.loose.get(form)
            if index is not None:
                return length, index, "plural"
    return 1, _closest(view, words[0]), "spelling"


def _number_forms(phrase: str) -> list[str]:
    """Singular for plural and the reverse, by the regular English endings."""
    forms = [f"{phrase}s", f"{phrase}es"]
    if phrase.endswith("ies"):
        forms.append(f"{phrase[:-3]}y")
    if phrase.endswith("es"):
        forms.append(phrase[:-2])
    if phrase.endswith("s"):
        forms.append(phrase[:-1])
    if phrase.endswith("y"):
        forms.append(f"{phrase[:-1]}ies")
    return forms


def _closest(view: View, word: str) -> int | None:
    """The tag spelled most like a word, if close enough; very short words have no close spellings."""
    if len(word) < 4:
        return None
    match = process.extractOne(word, view.loose.keys(), scorer=fuzz.ratio, score_cutoff=CLOSE)
    return None if match is None else view.loose[match[0]]
