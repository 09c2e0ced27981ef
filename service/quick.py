"""Tells before a question is answered whether that surely takes little time."""

from collections.abc import Iterable
from typing import Final

from service.query import EXCLUSION, parse_known
from service.view import View

SLOW_PARAMETERS: Final = frozenset({"infix", "together", "narrow", "exclude"})
"""`infix` searches all tags (2 ms); the others count the documents of the query."""

QUICK_LIMIT: Final = 100
"""A cloud of 100 tags takes 1 ms, one of 500 takes 7 to 10 ms: every tag is compared with every other."""

FEW_TAGS: Final = 4
"""A page about so many takes 2 to 4 ms with compression, one about 20 takes 7 ms."""


def is_quick(view: View, pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether cloud, related, tags or tag surely takes less than 2 ms, if asked about a corpus of some thousand tags.

    `pairs` are the parameters, not yet checked: a wrong one is refused quickly. Unknown tags and words are slow:
    the answer, or the refusal, has suggestions from among all tags, which takes 1 to 14 ms.
    """
    for name, value in pairs:
        if name == "tag":
            if view.names.find(value) is None:
                return False
        elif name == "q":
            if value.strip() and (EXCLUSION.search(value) or parse_known(view, value) is None):
                return False
        elif name in SLOW_PARAMETERS or (name == "limit" and _is_long(value)):
            return False
    return True


def asks_for_few_tags(pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether a page is asked about a few tags.

    The cloud of the whole corpus takes several milliseconds; so do the reasons that a page gives for many tags, and
    counting documents for tags that it excludes.
    """
    words: list[str] = []
    for name, value in pairs:
        if name == "exclude" or (name == "q" and EXCLUSION.search(value)):
            return False
        if name in {"tag", "q"}:
            words += [value] if name == "tag" else value.split()
    return 0 < len(words) <= FEW_TAGS and all(word.strip() for word in words)


def _is_long(limit: str) -> bool:
    return len(limit) > len(str(QUICK_LIMIT)) or (limit.isdecimal() and int(limit) > QUICK_LIMIT)
