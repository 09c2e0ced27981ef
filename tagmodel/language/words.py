"""The words of a document, as numbers: learning and suggesting must split and hash a text in the same way."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

WORD: Final = re.compile(r"[^\W_]+")
LONGEST_TEXT: Final = 100_000
"""Characters of a text that count; the rest is not read."""

LONGEST_PHRASE: Final = 4
"""Words of a phrase that may be a tag, at most."""

TITLE_MARK: Final = np.uint64(0x9E3779B97F4A7C15)
"""Makes another number of a word of the title: there it may say something else."""

STEP: Final = np.uint64(0x100000001B3)
"""Joins the numbers of the words of a phrase."""


class WordCounts(NamedTuple):
    """The distinct words of a document, title words once more as such, and how often each occurs."""

    hashes: Hashes
    counts: NDArray[np.int64]


def text_words(text: str) -> list[str]:
    """The words of a text in lower case: runs of letters and digits.

    >>> text_words("Ein Café, 2-in-1")
    ['ein', 'café', '2', 'in', '1']
    """
    return WORD.findall(unicodedata.normalize("NFKC", text[:LONGEST_TEXT]).lower())


@lru_cache(maxsize=100_000)
def word_hash(word: str) -> int:
    """A number that stands for a word, the same in every process."""
    return int.from_bytes(hashlib.blake2b(word.encode(errors="replace"), digest_size=8).digest(), "little")


def hashed(words: Iterable[str]) -> Hashes:
    """The numbers of words, in their order."""
    return np.array([word_hash(word) for word in words], dtype=np.uint64)


def counted(title: str, text: str) -> WordCounts:
    """The words of a document."""
    heading = hashed(text_words(title))
    found, counts = np.unique(
        np.concatenate([heading, heading ^ TITLE_MARK, hashed(text_words(text))]), return_counts=True
    )
    return WordCounts(found, counts.astype(np.int64))


def phrase_hash(words: Sequence[str]) -> int:
    """The number of a phrase; that of one word is the word's own."""
    return int(_joined(hashed(words), len(words))[0])


def phrases_of(title: str, text: str) -> Hashes:
    """The numbers of all phrases of a document, distinct; none crosses from the title into the text."""
    parts = [hashed(text_words(title)), hashed(text_words(text))]
    found = [_joined(part, length) for part in parts for length in range(1, LONGEST_PHRASE + 1) if len(part) >= length]
    return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.uint64)


def _joined(hashes: Hashes, length: int) -> Hashes:
    """The numbers of all phrases of this length; arithmetic modulo 2⁶⁴."""
    size = len(hashes) - length + 1
    joined = hashes[:size].copy()
    for place in range(1, length):
        joined = joined * STEP + hashes[place : place + size]
    return joined
