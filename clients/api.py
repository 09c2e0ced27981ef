"""What the API offers, as plain nouns, read from openapi.json: the shapes of its answers and the calls one can make."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from redis import Redis

from service.api.openapi import JSON, openapi_document
from service.app import create_gateway
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from snapshot import SnapshotStore, StatusBoard

Schema = dict[str, Any]
"""A JSON schema, as openapi.json writes it."""

REF: Final = "$ref"


@dataclass(frozen=True)
class Field:
    """One field of an answer."""

    name: str
    schema: Schema
    required: bool


@dataclass(frozen=True)
class Shape:
    """An answer, or an object inside one."""

    name: str
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a call, in its path, its query or its header."""

    name: str
    schema: Schema
    required: bool
    description: str

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name, for languages that join them in their own way: If-Match → if, match."""
        return tuple(self.name.lower().replace("-", "_").split("_"))


@dataclass(frozen=True)
class Call:
    """One method of one path."""

    name: str
    method: str
    path: str
    summary: str
    in_path: tuple[Parameter, ...]
    in_query: tuple[Parameter, ...]
    in_header: tuple[Parameter, ...]
    body: str | None
    """The media type of its body."""

    answer: Schema | str
    """The schema of a JSON answer, or the media type of another."""


@dataclass(frozen=True)
class Api:
    """All of it, shapes before those that hold them or after: in the order of their names."""

    shapes: tuple[Shape, ...]
    calls: tuple[Call, ...]


def described() -> Schema:
    """openapi.json as the service would serve it. No store is asked."""
    redis = Redis()
    live = LiveSnapshots(SnapshotStore(redis), StatusBoard(redis))
    return openapi_document(create_gateway(live, redis, ServiceSettings(), Metrics()).api)


def read(document: Schema) -> Api:
    """The shapes and calls of a description."""
    shapes = tuple(_shape(name, schema) for name, schema in sorted(document["components"]["schemas"].items()))
    return Api(shapes, tuple(_calls(document["paths"])))


def _shape(name: str, schema: Schema) -> Shape:
    required = set(schema.get("required", ()))
    fields = (Field(field, kind, field in required) for field, kind in schema["properties"].items())
    return Shape(name, schema.get("description", ""), tuple(fields))


def _calls(paths: dict[str, dict[str, Schema]]) -> Iterator[Call]:
    for path, methods in paths.items():
        for method, operation in methods.items():
            answer = _answer(operation)
            one_format = isinstance(answer, str) or len(_content(operation)) == 1
            yield Call(
                name=_name(operation),
                method=method.upper(),
                path=path,
                summary=operation["summary"],
                in_path=tuple(_parameters(operation, "path")),
                in_query=tuple(each for each in _parameters(operation, "query") if one_format or each.name != "format"),
                in_header=tuple(_parameters(operation, "header")),
                body=next(iter(operation.get("requestBody", {}).get("content", {})), None),
                answer=answer,
            )


def _name(operation: Schema) -> str:
    """The operation's id, without the method where it changes nothing."""
    name: str = operation["operationId"]
    if operation.get("security"):
        return name
    return name.removeprefix("get_").removeprefix("post_")


def _content(operation: Schema) -> dict[str, Schema]:
    (content,) = (answer["content"] for status, answer in operation["responses"].items() if status.startswith("2"))
    return dict(content)


def _answer(operation: Schema) -> Schema | str:
    """JSON where there is a choice; of several JSON answers the first, which is the one without `format`."""
    content = _content(operation)
    if JSON not in content:
        return next(iter(content))
    schema: Schema = content[JSON]["schema"]
    return dict(schema.get("anyOf", [schema])[0])


def _parameters(operation: Schema, place: str) -> Iterator[Parameter]:
    for each in operation["parameters"]:
        if each["in"] == place:
            yield Parameter(each["name"], each["schema"], each["required"], each["description"])
