"""Pairs of tags that are spelled almost alike: what folding leaves."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from snapshot import spelling_key
from tagmodel.language.spelling import NO_PLURALS, SEPARATORS

SHORTEST: Final = 5
"""Shorter words that differ in one letter are different words: rock and rack."""

DIGRAPHS: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"}
"""How letters are written without the accent."""

MARKS: Final = "+#"
"""Punctuation that makes another tag: c, c++ and c#."""


class Alike(NamedTuple):
    """Two tags that are spelled almost alike, by their places.

    `by_letter`: they differ in a letter, and are often two words. The others are the same words: spaced or accented
    otherwise, in another order, or one in the plural.
    """

    known: int
    other: int
    by_letter: bool


def spelled_alike(known: Sequence[str], others: Iterable[str]) -> Iterator[Alike]:
    """The pairs of a known form and another that are spelled almost alike, without a form and itself."""
    same_words = [(_index(known, key_of), key_of) for key_of in (bare_spelling, singular, spelled_out, word_order)]
    spaced = [_spaced(form) for form in known]
    deletions = _index(spaced, _deletions)
    for place, form in enumerate(others):
        same = {found for index, keys_of in same_words for key in keys_of(form) for found in index.get(key, ())}
        own = _spaced(form)
        near = {found for shorter in _deletions(own) for found in deletions.get(shorter, ())} - same
        pairs = [(found, False) for found in same] + [(found, True) for found in near if one_letter(spaced[found], own)]
        yield from (Alike(found, place, by_letter) for found, by_letter in sorted(pairs) if known[found] != form)


def bare_spelling(form: str) -> Collection[str]:
    """The spelling key without accents and with every other sign as a separator; not if a sign makes another tag."""
    if any(mark in form for mark in MARKS):
        return ()
    return (spelling_key("".join(letter if letter.isalnum() else " " for letter in _plain(form))),)


def singular(form: str) -> Collection[str]:
    """The spelling key without the plural ending of the last word."""
    words, key = _spaced(form).split(), spelling_key(form)
    if not words or len(words[-1]) < SHORTEST - 1 or words[-1] in NO_PLURALS or words[-1][-2].isdigit():
        return (key,)
    if key.endswith("ies"):
        return (f"{key[:-3]}y", key[:-1])
    if key.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        return (key[:-2], key[:-1])
    return (key[:-1] if key.endswith("s") and not key.endswith(("ss", "us", "is")) else key,)


def spelled_out(form: str) -> Collection[str]:
    """The spelling key with letters for accents: ue for ü."""
    return (spelling_key("".join(DIGRAPHS.get(letter, letter) for letter in form)),)


def word_order(form: str) -> Collection[str]:
    """The words of a form of several words, in the order of the alphabet."""
    words = _spaced(form).split()
    return (" ".join(sorted(words)),) if len(words) > 1 else ()


def one_letter(one: str, other: str) -> bool:
    """Whether two forms differ within a word of five letters or more: a letter more, another one, or two in turn.

    The first and the last letter of a word are no slips: punk and funk, africa and african are two words. Neither are
    digits.
    """
    shorter, longer = sorted((one, other), key=len)
    start = next((place for place, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    a, b = shorter[start:], longer[start:]
    if len(shorter) == len(longer):
        end = 2 if len(a) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:] else 1
        if end == 1 and a[1:] != b[1:]:
            return False
    else:
        end = 1
        if a != b[1:]:
            return False
    changed = longer[start : start + end] + shorter[start : start + end * (len(shorter) == len(longer))]
    word = longer[: start + end].rpartition(" ")[2] + longer[start + end :].partition(" ")[0]
    inside = start > 0 and longer[start - 1] != " " and longer[start + end : start + end + 1] not in {"", " "}
    return inside and len(word) > SHORTEST - (len(shorter) == len(longer)) and changed.isalpha()


def _spaced(form: str) -> str:
    """A form without accents, with one space for every separator."""
    return SEPARATORS.sub(" ", _plain(form)).strip()


def _plain(form: str) -> str:
    """A form without the marks above and below its letters, in any script."""
    if form.isascii():
        return form
    return "".join(letter for letter in unicodedata.normalize("NFKD", form) if not unicodedata.combining(letter))


def _deletions(form: str) -> Collection[str]:
    """The form, and the form without any one of its letters; nothing of a short one."""
    if len(form) < SHORTEST:
        return ()
    return {form, *(form[:place] + form[place + 1 :] for place in range(len(form)))}


def _index(forms: Iterable[str], keys_of: Callable[[str], Collection[str]]) -> dict[str, list[int]]:
    index: defaultdict[str, list[int]] = defaultdict(list)
    for place, form in enumerate(forms):
        for key in keys_of(form):
            index[key].append(place)
    index.pop("", None)
    return index
