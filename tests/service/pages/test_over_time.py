"""What pages show of time: what is rising, the course of a concept, dates on cards; nothing of it without dates."""

import re
from datetime import timedelta

import pytest
from defusedxml import ElementTree

from service.app import create_gateway
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from snapshot import PushedDocument, PushedDocuments
from tests.service.api.test_trends import NEWEST, stream
from tests.service.asking import Served

__all__ = ["stream"]


@pytest.fixture
def page(stream, redis):
    client = Served(create_gateway(stream, redis, ServiceSettings(), Metrics())).test_client()

    def show(address):
        answer = client.get(address)
        assert answer.status_code == 200, answer.text
        return answer.text

    return show


def section(html, kind):
    found = re.search(rf'<section class="{kind}".*?</section>', html, re.DOTALL)
    return found and found[0]


def test_the_first_page_shows_what_is_rising_and_leads_there(page, stream):
    shown = section(page("/?corpus=stream"), "rising")
    assert "Rising now" in shown
    assert "In the week to" in shown
    assert "2026-11-15" in shown
    food = stream.view("stream").concept_of(stream.view("stream").names.tag("bread"))
    (address,) = [each for each in re.findall(r'href="([^"]+)"', shown) if "/concept" in each]
    assert f"id={food}" in address
    assert "bread" not in re.sub(r"<a href=[^>]*>[^<]*<small>", "", shown), "a tag of a concept that is listed"
    assert "Its tags" in page(address.replace("&amp;", "&"))
    for query in ("&tag=rain", "&exclude=rain", "&q=snow"):
        assert section(page(f"/?corpus=stream{query}"), "rising") is None


def test_fresh_documents_rise_on_the_first_page_at_once(page, stream, redis):
    assert "never seen" not in section(page("/?corpus=stream"), "rising")
    day = NEWEST.date().isoformat()
    pushed = PushedDocuments(redis, "stream")
    pushed.put(PushedDocument(f"p{n}", ["never seen"], None, {"fields": {"date": day}}) for n in range(30))
    stream.refresh()
    shown = section(page("/?corpus=stream"), "rising")
    assert "never seen" in shown
    assert ", new" in shown


def test_what_rose_long_ago_is_not_called_now(page, stream):
    stream.view("stream").snapshot.__dict__["created"] += timedelta(days=400)
    shown = section(page("/?corpus=stream"), "rising")
    assert "What rose last" in shown
    assert "Rising now" not in shown


def test_the_page_of_a_concept_draws_its_documents_over_time(page, stream):
    """A well-formed line whose words say how many there are and when there were most; with a feed to follow."""
    view = stream.view("stream")
    food = view.concept_of(view.names.tag("bread"))
    html = page(f"/concept?corpus=stream&id={food}")
    shown = section(html, "panel over-time")
    drawing = ElementTree.fromstring(re.search(r"<svg.*?</svg>", shown)[0])
    dated = view.documents.of_concept(food)
    assert drawing.get("aria-label").startswith(f"{len(dated)} documents from 2026-10-1")
    line = next(each for each in drawing.iter() if each.get("class", "").startswith("line"))
    points = re.findall(r"[ML]([\d.]+) ([\d.]+)", line.get("d"))
    assert len(points) == 35
    heights = [float(y) for _, y in points]
    assert min(heights[-7:]) == min(heights), "it peaks in the last week"
    assert f"feed?cluster={food}" in shown
    assert 'rel="alternate" type="application/atom+xml"' in html


def test_cards_show_dates(page):
    assert '<time datetime="2026-11-15">15 November 2026</time>' in page("/?corpus=stream&tag=rain")


def test_without_dates_nothing_of_time_is_shown(client):
    assert section(client.get("/?corpus=small").text, "rising") is None
    html = client.get("/concept?corpus=small&id=0").text
    assert "over-time" not in html
    assert "atom" not in html.casefold()
    assert "<time" not in client.get("/?corpus=small&tag=rain").text
