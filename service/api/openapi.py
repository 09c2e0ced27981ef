"""Builds openapi.json (OpenAPI 3.1) from the declared operations and the dataclasses of their answers."""

from collections.abc import Iterator
from http import HTTPStatus
from types import UnionType
from typing import Any, Final, get_args

from pydantic import BaseModel, TypeAdapter

from service.answers import Problem
from service.api.examples import EXAMPLES
from service.api.problems import MEDIA_TYPE
from service.api.routing import Api, Operation

REF: Final = "#/components/schemas/{model}"
JSON: Final = "application/json"

GROUPS: Final = {
    "tags": "Questions about tags",
    "concepts": "Clusters and trees",
    "corpora": "What is served, and its versions",
    "documents": "Documents: behind a query, like another, and pushed ones",
    "jobs": "Runs of the worker",
    "health": "For load balancers and operators",
}

DESCRIPTION: Final = """Grouped tag clouds and related tags for search pages.

Every answer names the snapshot it comes from (`version`, and the header `Cotag-Version`); while the store cannot
confirm that it is the current one, `Cotag-Stale` tells for how many seconds. Answers about a snapshot have strong
ETags. Errors are problem+json (RFC 9457). Writing needs an API key."""


def openapi_document(api: Api) -> dict[str, Any]:
    """The whole document."""
    kinds: set[Any] = {Problem, *(kind for operation in api.operations for kind in _kinds(operation))}
    names, schemas = TypeAdapter.json_schemas(
        [(kind, "serialization", TypeAdapter(kind)) for kind in sorted(kinds, key=lambda kind: str(kind.__name__))],
        ref_template=REF,
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in api.operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, names)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Cotag", "version": "1", "description": DESCRIPTION, "license": {"name": "MIT"}},
        "tags": [{"name": name, "description": text} for name, text in GROUPS.items()],
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
    }


def _kinds(operation: Operation) -> Iterator[type[Any]]:
    for kind in operation.media.values():
        if isinstance(kind, UnionType):
            yield from get_args(kind)
        elif kind is not None:
            yield kind


def _operation(operation: Operation, names: Any) -> dict[str, Any]:
    answer: dict[str, Any] = {"description": HTTPStatus(operation.status).phrase, "content": _content(operation, names)}
    if operation.status == HTTPStatus.ACCEPTED:
        answer["headers"] = {"Location": {"schema": {"type": "string"}, "description": "Where to follow the job"}}
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": " ".join(operation.description.split()),
        "tags": [operation.group],
        "parameters": [
            *_parameters(operation.path_model, "path"),
            *_parameters(operation.query_model, "query"),
            *_headers(operation),
        ],
        "responses": {
            str(operation.status): answer,
            **{str(status): _error(status, names) for status in _errors(operation)},
        },
    }
    if operation.writes:
        described["security"] = [{"bearer": []}, {"key": []}]
    if operation.body:
        described["requestBody"] = {"required": True, "content": dict(map(_body, operation.body.items()))}
    return described


def _body(taken: tuple[str, Any]) -> tuple[str, dict[str, Any]]:
    """A media type of a request, and its example: lines of text, or an object."""
    media, example = taken
    if media == JSON:
        return media, {"schema": {"type": "object"}, "example": example}
    return media, {"schema": {"type": "string"}, "example": example}


def _content(operation: Operation, names: Any) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for media, kind in operation.media.items():
        if kind is None:
            content[media] = {"schema": {"type": "object" if media.endswith("+json") else "string"}}
            continue
        kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
        schemas = [names[answer, "serialization"] for answer in kinds]
        content[media] = {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}
        if kind in EXAMPLES:
            content[media]["example"] = EXAMPLES[kind]
    return content


def _errors(operation: Operation) -> list[int]:
    """Declared errors, those that any request may meet, and those of having parameters."""
    always = {429, 500} if operation.group != "health" else {500}
    checked = {422} if operation.path_model is not None or operation.query_model.model_fields else set()
    return sorted({*operation.errors, *always, *checked, 422})


def _error(status: int, names: Any) -> dict[str, Any]:
    return {
        "description": HTTPStatus(status).phrase,
        "content": {MEDIA_TYPE: {"schema": names[Problem, "serialization"]}},
    }


def _parameters(model: type[BaseModel] | None, place: str) -> Iterator[dict[str, Any]]:
    if model is None:
        return
    schema = model.model_json_schema()
    for name, described in schema.get("properties", {}).items():
        described.pop("title", None)
        text = described.pop("description", "")
        examples = described.pop("examples", [])
        parameter: dict[str, Any] = {
            "name": name,
            "in": place,
            "required": place == "path" or name in schema.get("required", []),
            "description": text,
            "schema": _without_null(described),
        }
        if examples:
            parameter["example"] = examples[0]
        yield parameter


def _headers(operation: Operation) -> Iterator[dict[str, Any]]:
    for name, text in operation.headers.items():
        yield {"name": name, "in": "header", "required": False, "description": text, "schema": {"type": "string"}}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without null: a query string omits a parameter instead."""
    if "anyOf" not in schema:
        return schema
    (kind,) = [choice for choice in schema["anyOf"] if choice.get("type") != "null"]
    return dict(kind)
