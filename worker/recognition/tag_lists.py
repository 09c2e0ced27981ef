"""Finds how a value holds several tags: as a list, between separators, or by a pattern."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from worker.errors import CorpusError
from worker.sources.cleaning import split_list
from worker.sources.tag_values import tag_names

SEPARATORS: Final = ";|,"
MOST: Final = 0.9
"""A form counts as recognised if this share of the values has it."""

RIVAL: Final = 0.5
"""A separator in this share as many values as the commonest one is as likely."""

SHOWN: Final = 3
"""Records of each reading that a message shows."""

MOST_AGAIN: Final = 0.5
"""Words between spaces are tags if this share of them comes again in other values."""

FEWEST: Final = 10
"""Values from which one can tell what a column holds."""

LONGEST_TAG: Final = 4
"""Words of a tag, where nothing but the values says that they are tags."""

DIGIT: Final = re.compile(r"\d")
MARKS: Final = {"0", "1", "0.0", "1.0", "true", "false", "yes", "no", "x"}

FORMS: Final = {
    "in angle brackets": (r"(?:<[^<>]+>\s*)+", "<([^<>]+)>"),
    "as hashtags": (r"(?:#[^\s#]+\s*)+", r"#([^\s#]+)"),
    "as a Python list": (r"\[\s*(?:['\"].*['\"])?\s*\]", r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""),
}
"""What a whole value looks like, and the pattern that finds the tags in it."""


@dataclass(frozen=True)
class TagList:
    """How a value holds tags. Without separator and pattern it is a list, or has one tag."""

    description: str
    separator: str | None = None
    pattern: str | None = None
    share: float = 1.0
    """Of the values that have several tags."""


def recognise_list(values: Sequence[Any], place: str, ignored: float = 0.0) -> TagList | None:
    """How the values hold several tags, or None if each has one. CorpusError if two separators are equally likely.

    A separator in at most the share `ignored` of the values belongs to the tags.
    """
    if any(isinstance(value, list | dict) for value in values):
        _check_lists(values, place)
        return TagList("as objects" if any(isinstance(value, dict) for value in values) else "as a list")
    texts = [str(value).strip() for value in values]
    if _share(map(_is_json_list, texts)) >= MOST:
        _check_lists([orjson.loads(text) for text in texts if _is_json_list(text)], place)
        return TagList("as a JSON list")
    for description, (form, pattern) in FORMS.items():
        whole = re.compile(form, re.DOTALL)
        if _share(whole.fullmatch(text) is not None for text in texts) >= MOST:
            return TagList(description, pattern=pattern)
    return _separated(texts, place, ignored)


def _separated(texts: Sequence[str], place: str, ignored: float) -> TagList | None:
    shares = {mark: _share(len(_split(text, mark)) > 1 for text in texts) for mark in SEPARATORS}
    best = max(shares, key=lambda mark: shares[mark])
    if shares[best] <= ignored:
        return None
    rivals = [mark for mark in SEPARATORS if shares[mark] >= RIVAL * shares[best]]
    if len(rivals) > 1:
        examples = [text for text in texts if any(mark in text for mark in rivals)][:SHOWN]
        readings = "".join(
            f"\n  --separator '{mark}': " + " · ".join(shown_tags(_split(text, mark)) for text in examples)
            for mark in rivals
        )
        raise CorpusError(f"{place}: {' and '.join(rivals)} are equally likely to separate the tags; choose:{readings}")
    return TagList(f"separated by {best}", separator=best, share=shares[best])


def recognise_spaces(values: Sequence[Any]) -> TagList | None:
    """Whether every value is a list of words between spaces; None if they may as well be tags of several words.

    Words of lists come again in other values, and no sentence is among them.
    """
    lists = [str(value).split() for value in values]
    count = Counter(word for words in lists for word in set(words))
    every = sum(map(len, lists))
    again = sum(count[word] > 1 for words in lists for word in words)
    sentence = any(word.endswith((".", "!", "?", ",", ":")) for words in lists for word in words)
    if sentence or every < 1.5 * len(lists) or again < MOST_AGAIN * every:
        return None
    return TagList("separated by spaces", separator=" ")


def marks_only(values: Sequence[Any]) -> bool:
    """Whether the values of a column say nothing but whether a document has a tag."""
    return bool(values) and {str(value).strip().lower() for value in values} <= MARKS


def holds_tags(values: Sequence[Any]) -> bool:
    """Whether the values of a column can hardly be anything but lists of tags: most have several short parts.

    The parts come again in other values, and hold no numbers, as dates and prices do. A few rows say nothing.
    """
    if len(values) < FEWEST or list_likeness(values) < MOST_AGAIN:
        return False
    lists = [set(_parts(value)) for value in values]
    count = Counter(part for parts in lists for part in parts)
    every = sum(count.values())
    again = sum(number for number in count.values() if number > 1)
    plain = sum(number for part, number in count.items() if len(part.split()) <= LONGEST_TAG and not DIGIT.search(part))
    return len(count) > 2 and again >= MOST * every and plain >= MOST * every


def _parts(value: Any) -> list[str]:
    """What a value has between the separator that divides it most, or in its list."""
    if isinstance(value, str) and _is_json_list(value):
        value = orjson.loads(value)
    if isinstance(value, str):
        return max(([part.strip() for part in _split(value, mark)] for mark in SEPARATORS), key=len)
    try:
        names = tag_names(value)
    except ValueError:
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else [str(names)]


def list_likeness(values: Sequence[Any]) -> float:
    """How much the values of a column look like lists of tags: the share that has several short parts."""
    texts = [value if isinstance(value, list) else str(value) for value in values]
    return _share(map(_has_short_parts, texts)) if texts else 0.0


def shown_tags(tags: Sequence[str]) -> str:
    """The tags of one document in a message."""
    return shortened(" + ".join(tag.strip() for tag in tags))


def shortened(value: object) -> str:
    """A value in a message."""
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _has_short_parts(value: str | list[Any]) -> bool:
    parts = _parts(value)
    if isinstance(value, list):
        return len(parts) == len(value) and all(len(part) <= 40 for part in parts)
    return len(parts) > 1 and all(len(part) <= 40 for part in parts)


def _check_lists(values: Sequence[Any], place: str) -> None:
    """CorpusError if the lists hold something else than text."""
    for value in values:
        try:
            names = tag_names(value)
        except ValueError as error:
            raise CorpusError(f"{place}: {error}") from error
        wrong = next((each for each in names if not isinstance(each, str)), None) if isinstance(names, list) else None
        if wrong is not None:
            raise CorpusError(f"{place}: the lists hold {shortened(wrong)!r}, not texts; Cotag needs a list of texts")


def _split(text: str, mark: str) -> list[str]:
    """The parts that are not empty: `|a|b|` has two."""
    return [part for part in split_list(text, mark) if part.strip()]


def _is_json_list(text: str) -> bool:
    if not text.startswith("["):
        return False
    try:
        return isinstance(orjson.loads(text), list)
    except orjson.JSONDecodeError:
        return False


def _share(answers: Iterable[bool]) -> float:
    """The share of values for which the answer is yes; there is at least one value."""
    every = list(answers)
    return sum(every) / len(every)
