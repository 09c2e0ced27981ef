"""Finds tags that are spelled like a word: the one that it surely stands for, and those that it may have meant."""

from collections.abc import Iterator
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

from service.questions.text.inflection import letters
from service.view.view import View, without_punctuation
from snapshot import normalise

LONG_WORD: Final = 8
"""From so many letters on, without the ending of an inflection, two slips of the keyboard are forgiven, else one."""

SUGGESTIONS: Final = 5
LONGEST_QUERY: Final = 500
SHORTEST_SPELLING: Final = 4
"""Shorter words are not matched by spelling, because too many words are similar to them."""

SHORTEST_READING: Final = 5
"""Shorter words are only suggested: most of them are one slip away from another word."""

SHORTEST_REPLACED: Final = 7
"""In shorter words, another letter in place of one makes another word (otter, outer, other): it is only suggested."""

MOST_SPELLINGS: Final = 8
"""At most this many unknown words of a query are compared with all tags."""


def slips(view: View, word: str) -> int:
    """How many keystrokes a word may be away from the tag that it is taken for (Damerau–Levenshtein)."""
    return 2 if letters(view, word) >= LONG_WORD else 1


def suggest(view: View, text: str) -> list[str]:
    """The tags that a text or one of its words may have meant, nearest first, then the frequent ones; often none.

    The words of a phrase that are tags come first, the last one, which is its head, before the others.
    """
    words = words_of(text)
    tags: dict[int, None] = {}
    if len(words) > 1:
        tags |= {view.loose[word]: None for word in reversed(words[:MOST_SPELLINGS]) if word in view.loose}
    for phrase in dict.fromkeys((" ".join(words), *words[:MOST_SPELLINGS])):
        tags |= dict.fromkeys(near(view, phrase, _suggested(view, phrase)))
    return [view.tag_names[tag] for tag in tags][:SUGGESTIONS]


def similarly_spelled(view: View, word: str) -> list[str]:
    """The tags that an unknown word may have meant, nearest first, then the frequent ones."""
    return [view.tag_names[tag] for tag in near(view, word, _suggested(view, word))][:SUGGESTIONS]


def closest(view: View, words: list[str]) -> tuple[int, int | None]:
    """How many of the first words are one tag with a slip of the keyboard, and this tag; None if that is not sure."""
    for length in range(min(view.longest_phrase, 2, len(words)), 0, -1):
        tag = reading(view, " ".join(words[:length]))
        if tag is not None and (length == 1 or " " in view.tag_keys[tag]):
            return length, tag
    return 1, None


def reading(view: View, phrase: str) -> int | None:
    """The tag that a phrase is surely meant to be: few slips away, none of them in the first letter, and no rival."""
    if len(phrase) < SHORTEST_READING:
        return None
    candidates = [found for found in _near(view, phrase, slips(view, phrase)) if found[1][0] == phrase[0]]
    if not candidates:
        return None
    least = min(distance for distance, _, _ in candidates)
    nearest = {tag: key for distance, key, tag in candidates if distance == least}
    tag, key = nearest.popitem()
    return None if nearest or (len(phrase) < SHORTEST_REPLACED and _replaces_letters(phrase, key)) else tag


def _replaces_letters(phrase: str, key: str) -> bool:
    """Whether a slip put a letter in place of another, and did not leave out, add or swap any."""
    return len(phrase) == len(key) and sorted(phrase) != sorted(key)


def near(view: View, phrase: str, most: int) -> list[int]:
    """The tags at most so many slips away from a phrase, nearest first, then the frequent ones."""
    if len(phrase) < SHORTEST_SPELLING:
        return []
    rank = view.count_rank
    best = sorted((distance, rank[tag], tag) for distance, _, tag in _near(view, phrase, most))
    return list(dict.fromkeys(tag for _, _, tag in best))


def words_of(text: str) -> list[str]:
    """The words of a query, normalised and without punctuation."""
    return without_punctuation(normalise(text[:LONGEST_QUERY])).split()


def _suggested(view: View, phrase: str) -> int:
    """How many slips away a suggestion may be: one more than a reading, except that short words look like anything."""
    return slips(view, phrase) + (len(phrase) > SHORTEST_READING)


def _near(view: View, phrase: str, most: int) -> Iterator[tuple[int, str, int]]:
    """The slips, spelling and tag of each name at most so many slips away; only names of about its length."""
    for length in range(max(len(phrase) - most, SHORTEST_SPELLING - 1), len(phrase) + most + 1):
        names = view.spellings_by_length.get(length, [])
        for key, distance, _ in process.extract(
            phrase, names, scorer=OSA.distance, processor=None, limit=None, score_cutoff=most
        ):
            yield int(distance), key, view.spellings[key]
