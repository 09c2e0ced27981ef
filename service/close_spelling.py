"""Finds tags that are spelled like a word: those that it may stand for, and those that it may have meant."""

from typing import Final

from rapidfuzz import fuzz, process

from service.view import View, without_punctuation
from snapshot import normalise

CLOSE: Final = 84.0
"""Similarity (0…100) from which a word counts as a spelling of a tag; from SIMILAR to it, the tag is only suggested."""

SIMILAR: Final = 60.0
SUGGESTIONS: Final = 5
LONGEST_QUERY: Final = 500
SHORTEST_SPELLING: Final = 4
"""Shorter words are not matched by spelling, because too many words are similar to them."""

MOST_SPELLINGS: Final = 8
"""At most this many unknown words of a query are compared with all tags."""


def suggest(view: View, text: str) -> list[str]:
    """The tags that look most like a text, or like one of its words, best first. Only whole words are compared."""
    words = words_of(text)
    scores: dict[str, float] = {}
    for phrase in dict.fromkeys((" ".join(words), *words[:MOST_SPELLINGS])):
        if len(phrase) >= SHORTEST_SPELLING:
            for key, score, _ in process.extract(
                phrase, view.spellings.keys(), scorer=fuzz.token_ratio, limit=SUGGESTIONS, score_cutoff=SIMILAR
            ):
                scores[key] = max(score, scores.get(key, 0.0))
    best = sorted(scores, key=lambda key: -scores[key])[:SUGGESTIONS]
    return _tags_of(view, best)


def similar(view: View, word: str) -> list[str]:
    """The tags spelled somewhat like a word, best first; quicker and stricter than `suggest`."""
    if len(word) < SHORTEST_SPELLING:
        return []
    near = process.extract(word, view.spellings.keys(), scorer=fuzz.ratio, limit=SUGGESTIONS, score_cutoff=SIMILAR)
    return _tags_of(view, [key for key, _, _ in near])


def _tags_of(view: View, spellings: list[str]) -> list[str]:
    """The tags of some spellings, each once."""
    return [view.snapshot.names[tag] for tag in dict.fromkeys(view.spellings[spelling] for spelling in spellings)]


def closest(view: View, words: list[str]) -> tuple[int, int | None]:
    """The tag spelled most like the first two words, or like the first one, if close enough."""
    for length in range(min(view.longest_phrase, 2, len(words)), 0, -1):
        phrase = " ".join(words[:length])
        if len(phrase) < SHORTEST_SPELLING:
            continue
        match = process.extractOne(phrase, view.spellings.keys(), scorer=fuzz.ratio, score_cutoff=CLOSE)
        if match is not None and (length == 1 or " " in match[0]):
            return length, view.spellings[match[0]]
    return 1, None


def words_of(text: str) -> list[str]:
    """The words of a query, normalised and without punctuation."""
    return without_punctuation(normalise(text[:LONGEST_QUERY])).split()
