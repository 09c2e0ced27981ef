"""An answer as HTTP: content coding, strong validators, 304, and how long caches may keep it."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import orjson
from flask import Response, request

from service.remembering import SMALLEST, Coding, Encoded

FRESH: Final = "max-age=5, stale-while-revalidate=30, stale-if-error=86400"
"""A new snapshot reaches everybody within seconds; meanwhile caches may answer with what they have."""

NEVER: Final = "no-cache"


def fingerprint(folder: Path) -> bytes:
    """A digest of the modules in a folder: other code may word an answer otherwise."""
    found = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.glob("*.py")):
        found.update(path.read_bytes())
    return found.digest()


CODE: Final = fingerprint(Path(__file__).parent)


def encoded(answer: Any, version: str, asked: bytes) -> Encoded:
    """An answer as JSON, or bytes that are encoded already, with its validator."""
    tag = validator(version, asked)
    if isinstance(answer, Encoded):
        return Encoded(answer.body, tag, answer.mimetype)
    return Encoded(orjson.dumps(answer), tag)


def validator(version: str, asked: bytes) -> str:
    """A strong ETag: the version, and a digest of what was asked and of the code that answers."""
    return f"{version}-{hashlib.blake2b(asked, digest_size=8, key=CODE).hexdigest()}"


def represented(answer: Encoded, caching: str, environ: dict[str, Any]) -> tuple[int, list[tuple[str, str]], bytes]:
    """Status, headers and body: in the coding that the client prefers, or 304 if it has the answer already."""
    coding: Coding = "identity"
    if len(answer.body) >= SMALLEST and answer.mimetype != "image/png":  # compressed already
        coding = preferred(environ.get("HTTP_ACCEPT_ENCODING", ""))
    tag = f'"{answer.tag}"' if coding == "identity" else f'"{answer.tag}-{coding}"'
    headers = [("ETag", tag), ("Cache-Control", caching), ("Vary", "Accept-Encoding")]
    asked = environ.get("HTTP_IF_NONE_MATCH")
    if asked is not None and matches(asked, tag):
        return 304, headers, b""
    if coding != "identity":
        headers.append(("Content-Encoding", coding))
    headers.append(("Content-Type", answer.mimetype))
    return 200, headers, answer.coded(coding)


def reply(answer: Encoded, caching: str) -> Response:
    """The same as Flask's response."""
    status, headers, body = represented(answer, caching, request.environ)
    response = Response(body, status, headers)
    if status == 304:
        del response.headers["Content-Type"]
    return response


def matches(asked: str, tag: str) -> bool:
    """If-None-Match compares weakly (RFC 9110): W/ does not matter."""
    return asked.strip() == "*" or tag in (part.strip().removeprefix("W/") for part in asked.split(","))


@lru_cache(maxsize=256)
def preferred(accepted: str) -> Coding:
    """The best content coding that an Accept-Encoding header allows; brotli before gzip if equally welcome."""
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, _, parameter = part.partition(";")
        weights[name.strip()] = _weight(parameter)
    best = max(("br", "gzip"), key=lambda name: weights.get(name, weights.get("*", 0.0)))
    weight = weights.get(best, weights.get("*", 0.0))
    if weight <= 0 or weight < weights.get("identity", 0.0):
        return "identity"
    return "br" if best == "br" else "gzip"


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
