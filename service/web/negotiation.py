"""HTTP responses to answers: content coding, strong ETags, 304, and cache lifetimes."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import orjson
from werkzeug.http import parse_accept_header, parse_etags

from service.response_cache import SMALLEST, CachedResponse, Coding
from service.web.http import Headers, HttpResponse

FRESH: Final = "max-age=5, stale-while-revalidate=30, stale-if-error=86400"
"""A new snapshot reaches all clients within seconds; meanwhile caches may serve the old answer."""

NEVER: Final = "no-cache"

QUICKLY_CODED: Final = 32_768
"""Bytes; a body of this size takes about a millisecond to compress."""


def fingerprint(folder: Path) -> bytes:
    """A digest of the modules in a folder, because other code may give another answer."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


CODE: Final = fingerprint(Path(__file__).parents[1])


def encode_answer(answer: Any, edition: str, question: bytes) -> CachedResponse:
    """An answer as JSON, or bytes that are encoded already, with its ETag."""
    tag = etag(edition, question)
    if isinstance(answer, CachedResponse):
        return CachedResponse(answer.body, tag, answer.mimetype)
    return CachedResponse(orjson.dumps(answer), tag)


def etag(edition: str, question: bytes) -> str:
    """A strong ETag: the version with its revision, and a digest of the question and of the code that answers it."""
    return f"{edition}-{hashlib.blake2b(question, digest_size=8, key=CODE).hexdigest()}"


def coding_for(answer: CachedResponse, headers: Mapping[str, str]) -> Coding:
    """The content coding of an answer for a client."""
    if len(answer.body) < SMALLEST or answer.mimetype == "image/png":  # compressed already
        return "identity"
    return preferred(headers.get("accept-encoding", ""))


def is_coded(answer: CachedResponse, headers: Mapping[str, str]) -> bool:
    """Whether the answer is there in the coding for a client, or takes hardly any time to compress."""
    return len(answer.body) <= QUICKLY_CODED or answer.has(coding_for(answer, headers))


def negotiate(answer: CachedResponse, caching: str, headers: Mapping[str, str]) -> HttpResponse:
    """The answer in the coding that the client prefers; 304 if it has the answer already."""
    coding = coding_for(answer, headers)
    tag = answer.tag if coding == "identity" else f"{answer.tag}-{coding}"
    response: Headers = {"ETag": f'"{tag}"', "Cache-Control": caching, "Vary": "Accept-Encoding"}
    known = headers.get("if-none-match")
    if known is not None and matches(known, tag):
        return HttpResponse(304, response, b"")
    if coding != "identity":
        response["Content-Encoding"] = coding
    response["Content-Type"] = answer.mimetype
    return HttpResponse(200, response, answer.coded(coding))


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
