"""Dates of documents: ISO, epochs, years, dates of mail; and what is no date."""

from datetime import UTC, datetime

import pytest

from snapshot import Card
from snapshot.version.documents.dates import NO_DATE, date_in, date_of_card, parse_date, shown_date


def at(*parts):
    return int(datetime(*parts, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-05-01", at(2024, 5, 1)),
        ("2024/5/1", at(2024, 5, 1)),
        ("2024-05", at(2024, 5, 1)),
        ("2024", at(2024, 1, 1)),
        (2024, at(2024, 1, 1)),
        (2024.0, at(2024, 1, 1)),
        ("2024-05-01T12:30:00Z", at(2024, 5, 1, 12, 30)),
        ("2024-05-01 14:30:00+02:00", at(2024, 5, 1, 12, 30)),
        ("2024-05-01T12:30:00.250", at(2024, 5, 1, 12, 30)),
        (1714566600, at(2024, 5, 1, 12, 30)),
        ("1714566600", at(2024, 5, 1, 12, 30)),
        (1714566600000, at(2024, 5, 1, 12, 30)),
        ("Wed, 01 May 2024 12:30:00 GMT", at(2024, 5, 1, 12, 30)),
        ("1066-10-14", at(1066, 10, 14)),
    ],
)
def test_a_date_is_recognised(value, expected):
    assert parse_date(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "",
        "soon",
        "2024-13-01",
        "2024-02-30",
        17,
        "17",
        float("nan"),
        float("inf"),
        1e30,
        [],
        "99999999999999999",
    ],
)
def test_what_is_no_date_is_none(value):
    assert parse_date(value) is None


def test_the_first_field_that_has_a_date_wins():
    assert date_in({"year": 1999, "created": "2024-05-01", "date": "unknown"}) == at(2024, 5, 1)
    assert date_in({"pages": 2024}) is None


def test_the_date_of_a_card():
    assert date_of_card(Card("A title", fields={"date": "2024-05-01"}).encode()) == at(2024, 5, 1)
    for card in (Card("2024}]"), Card("x", fields={"pages": 3}), Card()):
        assert date_of_card(card.encode()) == NO_DATE


def test_a_date_is_shown_with_its_time_unless_it_is_midnight():
    assert shown_date(at(2024, 5, 1)) == "2024-05-01"
    assert shown_date(at(2024, 5, 1, 12, 30)) == "2024-05-01T12:30:00Z"
    assert shown_date(at(1066, 10, 14)) == "1066-10-14"
