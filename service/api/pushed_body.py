"""The documents of a pushed body, read one after another: they are never all in memory at once."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import orjson

from service.errors import WrongLines
from snapshot import PushedDocument, parse_card
from snapshot.version.documents.cards import MOST_FIELDS
from snapshot.version.documents.dates import parse_date
from snapshot.version.limits import LONGEST_ID, LONGEST_LABEL, LONGEST_TAG
from tagmodel.language.words import LONGEST_TEXT

SHOWN_FAULTS: Final = 100
MOST_TAGS: Final = 1000
"""Tags of a document."""

CARD: Final = ("title", "url", "image", "fields", "text")
DECODER: Final = json.JSONDecoder()
SPACE: Final = re.compile(r"[ \t\n\r]*")


class CheckedBody(NamedTuple):
    """A body without faults: how many documents it has, and the first of them."""

    total: int
    first: list[PushedDocument]


def check_body(body: bytes, base_url: str | None = None, *, first: int = 1000) -> CheckedBody:
    """Look at every document of a body; WrongLines with the first faults if there are any."""
    found: list[PushedDocument] = []
    faults: list[tuple[int, str]] = []
    count = wrong = 0
    for number, record in _records(body):
        count += 1
        try:
            document = parse_document(orjson.loads(record), base_url)
            if len(found) < first:
                found.append(document)
        except ValueError as error:
            wrong += 1
            if len(faults) < SHOWN_FAULTS:
                faults.append((number, str(error)))
    if wrong:
        parts = "elements" if _is_array(body) else "lines"
        raise WrongLines(f"{wrong} of {count} {parts} are no documents; nothing was kept", faults)
    if not count:
        raise WrongLines("there is no document in the body", [])
    return CheckedBody(count, found)


def documents_in(body: bytes) -> Iterator[PushedDocument]:
    """The documents of a body that was checked."""
    return (_document(orjson.loads(record)) for _, record in _records(body))


def parse_document(record: Any, base_url: str | None = None) -> PushedDocument:
    """Return one document, or raise ValueError."""
    if not isinstance(record, dict):
        raise ValueError("not an object")  # noqa: TRY004 - a bad line is a value, whatever its type
    if unknown := record.keys() - {"id", "tags", "label", "date", *CARD}:
        raise ValueError(f"unknown field {min(unknown)!r}")
    name, tags, label = record.get("id"), record.get("tags"), record.get("label")
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_ID:
        raise ValueError(f'"id" is not a text of 1 to {LONGEST_ID} characters')
    if not isinstance(tags, list) or len(tags) > MOST_TAGS:
        raise ValueError(f'"tags" is not a list of at most {MOST_TAGS}')
    if not all(isinstance(tag, str) and len(tag) <= LONGEST_TAG for tag in tags):
        raise ValueError(f'"tags" has one that is not a text of at most {LONGEST_TAG} characters')
    if label is not None and not (isinstance(label, str) and len(label) <= LONGEST_LABEL):
        raise ValueError(f'"label" is not a text of at most {LONGEST_LABEL} characters')
    document = _document(record)
    _check_card(record, document, base_url)
    return document


def _check_card(record: dict[str, Any], document: PushedDocument, base_url: str | None) -> None:
    """ValueError with what is wrong with what people see of a document, or with its text."""
    card, declared = document.card, record.get("fields") or {}
    if (
        not isinstance(declared, dict)
        or len(declared) > MOST_FIELDS
        or not all(len(key) <= LONGEST_TAG for key in declared)
    ):
        raise ValueError(f'"fields" is not an object of at most {MOST_FIELDS} texts and numbers')
    if not isinstance(card.get("text", ""), str) or len(card.get("text", "")) > LONGEST_TEXT:
        raise ValueError(f'"text" is not a text of at most {LONGEST_TEXT} characters')
    if record.get("date") is not None and parse_date(record["date"]) is None:
        raise ValueError('"date" is no date: an ISO date, seconds since the epoch, or a year')
    parse_card(card.get("title"), card.get("url"), card.get("image"), card.get("fields", {}), base_url)


def _document(record: dict[str, Any]) -> PushedDocument:
    card = {key: record[key] for key in CARD if record.get(key) is not None}
    if record.get("date") is not None and isinstance(fields := card.get("fields", {}), dict):
        card["fields"] = {"date": record["date"], **fields}
    return PushedDocument(record["id"], record["tags"], record.get("label"), card)


def _is_array(body: bytes) -> bool:
    return re.match(rb"\s*\[", body) is not None


def _records(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The records of a body as JSON, with their numbers from 1: the elements of an array, or the lines."""
    return _elements(body) if _is_array(body) else _lines(body)


def _lines(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a body that are not blank."""
    start, number = 0, 0
    while start < len(body):
        end = body.find(b"\n", start)
        end = len(body) if end < 0 else end
        number += 1
        if line := body[start:end].strip():
            yield number, line
        start = end + 1


def _elements(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The elements of a body that is a JSON array; WrongLines if it is none."""
    number, place = 0, 0
    try:
        text = body.decode()
        place = _skip(text, _skip(text, 0) + 1)
        while text[place : place + 1] != "]":
            if number:
                place = _skip(text, _expect(text, place, ","))
            _, end = DECODER.raw_decode(text, place)
            number += 1
            yield number, text[place:end].encode()
            place = _skip(text, end)
        _expect(text, _skip(text, place + 1), "")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise WrongLines("the body is no JSON array", [(line, "str is not valid UTF-8")]) from error
    except json.JSONDecodeError as error:
        raise WrongLines("the body is no JSON array", [(error.lineno, error.msg)]) from error
    except RecursionError as error:
        line = text.count("\n", 0, place) + 1
        raise WrongLines("the body is no JSON array", [(line, "nested too deeply")]) from error


def _skip(text: str, place: int) -> int:
    found = SPACE.match(text, place)
    return place if found is None else found.end()


def _expect(text: str, place: int, mark: str) -> int:
    """The place after a mark; no mark is the end of the text."""
    if text[place : place + 1] != mark:
        raise json.JSONDecodeError(f"expected {mark!r} or ']'" if mark else "more after the array", text, place)
    return place + 1
