"""Cards: which values are shown, and which are refused with a reason."""

import datetime as dt
from decimal import Decimal

import pytest

from snapshot import Card, parse_card
from snapshot.version.documents.cards import LONGEST_TITLE, LONGEST_VALUE, check_base_url, decode_card


def url_of(text, base_url=None):
    card = parse_card(None, text, None, {}, base_url)
    return card and card.url


@pytest.mark.parametrize(
    ("text", "base_url", "url"),
    [
        ("https://example.org/a?b#c", None, "https://example.org/a?b#c"),
        (" http://example.org/a b ", None, "http://example.org/a%20b"),
        ("7.html", "https://example.org/docs/", "https://example.org/docs/7.html"),
        ("/7.html", "https://example.org/docs/", "https://example.org/7.html"),
        ("7.svg", "/icons/", "/icons/7.svg"),
        ("http://other.org/7", "/icons/", "http://other.org/7"),
        ("größe/7", "/icons/", "/icons/größe/7"),
        ("", None, None),
        (None, None, None),
    ],
)
def test_a_url_is_http_or_relative_to_the_base(text, base_url, url):
    assert url_of(text, base_url) == url


@pytest.mark.parametrize("base_url", [None, "https://example.org/", "/icons/"])
@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "java\tscript:alert(1)",
        "data:image/svg+xml,<svg/>",
        "ftp://example.org/a",
        "mailto:me@example.org",
        "//example.org/a",
        "/\\example.org/a",
        "http:",
        "http:///a",
        "http://[::1",
        7,
        "https://example.org/" + "a" * 5000,
    ],
)
def test_any_other_url_is_refused_whatever_the_base(text, base_url):
    with pytest.raises(ValueError, match="the url"):
        url_of(text, base_url)


def test_a_relative_url_without_a_base_is_refused():
    with pytest.raises(ValueError, match=r"'7\.html' is relative, and no base_url is declared"):
        url_of("7.html")
    with pytest.raises(ValueError, match=r"the image '7\.png' is relative"):
        parse_card(None, None, "7.png", {}, None)


@pytest.mark.parametrize("text", ["example.org", "//example.org/", "javascript:", "/a\\b", "ftp://example.org", ""])
def test_a_base_is_a_url_or_a_path(text):
    with pytest.raises(ValueError, match="is neither an http or https URL nor a path"):
        check_base_url(text)


def test_titles_and_fields_are_text_or_numbers():
    values = {"year": 1999, "price": Decimal("1.50"), "on": dt.date(2026, 11, 18), "empty": "", "none": None}
    card = parse_card("  Two \n lines ", None, None, values, None)
    assert card == Card("Two lines", None, None, {"year": 1999, "price": "1.50", "on": "2026-11-18"})
    for title, fields in ((["a"], {}), (True, {}), ("a" * (LONGEST_TITLE + 1), {}), (None, {"f": [1]})):
        with pytest.raises(ValueError, match=r"title|field"):
            parse_card(title, None, None, fields, None)
    with pytest.raises(ValueError, match='the field "f" has more than'):
        parse_card(None, None, None, {"f": "a" * (LONGEST_VALUE + 1)}, None)


def test_a_card_with_nothing_to_show_is_none():
    assert parse_card(" ", "", None, {"a": None}, None) is None


@pytest.mark.parametrize(
    "card", [Card(), Card("a"), Card(image="http://a/b"), Card("ü", "http://a/", fields={"n": 1, "t": "x", "b": False})]
)
def test_what_is_decoded_is_what_was_encoded(card):
    assert decode_card(card.encode()) == card
