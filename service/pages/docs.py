"""The description of the API, for machines at /openapi.json and for people at /docs, without any script."""

import re
from collections.abc import Iterable
from typing import Any

import orjson
from flask import Blueprint
from markupsafe import Markup, escape

from service.api.routing import Operation
from service.pages.frame.frame import PAGES
from service.pages.frame.renderer import Renderer
from service.web.flask_app import reply
from service.web.http import HttpResponse
from service.web.negotiation import encode_answer

CACHING = "public, max-age=300"


def docs_blueprint(document: dict[str, Any], operations: Iterable[Operation], renderer: Renderer) -> Blueprint:
    """The blueprint of both paths; that of the page only if it is served."""
    docs = Blueprint("docs", __name__)
    answer = encode_answer(document, "openapi", b"")
    examples = {operation.name: operation.example for operation in operations}

    @docs.get("/openapi.json")
    def openapi() -> HttpResponse:
        return reply(answer, CACHING)

    def page() -> HttpResponse:
        response = renderer.render(
            "docs.html",
            200,
            frame=renderer.frame("docs", ""),
            document=document,
            examples=examples,
            pretty=_pretty,
            kind=_kind,
            coded=_mark_code,
        )
        response.headers["Cache-Control"] = CACHING
        return response

    if renderer.serves("docs"):
        docs.add_url_rule(PAGES["docs"].path, endpoint="docs", view_func=page)
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
