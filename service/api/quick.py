"""Tells before a question is answered whether that surely takes little time."""

from collections.abc import Iterable
from typing import Final

from service.api.parameters.parameters import TagsQuery
from service.questions.text.listing import asks_titles
from service.questions.text.query import EXCLUSION, parse_known
from service.view.view import View

QUICK_LIMIT: Final = 100
"""A cloud of 100 tags takes 1 ms, one of 500 takes 7 to 10 ms: every tag is compared with every other."""

USUAL_LIMIT: Final[int] = TagsQuery.model_fields["limit"].default
LONGEST_NUMBER: Final = 10


def is_quick(view: View, pairs: Iterable[tuple[str, str]], quick: frozenset[str]) -> bool:
    """Whether cloud, related, tags or tag surely takes less than 2 ms, if asked about a corpus of some thousand tags.

    `pairs` are the parameters, not yet checked, and `quick` those that its declaration calls quick.
    Unknown tags and words are slow: the answer, or the refusal, has suggestions from among all tags (1 to 14 ms).
    So are rare tags and words of titles, for which documents are read.
    """
    parameters = list(pairs)
    for name, value in parameters:
        if name not in quick:
            return False
        if name == "tag":
            found = view.names.find(value)
            if found is None or view.is_tail(found[0]):
                return False
        elif name == "q":
            if value.strip() and (EXCLUSION.search(value) or not _asks_for_head(view, value)):
                return False
        elif name == "prefix":
            if asks_titles(view, value, _number_listed(parameters)):
                return False
        elif name == "limit" and _is_long(value):
            return False
    return True


def _asks_for_head(view: View, text: str) -> bool:
    """Whether all of a text is known and none of its tags is rare."""
    query = parse_known(view, text)
    return query is not None and not any(map(view.is_tail, query.tags))


def _number_listed(parameters: Iterable[tuple[str, str]]) -> int:
    """How many names a list must have to fill the page that is asked for."""
    given = {name: int(value) for name, value in parameters if value.isdecimal() and len(value) < LONGEST_NUMBER}
    return given.get("limit", USUAL_LIMIT) + given.get("offset", 0)


def _is_long(limit: str) -> bool:
    return len(limit) > len(str(QUICK_LIMIT)) or (limit.isdecimal() and int(limit) > QUICK_LIMIT)
