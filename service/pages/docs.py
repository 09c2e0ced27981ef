"""The description of the API, for machines at /openapi.json and for people at /docs, without any script."""

import re
from collections.abc import Iterable
from typing import Any

import orjson
from flask import Blueprint, render_template
from markupsafe import Markup, escape

from service.api.routing import Operation
from service.pages.frame.frame import PAGES, Frame
from service.pages.frame.renderer import HTML
from service.web.flask_app import reply
from service.web.http import HttpResponse
from service.web.negotiation import encode_answer

CACHING = "public, max-age=300"


def docs_blueprint(document: dict[str, Any], operations: Iterable[Operation]) -> Blueprint:
    """The blueprint of both paths."""
    docs = Blueprint("docs", __name__)
    answer = encode_answer(document, "openapi", b"")
    examples = {operation.name: operation.example for operation in operations}

    @docs.get("/openapi.json")
    def openapi() -> HttpResponse:
        return reply(answer, CACHING)

    @docs.get(PAGES["docs"].path, endpoint="docs")
    def page() -> HttpResponse:
        html = render_template(
            "docs.html",
            frame=Frame(PAGES["docs"]),
            document=document,
            examples=examples,
            pretty=_pretty,
            kind=_kind,
            coded=_mark_code,
        )
        return HttpResponse(200, {"Content-Type": HTML, "Cache-Control": CACHING}, html.encode())

    return docs


def _mark_code(text: str) -> Markup:
    """Turn text between backticks into code elements."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped before


def _pretty(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _kind(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(_kind(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", "anything"))
