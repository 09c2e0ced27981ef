"""An answer as HTTP: content coding, strong validators, 304, and how long caches may keep it."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import orjson
from flask import Response, request
from werkzeug.http import parse_accept_header, parse_etags

from service.response_cache import SMALLEST, CachedResponse, Coding

FRESH: Final = "max-age=5, stale-while-revalidate=30, stale-if-error=86400"
"""A new snapshot reaches everybody within seconds; meanwhile caches may answer with what they have."""

NEVER: Final = "no-cache"


def fingerprint(folder: Path) -> bytes:
    """A digest of the modules in a folder: other code may word an answer otherwise."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


CODE: Final = fingerprint(Path(__file__).parent)


def encoded(answer: Any, version: str, asked: bytes) -> CachedResponse:
    """An answer as JSON, or bytes that are encoded already, with its validator."""
    tag = validator(version, asked)
    if isinstance(answer, CachedResponse):
        return CachedResponse(answer.body, tag, answer.mimetype)
    return CachedResponse(orjson.dumps(answer), tag)


def validator(version: str, asked: bytes) -> str:
    """A strong ETag: the version, and a digest of what was asked and of the code that answers."""
    return f"{version}-{hashlib.blake2b(asked, digest_size=8, key=CODE).hexdigest()}"


def negotiated(
    answer: CachedResponse, caching: str, environ: dict[str, Any]
) -> tuple[int, list[tuple[str, str]], bytes]:
    """Status, headers and body: in the coding that the client prefers, or 304 if it has the answer already."""
    coding: Coding = "identity"
    if len(answer.body) >= SMALLEST and answer.mimetype != "image/png":  # compressed already
        coding = preferred(environ.get("HTTP_ACCEPT_ENCODING", ""))
    tag = answer.tag if coding == "identity" else f"{answer.tag}-{coding}"
    headers = [("ETag", f'"{tag}"'), ("Cache-Control", caching), ("Vary", "Accept-Encoding")]
    asked = environ.get("HTTP_IF_NONE_MATCH")
    if asked is not None and matches(asked, tag):
        return 304, headers, b""
    if coding != "identity":
        headers.append(("Content-Encoding", coding))
    headers.append(("Content-Type", answer.mimetype))
    return 200, headers, answer.coded(coding)


def reply(answer: CachedResponse, caching: str) -> Response:
    """The same as Flask's response."""
    status, headers, body = negotiated(answer, caching, request.environ)
    response = Response(body, status, headers)
    if status == 304:
        del response.headers["Content-Type"]
    return response


def matches(asked: str, tag: str) -> bool:
    """Whether If-None-Match names a tag, compared weakly (RFC 9110): W/ makes no difference."""
    return parse_etags(asked.strip()).contains_weak(tag)


@lru_cache(maxsize=256)
def preferred(accepted: str) -> Coding:
    """The best content coding that an Accept-Encoding header allows; brotli before gzip if equally welcome."""
    welcome = parse_accept_header(accepted)
    br, gzip, identity = (welcome.quality(coding) for coding in ("br", "gzip", "identity"))
    if max(br, gzip) <= 0 or max(br, gzip) < identity:
        return "identity"
    return "br" if br >= gzip else "gzip"
