"""Cards: what people see of a document beside its tags, and the rules that worker and service check its values by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from typing import Final
from urllib.parse import urljoin, urlsplit
from uuid import UUID

import orjson

Value = str | int | float | bool

LONGEST_TITLE: Final = 1_000
LONGEST_URL: Final = 4_000
LONGEST_VALUE: Final = 10_000
"""Characters of a title, of a URL and of the value of a field."""

MOST_FIELDS: Final = 20

FORBIDDEN: Final = re.compile(r"[\x00-\x1f\x7f\\]")
"""Browsers drop control characters from a URL and read a backslash as a slash, so its scheme or host may be another."""


ORIGIN: Final = re.compile(r"https?://(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?")
"""Scheme, host and perhaps a port; nothing that could end a header or begin another rule of it."""


@dataclass(frozen=True, slots=True)
class Card:
    """What people see of a document: all of it is optional."""

    title: str | None = None
    url: str | None = None
    image: str | None = None
    fields: Mapping[str, Value] = field(default_factory=dict)
    text: str | None = None
    """What a run learns tags from, beside the title. Nobody sees it, and no version stores it."""

    def encode(self) -> bytes:
        """The card as a JSON list: title, URL, image, fields, not the text; what is missing at its end is left out."""
        values: list[object] = [self.title, self.url, self.image, dict(self.fields) or None]
        while values and values[-1] is None:
            values.pop()
        return orjson.dumps(values) if values else b""


NO_CARD: Final = Card()


def decode_card(record: bytes) -> Card:
    """The card that was encoded."""
    if not record:
        return NO_CARD
    title, url, image, fields = [*orjson.loads(record), None, None, None, None][:4]
    return Card(title, url, image, fields or {})


def parse_card(
    title: object, url: object, image: object, fields: Mapping[str, object], base_url: str | None
) -> Card | None:
    """The card of one document; None if it has nothing to show. ValueError says what is wrong with which value."""
    parsed = Card(
        _parse_title(title),
        _parse_url("url", url, base_url),
        _parse_url("image", image, base_url),
        {name: value for name, raw in fields.items() if (value := _parse_value(name, raw)) is not None},
    )
    return None if parsed == NO_CARD else parsed


def image_origin(url: str) -> str | None:
    """The origin of an image as browsers compare it, such as https://images.example.org; None for a path of our own."""
    if not _is_web_url(url):
        return None
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()
    return origin if ORIGIN.fullmatch(origin) else None


def check_base_url(text: str) -> str:
    """An http or https URL, or a path of the service's own host; ValueError if it is neither."""
    if FORBIDDEN.search(text) or not (_is_web_url(text) or (text.startswith("/") and not text.startswith("//"))):
        raise ValueError(f"{text!r} is neither an http or https URL nor a path such as '/images/'")
    return text


def _parse_title(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("the title is not text")  # noqa: TRY004 - a bad line is a value, whatever its type
    text = " ".join(str(value).split())
    if len(text) > LONGEST_TITLE:
        raise ValueError(f"the title has more than {LONGEST_TITLE} characters")
    return text or None


def _parse_url(what: str, value: object, base_url: str | None) -> str | None:
    """An http or https URL; a relative one is joined to the base."""
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ValueError(f"the {what} is not text")  # noqa: TRY004 - as above
    text = value.strip().replace(" ", "%20")
    if len(text) > LONGEST_URL:
        raise ValueError(f"the {what} has more than {LONGEST_URL} characters")
    if FORBIDDEN.search(text):
        raise ValueError(f"the {what} {_shown(text)} has a control character or a backslash")
    if _is_web_url(text):
        return text
    if _has_scheme_or_host(text):
        raise ValueError(f"the {what} {_shown(text)} is neither http nor https")
    if base_url is None:
        raise ValueError(f"the {what} {_shown(text)} is relative, and no base_url is declared")
    joined = urljoin(base_url, text)
    if joined.startswith("//"):
        raise ValueError(f"the {what} {_shown(text)} names another host")
    return joined


def _is_web_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False


def _has_scheme_or_host(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return True
    return bool(parts.scheme) or text.startswith("//")


def _parse_value(name: str, value: object) -> Value | None:
    if value is None or value == "":
        return None
    if isinstance(value, date | time | Decimal | UUID):  # as databases give them
        value = str(value)
    if not isinstance(value, str | int | float):
        raise ValueError(f'the field "{name}" is neither text nor a number')  # noqa: TRY004 - as above
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        raise ValueError(f'the field "{name}" has more than {LONGEST_VALUE} characters')
    return value


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
