"""Dates of documents: recognised among the fields of a card, as seconds since the epoch."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import orjson

DATE_FIELDS: Final = ("date", "published", "created", "time", "year")
"""The fields that may hold the date of a document, the first that has one wins."""

NO_DATE: Final = -(2**63)
"""In an array of dates, a document that has none."""

LATEST: Final = 253_402_300_799
"""The last second of the year 9999."""

EARLIEST: Final = -62_135_596_800
"""The first second of the year 1."""

MILLISECONDS_FROM: Final = 100_000_000_000
"""A number from here on counts milliseconds: as seconds it would be after the year 5138."""

PARTS: Final = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
NUMBER: Final = re.compile(r"-?\d{5,16}(\.\d*)?")


def parse_date(value: object) -> int | None:
    """Seconds since the epoch of an ISO date, an epoch in seconds or milliseconds, or a year; None if it is no date.

    A date without a time is the midnight that begins it, in UTC; a year begins on the first of January.

    >>> parse_date("1970-01-02"), parse_date(86400), parse_date("1970")
    (86400, 86400, 0)
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _from_number(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if parts := PARTS.fullmatch(text):
        year, month, day = (int(part or 1) for part in parts.groups())
        return _seconds(lambda: datetime(year, month, day, tzinfo=UTC))
    if NUMBER.fullmatch(text):
        return _from_number(float(text))
    found = _seconds(lambda: _in_utc(datetime.fromisoformat(text)))
    return _seconds(lambda: _in_utc(parsedate_to_datetime(text))) if found is None else found


def date_in(fields: Mapping[str, object]) -> int | None:
    """The date among the fields of a card."""
    for name in DATE_FIELDS:
        if name in fields and (found := parse_date(fields[name])) is not None:
            return found
    return None


def date_of_card(card: bytes) -> int:
    """The date of an encoded card, NO_DATE if it has none."""
    if not card.endswith(b"}]"):
        return NO_DATE  # it has no fields
    found = date_in(orjson.loads(card)[3] or {})
    return NO_DATE if found is None else found


def shown_date(seconds: int) -> str:
    """A date as answers give it: ISO, with the time unless it is midnight."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.date().isoformat() if seconds % 86400 == 0 else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _from_number(number: float) -> int | None:
    if number != number or abs(number) == float("inf"):  # noqa: PLR0124 - NaN
        return None
    if number == int(number) and 1000 <= number <= 9999:
        return int(datetime(int(number), 1, 1, tzinfo=UTC).timestamp())
    seconds = int(number / 1000 if abs(number) >= MILLISECONDS_FROM else number)
    return seconds if EARLIEST <= seconds <= LATEST and abs(number) > 9999 else None


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _seconds(moment: Callable[[], datetime]) -> int | None:
    try:
        return int(moment().timestamp())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
