"""The endpoints that take a body but change nothing: tags to check, facets to group. They need what reading needs."""

from typing import Any, Final

import orjson
from flask import request

from service.answers import CanonicalAnswer, GroupAnswer
from service.api.parameters.parameters import CorpusPath, Nothing
from service.api.parameters.vocabulary import GroupQuery
from service.api.routing import Operation
from service.errors import BodyTooLarge, WrongBody, WrongLines, WrongMediaType
from service.live.snapshots import LiveSnapshots
from service.questions.clouds.facet_cloud import facet_cloud
from service.questions.clouds.facets import read_facet
from service.questions.text.canonical import canonical
from service.view.view import View
from service.web.http import HttpResponse

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
LINES: Final = (NDJSON, "application/jsonl", "application/x-jsonlines")
MOST_BYTES: Final = 1_000_000
MOST_TAGS: Final = 1000
LONGEST: Final = 500
ERRORS: Final = (404, 413, 415, 422, 503)

CANONICAL_EXAMPLE: Final = {"tags": ["Payments", "paymnet", "xyz"]}
GROUP_EXAMPLE: Final = {"tags": {"money": 12, "payment": 7, "snow": 3}}


def operations(live: LiveSnapshots) -> tuple[Operation, ...]:
    """All of them, as openapi.json lists them."""
    handlers = CheckHandlers(live)
    return (
        Operation(
            method="POST",
            path="/v1/corpora/{corpus}/canonical",
            summary="Check tags against the vocabulary",
            group="tags",
            handler=handlers.post_canonical,
            media={JSON: CanonicalAnswer, NDJSON: None},
            path_model=CorpusPath,
            errors=ERRORS,
            body={JSON: CANONICAL_EXAMPLE, NDJSON: f"{orjson.dumps(CANONICAL_EXAMPLE).decode()}\n"},
        ),
        Operation(
            method="POST",
            path="/v1/corpora/{corpus}/group",
            summary="Group the facet values that another engine counted",
            group="tags",
            handler=handlers.post_group,
            media={JSON: GroupAnswer},
            path_model=CorpusPath,
            query_model=GroupQuery,
            errors=ERRORS,
            body={JSON: GROUP_EXAMPLE},
        ),
    )


class CheckHandlers:
    """The handlers of these endpoints."""

    def __init__(self, live: LiveSnapshots) -> None:
        self._live = live

    def post_canonical(self, path: CorpusPath, _: Nothing) -> HttpResponse:
        """The tag that each name stands for, or names like it; tags worth adding; banned names.

        At most 1,000 names. As NDJSON, one object a line, of which each gets a line of the answer.
        """
        view = self._live.view(path.corpus)
        body = _read_body((JSON, *LINES))
        if request.mimetype in LINES:
            answers = [orjson.dumps(canonical(view, names)) for names in read_batches(body)]
            return _response(view, b"".join(answer + b"\n" for answer in answers), NDJSON)
        return _response(view, orjson.dumps(canonical(view, read_names(_parse(body)))), JSON)

    def post_group(self, path: CorpusPath, query: GroupQuery) -> HttpResponse:
        """A cloud with their counts, grouped and named by ours; values that are no tags apart.

        The body has counts by value under `tags`, or the facet part of an answer of Elasticsearch, OpenSearch,
        Meilisearch, Algolia or Typesense, with at most 2,000 values.
        """
        view = self._live.view(path.corpus)
        facet = read_facet(_parse(_read_body((JSON,))), query.facet)
        return _response(view, orjson.dumps(facet_cloud(view, facet, groups=query.groups, by=query.by)), JSON)


def read_names(record: Any) -> list[str]:
    """The names of one body or line, or WrongBody."""
    names = record.get("tags") if isinstance(record, dict) else None
    if not isinstance(names, list):
        raise WrongBody('the body is not an object with a list "tags"')
    if len(names) > MOST_TAGS:
        raise WrongBody(f"tags: {len(names)} names; at most {MOST_TAGS}")
    if not all(isinstance(name, str) and len(name) <= LONGEST for name in names):
        raise WrongBody(f"tags: one is not a text of at most {LONGEST} characters")
    return names


def read_batches(body: bytes) -> list[list[str]]:
    """The names of each line; WrongLines if a line has none, WrongBody if all have too many together."""
    batches: list[list[str]] = []
    wrong: list[tuple[int, str]] = []
    for number, line in enumerate(body.split(b"\n"), start=1):
        if line.strip():
            try:
                batches.append(read_names(_parse(line)))
            except WrongBody as error:
                wrong.append((number, str(error)))
    if wrong:
        raise WrongLines(f"{len(wrong)} lines are not objects with tags", wrong[:100])
    total = sum(map(len, batches))
    if total > MOST_TAGS:
        raise WrongBody(f"tags: {total} names in all lines; at most {MOST_TAGS}")
    return batches


def _read_body(accepted: tuple[str, ...]) -> bytes:
    if request.mimetype not in ("", *accepted):
        raise WrongMediaType(f"send {' or '.join(accepted[:2])}, not {request.mimetype}")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise WrongMediaType("send the body without Content-Encoding")
    if (request.content_length or 0) > MOST_BYTES:
        raise BodyTooLarge(f"the body has more than {MOST_BYTES:,} bytes")
    return request.get_data(cache=False)


def _parse(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise WrongBody(f"not JSON: {error}") from error


def _response(view: View, body: bytes, media_type: str) -> HttpResponse:
    headers = {
        "Content-Type": media_type,
        "Cache-Control": "no-store",
        "Cotag-Version": view.snapshot.version,
        "Cotag-Revision": str(view.revision),
    }
    return HttpResponse(200, headers, body)
