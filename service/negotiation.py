"""HTTP responses to answers: content coding, strong ETags, 304, and cache lifetimes."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import orjson
from flask import Response, request
from werkzeug.http import parse_accept_header, parse_etags

from service.response_cache import SMALLEST, CachedResponse, Coding

FRESH: Final = "max-age=5, stale-while-revalidate=30, stale-if-error=86400"
"""A new snapshot reaches all clients within seconds; meanwhile caches may serve the old answer."""

NEVER: Final = "no-cache"


def fingerprint(folder: Path) -> bytes:
    """A digest of the modules in a folder, because other code may give another answer."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


CODE: Final = fingerprint(Path(__file__).parent)


def encode_answer(answer: Any, version: str, question: bytes) -> CachedResponse:
    """An answer as JSON, or bytes that are encoded already, with its ETag."""
    tag = etag(version, question)
    if isinstance(answer, CachedResponse):
        return CachedResponse(answer.body, tag, answer.mimetype)
    return CachedResponse(orjson.dumps(answer), tag)


def etag(version: str, question: bytes) -> str:
    """A strong ETag: the version, and a digest of the question and of the code that answers it."""
    return f"{version}-{hashlib.blake2b(question, digest_size=8, key=CODE).hexdigest()}"


def negotiate(
    answer: CachedResponse, caching: str, environ: dict[str, Any]
) -> tuple[int, list[tuple[str, str]], bytes]:
    """Status, headers and body, in the coding that the client prefers; 304 if it has the answer already."""
    coding: Coding = "identity"
    if len(answer.body) >= SMALLEST and answer.mimetype != "image/png":  # compressed already
        coding = preferred(environ.get("HTTP_ACCEPT_ENCODING", ""))
    tag = answer.tag if coding == "identity" else f"{answer.tag}-{coding}"
    headers = [("ETag", f'"{tag}"'), ("Cache-Control", caching), ("Vary", "Accept-Encoding")]
    known = environ.get("HTTP_IF_NONE_MATCH")
    if known is not None and matches(known, tag):
        return 304, headers, b""
    if coding != "identity":
        headers.append(("Content-Encoding", coding))
    headers.append(("Content-Type", answer.mimetype))
    return 200, headers, answer.coded(coding)


def reply(answer: CachedResponse, caching: str) -> Response:
    """The same as a Flask response."""
    status, headers, body = negotiate(answer, caching, request.environ)
    response = Response(body, status, headers)
    if status == 304:
        del response.headers["Content-Type"]
    return response


def matches(header: str, tag: str) -> bool:
    """Whether If-None-Match names a tag, compared weakly (RFC 9110): W/ makes no difference."""
    return parse_etags(header.strip()).contains_weak(tag)


@lru_cache(maxsize=256)
def preferred(accepted: str) -> Coding:
    """The best content coding that an Accept-Encoding header allows; brotli before gzip at equal quality."""
    accept = parse_accept_header(accepted)
    br, gzip, identity = (accept.quality(coding) for coding in ("br", "gzip", "identity"))
    if max(br, gzip) <= 0 or max(br, gzip) < identity:
        return "identity"
    return "br" if br >= gzip else "gzip"
