"""The endpoint for a person's history: it takes a body, keeps nothing, and answers with documents."""

from typing import Any, Final

import orjson

from service.answers import RecommendAnswer
from service.api.parameters.documents import LONGEST_ID
from service.api.parameters.parameters import CorpusPath, Nothing
from service.api.routes.checks import ERRORS, JSON, parsed_json, read_body, response
from service.api.routing import Operation
from service.errors import WrongBody
from service.live.snapshots import LiveSnapshots
from service.questions.documents.recommend import PersonHistory, recommend
from service.web.http import HttpResponse

MOST_OF_A_LIST: Final = 1000
MOST_RECOMMENDED: Final = 100
LISTS: Final = ("liked", "seen", "disliked", "tags", "disliked_tags")
FIELDS: Final = (*LISTS, "exclude_seen", "diversity", "limit")
EXAMPLE: Final = {"liked": ["credit-card", "snowflake"], "tags": ["payment"], "diversity": 0.5, "limit": 5}


def operations(live: LiveSnapshots) -> tuple[Operation, ...]:
    """The one of them."""
    return (
        Operation(
            method="POST",
            path="/v1/corpora/{corpus}/recommend",
            summary="Documents for a history, spread over its concepts",
            group="documents",
            handler=RecommendHandlers(live).post_recommend,
            media={JSON: RecommendAnswer},
            path_model=CorpusPath,
            errors=(409, *ERRORS),
            body={JSON: EXAMPLE},
        ),
    )


class RecommendHandlers:
    """The handler."""

    def __init__(self, live: LiveSnapshots) -> None:
        self._live = live

    def post_recommend(self, path: CorpusPath, _: Nothing) -> HttpResponse:
        """Documents by what somebody liked and saw, each with its reasons.

        The body has any of `liked`, `seen`, `disliked` (ids of documents), `tags` and `disliked_tags`, and
        `exclude_seen` (true), `diversity` from 0 (the most relevant) to 1 (as many of each concept as the history has;
        0.5) and `limit` (10). Nothing of it is kept.
        """
        view = self._live.view(path.corpus)
        record = parsed_json(read_body((JSON,)))
        history, options = read_history(record)
        return response(view, orjson.dumps(recommend(view, history, **options)), JSON)


def read_history(record: Any) -> tuple[PersonHistory, dict[str, Any]]:
    """The history of a body and how to answer it, or WrongBody."""
    if not isinstance(record, dict):
        raise WrongBody("the body is not an object")
    if unknown := record.keys() - set(FIELDS):
        raise WrongBody(f"unknown field {min(unknown)}")
    lists = {name: _names(record.get(name) or [], name) for name in LISTS}
    if not any(lists[name] for name in ("liked", "seen", "tags")):
        raise WrongBody("the history is empty: give documents under liked or seen, or tags")
    diversity, limit = record.get("diversity", 0.5), record.get("limit", 10)
    if isinstance(diversity, bool) or not isinstance(diversity, int | float) or not 0 <= diversity <= 1:
        raise WrongBody("diversity: not a number from 0 to 1")
    if type(limit) is not int or not 1 <= limit <= MOST_RECOMMENDED:
        raise WrongBody(f"limit: not a whole number from 1 to {MOST_RECOMMENDED}")
    exclude_seen = record.get("exclude_seen", True)
    if not isinstance(exclude_seen, bool):
        raise WrongBody("exclude_seen: not true or false")
    return PersonHistory(**lists), {"diversity": float(diversity), "exclude_seen": exclude_seen, "limit": limit}


def _names(names: Any, place: str) -> tuple[str, ...]:
    if not isinstance(names, list) or len(names) > MOST_OF_A_LIST:
        raise WrongBody(f"{place}: not a list of at most {MOST_OF_A_LIST}")
    if not all(isinstance(name, str) and len(name) <= LONGEST_ID for name in names):
        raise WrongBody(f"{place}: one is not a text of at most {LONGEST_ID} characters")
    return tuple(names)
