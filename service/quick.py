"""Tells before a question is answered whether that surely takes little time."""

from collections.abc import Iterable
from typing import Final

from service.query import find_tag, parse_known
from service.view import View

SLOW_PARAMETERS: Final = frozenset({"infix", "senses"})
"""`infix` searches all tags (2 ms), `senses` compares all neighbours of a tag (1 ms)."""

LIMIT_DIGITS: Final = 3
"""An answer of 999 tags and its compression take 1.3 ms; only lists of tags may be longer."""


def is_quick(view: View, pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether cloud, related, tags or tag surely takes less than 2 ms, if asked about a corpus of some thousand tags.

    `pairs` are the parameters, not yet checked: a wrong one is refused quickly. Unknown tags and words are slow:
    the answer, or the refusal, has suggestions from among all tags, which takes 1 to 14 ms.
    """
    for name, value in pairs:
        if name == "tag":
            if find_tag(view, value) is None:
                return False
        elif name == "q":
            if value.strip() and parse_known(view, value) is None:
                return False
        elif name in SLOW_PARAMETERS or (name == "limit" and len(value) > LIMIT_DIGITS):
            return False
    return True
