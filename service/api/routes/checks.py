"""The endpoints that take a body but change nothing: tags to check, documents to tag, facets to group."""

from contextlib import nullcontext
from typing import Any, Final

import orjson
from flask import request

from service.answers import CanonicalAnswer, GroupAnswer, SuggestAnswer
from service.api.parameters.parameters import CorpusPath, Nothing
from service.api.parameters.vocabulary import GroupQuery
from service.api.routing import Operation
from service.errors import BodyTooLarge, WrongBody, WrongLines, WrongMediaType
from service.live.snapshots import LiveSnapshots
from service.questions.clouds.facet_cloud import facet_cloud
from service.questions.clouds.facets import read_facet
from service.questions.tagging.suggest import UntaggedDocument, suggest_tags
from service.questions.text.canonical import canonical
from service.view.view import View
from service.web.http import HttpResponse
from service.web.slot import Slot
from tagmodel.language.words import LONGEST_TEXT

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
LINES: Final = (NDJSON, "application/jsonl", "application/x-jsonlines")
MOST_BYTES: Final = 1_000_000
MOST_TEXT_BYTES: Final = 16_000_000
MOST_DOCUMENTS: Final = 1000
LONGEST_TITLE: Final = 1000
FEW_DOCUMENTS: Final = 20
MUCH_TEXT: Final = 200_000
"""Characters. Suggestions for more than this, or for more documents, take a thread for seconds."""

MOST_GIVEN: Final = 100
MOST_SUGGESTED: Final = 100
SUGGESTED: Final = 10
MOST_TAGS: Final = 1000
LONGEST: Final = 500
ERRORS: Final = (404, 413, 415, 422, 503)

CANONICAL_EXAMPLE: Final = {"tags": ["Payments", "paymnet", "xyz"]}
SUGGEST_EXAMPLE: Final = {"title": "Pay by card", "text": "A card reader for shops", "tags": ["payments"], "limit": 5}
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
            path="/v1/corpora/{corpus}/suggest",
            summary="Suggest tags for documents from their text and tags",
            group="tags",
            handler=handlers.post_suggest,
            media={JSON: SuggestAnswer},
            path_model=CorpusPath,
            errors=ERRORS,
            body={JSON: SUGGEST_EXAMPLE},
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
        self._batch = Slot("a large batch of suggestions")

    def post_canonical(self, path: CorpusPath, _: Nothing) -> HttpResponse:
        """The tag that each name stands for, or names like it; tags worth adding; banned names.

        At most 1,000 names. As NDJSON, one object a line, of which each gets a line of the answer.
        """
        view = self._live.view(path.corpus)
        body = read_body((JSON, *LINES))
        if request.mimetype in LINES:
            answers = [orjson.dumps(canonical(view, names)) for names in read_batches(body)]
            return response(view, b"".join(answer + b"\n" for answer in answers), NDJSON)
        return response(view, orjson.dumps(canonical(view, read_names(parsed_json(body)))), JSON)

    def post_suggest(self, path: CorpusPath, _: Nothing) -> HttpResponse:
        """Tags to add, each with its reasons; what becomes of the tags given; the concept of the document.

        The body has any of `title`, `text` (to 100,000 characters) and `tags`, and `limit`, or up to 1,000 such objects
        under `documents`. Nothing of it is kept. Each process answers one large batch at a time (more than 20
        documents, or 200,000 characters): another one gets 503 with Retry-After.
        """
        view = self._live.view(path.corpus)
        documents, limit = read_untagged(parsed_json(read_body((JSON,), MOST_TEXT_BYTES)))
        large = len(documents) > FEW_DOCUMENTS or sum(len(each.text) for each in documents) > MUCH_TEXT
        with self._batch.taken() if large else nullcontext():
            return response(view, orjson.dumps(suggest_tags(view, documents, limit)), JSON)

    def post_group(self, path: CorpusPath, query: GroupQuery) -> HttpResponse:
        """A cloud with their counts, grouped and named by ours; values that are no tags apart.

        The body has counts by value under `tags`, or the facet part of an answer of Elasticsearch, OpenSearch,
        Meilisearch, Algolia or Typesense, with at most 2,000 values.
        """
        view = self._live.view(path.corpus)
        facet = read_facet(parsed_json(read_body((JSON,))), query.facet)
        return response(view, orjson.dumps(facet_cloud(view, facet, groups=query.groups, by=query.by)), JSON)


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


def read_untagged(record: Any) -> tuple[list[UntaggedDocument], int]:
    """The documents of a body and how many tags each should get, or WrongBody."""
    if not isinstance(record, dict):
        raise WrongBody("the body is not an object")
    limit = record.get("limit", SUGGESTED)
    if type(limit) is not int or not 1 <= limit <= MOST_SUGGESTED:
        raise WrongBody(f"limit: not a whole number from 1 to {MOST_SUGGESTED}")
    if "documents" not in record:
        return [read_document({name: value for name, value in record.items() if name != "limit"}, "")], limit
    documents = record["documents"]
    if unknown := record.keys() - {"documents", "limit"}:
        raise WrongBody(f"unknown field {min(unknown)!r} beside documents")
    if not isinstance(documents, list) or not 1 <= len(documents) <= MOST_DOCUMENTS:
        raise WrongBody(f"documents: not a list of 1 to {MOST_DOCUMENTS}")
    return [read_document(each, f"documents[{place}].") for place, each in enumerate(documents)], limit


def read_document(record: Any, place: str) -> UntaggedDocument:
    """One document; WrongBody says what is wrong where."""
    if not isinstance(record, dict):
        raise WrongBody(f"{place.rstrip('.')}: not an object")
    if unknown := record.keys() - {"title", "text", "tags"}:
        raise WrongBody(f"unknown field {place}{min(unknown)}")
    title, text, tags = record.get("title") or "", record.get("text") or "", record.get("tags") or []
    if not isinstance(title, str) or len(title) > LONGEST_TITLE:
        raise WrongBody(f"{place}title: not a text of at most {LONGEST_TITLE} characters")
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise WrongBody(f"{place}text: not a text of at most {LONGEST_TEXT} characters")
    if not isinstance(tags, list) or len(tags) > MOST_GIVEN:
        raise WrongBody(f"{place}tags: not a list of at most {MOST_GIVEN}")
    if not all(isinstance(tag, str) and len(tag) <= LONGEST for tag in tags):
        raise WrongBody(f"{place}tags: one is not a text of at most {LONGEST} characters")
    return UntaggedDocument(title, text, tuple(tags))


def read_batches(body: bytes) -> list[list[str]]:
    """The names of each line; WrongLines if a line has none, WrongBody if all have too many together."""
    batches: list[list[str]] = []
    wrong: list[tuple[int, str]] = []
    for number, line in enumerate(body.split(b"\n"), start=1):
        if line.strip():
            try:
                batches.append(read_names(parsed_json(line)))
            except WrongBody as error:
                wrong.append((number, str(error)))
    if wrong:
        raise WrongLines(f"{len(wrong)} lines are not objects with tags", wrong[:100])
    total = sum(map(len, batches))
    if total > MOST_TAGS:
        raise WrongBody(f"tags: {total} names in all lines; at most {MOST_TAGS}")
    return batches


def read_body(accepted: tuple[str, ...], most: int = MOST_BYTES) -> bytes:
    """The body of the request, or what is wrong with its kind or size."""
    if request.mimetype not in ("", *accepted):
        raise WrongMediaType(f"send {' or '.join(accepted[:2])}, not {request.mimetype}")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise WrongMediaType("send the body without Content-Encoding")
    if (request.content_length or 0) > most:
        raise BodyTooLarge(f"the body has more than {most:,} bytes")
    return request.get_data(cache=False)


def parsed_json(body: bytes) -> Any:
    """The JSON of a body, or WrongBody."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise WrongBody(f"not JSON: {error}") from error


def response(view: View, body: bytes, media_type: str) -> HttpResponse:
    """An answer about a version that no cache keeps."""
    headers = {
        "Content-Type": media_type,
        "Cache-Control": "no-store",
        "Cotag-Version": view.snapshot.version,
        "Cotag-Revision": str(view.revision),
    }
    return HttpResponse(200, headers, body)
