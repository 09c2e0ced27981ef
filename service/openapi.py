"""openapi.json: OpenAPI 3.1, from the declared operations and the dataclasses they answer with."""

from collections.abc import Iterator
from http import HTTPStatus
from types import UnionType
from typing import Any, Final, get_args

from pydantic import BaseModel, TypeAdapter

from service.answers import Problem
from service.examples import EXAMPLES
from service.problems import MEDIA_TYPE
from service.routing import Api, Operation

REF: Final = "#/components/schemas/{model}"
JSON: Final = "application/json"

GROUPS: Final = {
    "tags": "Questions about tags",
    "concepts": "Clusters and trees",
    "corpora": "What is served, and its versions",
    "documents": "Documents of pushed corpora",
    "jobs": "Runs of the worker",
    "health": "For load balancers and operators",
}

DESCRIPTION: Final = """Grouped tag clouds and related tags for search pages.

Every answer names the snapshot it comes from (`version`, and the header `Cotag-Version`); while the store cannot
confirm that it is the current one, `Cotag-Stale` tells for how many seconds. Answers about a snapshot have strong
ETags. Errors are problem+json (RFC 9457). Writing needs an API key."""


def openapi_document(api: Api) -> dict[str, Any]:
    """The whole document."""
    kinds: set[Any] = {Problem, *(kind for found in api.operations for kind in _kinds(found))}
    names, schemas = TypeAdapter.json_schemas(
        [(kind, "serialization", TypeAdapter(kind)) for kind in sorted(kinds, key=lambda kind: str(kind.__name__))],
        ref_template=REF,
    )
    paths: dict[str, dict[str, Any]] = {}
    for found in api.operations:
        paths.setdefault(found.path, {})[found.method.lower()] = _operation(found, names)
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


def _kinds(found: Operation) -> Iterator[type[Any]]:
    for kind in found.media.values():
        if isinstance(kind, UnionType):
            yield from get_args(kind)
        elif kind is not None:
            yield kind


def _operation(found: Operation, names: Any) -> dict[str, Any]:
    answer: dict[str, Any] = {"description": HTTPStatus(found.status).phrase, "content": _content(found, names)}
    if found.status == HTTPStatus.ACCEPTED:
        answer["headers"] = {"Location": {"schema": {"type": "string"}, "description": "Where to follow the job"}}
    described: dict[str, Any] = {
        "operationId": found.name,
        "summary": found.summary,
        "description": " ".join(found.description.split()),
        "tags": [found.group],
        "parameters": [*_parameters(found.path_model, "path"), *_parameters(found.query_model, "query")],
        "responses": {str(found.status): answer, **{str(status): _error(status, names) for status in _errors(found)}},
    }
    if found.writes:
        described["security"] = [{"bearer": []}, {"key": []}]
    if found.body:
        line = '{"id": "recipe-17", "tags": ["tomato", "basil"]}\n'
        described["requestBody"] = {
            "required": True,
            "content": {media: {"schema": {"type": "string"}, "example": line} for media in found.body},
        }
    return described


def _content(found: Operation, names: Any) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for media, kind in found.media.items():
        if kind is None:
            content[media] = {"schema": {"type": "string"}}
            continue
        kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
        schemas = [names[one, "serialization"] for one in kinds]
        content[media] = {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}
        if kind in EXAMPLES:
            content[media]["example"] = EXAMPLES[kind]
    return content


def _errors(found: Operation) -> list[int]:
    """RegisteredCorpus errors, those that any request may meet, and those of having parameters."""
    always = {429, 500} if found.group != "health" else {500}
    checked = {422} if found.path_model is not None or found.query_model.model_fields else set()
    return sorted({*found.errors, *always, *checked, 422})


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


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """In a query string a parameter is left out, not null."""
    if "anyOf" not in schema:
        return schema
    (kind,) = [choice for choice in schema["anyOf"] if choice.get("type") != "null"]
    return dict(kind)
