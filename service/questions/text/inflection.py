"""Finds the tag that an inflected word or phrase comes from, by the stems of the corpus's language: deleting → delete.

No index of stems: a stem begins like all its words, except for its last letter (city, cities: citi). So only the few
names that begin alike are stemmed, when a query has a word that is known in no other way.
"""

from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import Any, Final

import snowballstemmer
from rapidfuzz.distance import OSA

from service.view.view import View, search_key
from snapshot import LANGUAGES

SHORTEST_STEM: Final = 3
LONGEST_ENDING: Final = 6
"""Letters by which a name may be longer than the stem of its first word."""

MOST_COMPARED: Final = 500
"""The commonest names that begin alike and are stemmed: about 20 ms, if none of them was stemmed before."""

_lock: Final = Lock()
"""A stemmer holds the word that it works on, so only one thread may use it."""


def inflected(view: View, phrase: str) -> int | None:
    """The tag with the same stems as a phrase: *pausing* is *pause*, not *paused*.

    Of several, the longest that it begins with, but for a silent e; else the one that is spelled most like it.
    None if there is none, or the corpus declares no language.
    """
    same = _same_stems(view, phrase)
    return view.listed[min(same)[2]] if same else None


def common_inflection(view: View, tag: int) -> int | None:
    """The tag of the tree that has the same stems as a rare tag; None if there is none: payments → payment."""
    same = [found for found in _same_stems(view, search_key(view.tag_names[tag])) if found[2] < view.head_count]
    return view.listed[min(same)[2]] if same else None


def _same_stems(view: View, phrase: str) -> list[tuple[bool, int, int]]:
    """The tags with the same stems: whether the phrase begins otherwise, how far they are, and their rank by count."""
    language = view.snapshot.parameters.get("language")
    stems = _stems(language, phrase) if language in LANGUAGES else ()
    if not stems or len(stems[0]) < SHORTEST_STEM:
        return []
    beginning = stems[0][:-1] if len(stems[0]) > SHORTEST_STEM else stems[0]
    longest, spaces = sum(map(len, stems)) + len(stems) * (LONGEST_ENDING + 1), phrase.count(" ")
    keys = ((rank, view.completion.key(rank)) for rank in view.completion.beginning(beginning).tolist())
    alike = ((rank, key) for rank, key in keys if len(key) <= longest and key.count(" ") == spaces)
    return [
        (not phrase.startswith(key.removesuffix("e")), OSA.distance(key, phrase), rank)
        for rank, key in islice(alike, MOST_COMPARED)
        if _stems(language, key) == stems
    ]


def letters(view: View, phrase: str) -> int:
    """The number of letters of a phrase without the endings of inflections in the language of the corpus.

    Where none is declared, without -ing, which is long and makes words of any other letters look alike.
    """
    language = view.snapshot.parameters.get("language")
    return len(" ".join(_stems(language, phrase)) if language in LANGUAGES else phrase.removesuffix("ing"))


@lru_cache(maxsize=50_000)
def _stems(language: str, phrase: str) -> tuple[str, ...]:
    """The stem of each word."""
    with _lock:
        return tuple(_stemmer(language).stemWords(phrase.split()))


@lru_cache
def _stemmer(language: str) -> Any:
    return snowballstemmer.stemmer(LANGUAGES[language])
