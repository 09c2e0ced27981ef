"""The map of all documents: its page, its points, the card of a point, and what a search finds."""

import re

import numpy as np

from service.pages.points.params import around
from snapshot import MapRegion
from tests.service.carded import having


def points(client, corpus="carded"):
    answer = client.get(f"/map/points?corpus={corpus}")
    assert answer.mimetype == "application/octet-stream"
    return np.frombuffer(answer.data, dtype="<u2").reshape(3, -1)


def test_the_page_has_a_drawing_and_a_list_of_all_concepts(carded):
    """Without JavaScript, too: both lead to the concepts."""
    html = carded.get("/map?corpus=carded").text
    number = len(carded.get("/v1/corpora/carded/clusters").json["clusters"])
    assert html.count("<circle") == number
    assert (
        len(
            re.findall(
                r'<li class="hue\d+ tone\d" data-id="\d+" data-x="[\d.]+" data-y="[\d.]+" data-radius="[\d.]+"', html
            )
        )
        == number
    )
    assert "points.js" in html


def test_every_document_is_a_point_of_its_concept(carded):
    x, y, concepts = points(carded)
    assert len(x) == 200
    assert len(np.unique(np.stack([x, y]), axis=1).T) > 180
    ids = {each["id"] for each in carded.get("/v1/corpora/carded/clusters").json["clusters"]}
    assert set(concepts.tolist()) <= ids | {65535}
    again = carded.get("/map/points?corpus=carded")
    kept = carded.get("/map/points?corpus=carded", headers={"If-None-Match": again.headers["ETag"]})
    assert kept.status_code == 304


def test_a_point_has_a_card(carded):
    cards = [carded.get(f"/map/card?corpus=carded&point={each}").json for each in range(200)]
    assert {card["title"] for card in cards} >= {"Number 2", "d1"}
    assert all(card["link"].startswith("/document?corpus=carded&id=") and card["tags"] for card in cards)
    for wrong in ("200", "-1", "x", ""):
        assert carded.get(f"/map/card?corpus=carded&point={wrong}").status_code == 404


def test_a_search_finds_points(carded):
    found = np.frombuffer(carded.get("/map/found?corpus=carded&q=payment+cash").data, dtype="<u4")
    links = {carded.get(f"/map/card?corpus=carded&point={each}").json["link"] for each in found}
    assert len(links) == len(having("payment", "cash"))
    assert carded.get("/map/found?corpus=carded&q=zzzz").data == b""
    assert carded.get("/map/found?corpus=carded&q=").data == b""
    without = np.frombuffer(carded.get("/map/found?corpus=carded&q=payment+-cash").data, dtype="<u4")
    assert not set(found.tolist()) & set(without.tolist())


def test_the_map_is_served_only_with_its_page(app_with):
    assert app_with(public_pages="search").test_client().get("/map/points").status_code == 404
    assert app_with(public_pages="map").test_client().get("/map/points").status_code == 200


def test_a_link_leads_to_a_disc(carded):
    assert around("a b", MapRegion(0.25, 0.5, 0.07)) == "/map?corpus=a+b&at=0.2500%2C0.5000%2C5.00"
    html = carded.get("/concept?corpus=carded&id=0").text
    assert re.search(r'<a href="/map\?corpus=carded&amp;at=[^"]+">On the map</a>', html)


def test_no_concept_and_no_document_is_markup(carded):
    html = carded.get("/map?corpus=carded&q=<script>&at=<b>").text
    assert "<script>" not in html
    assert "<b>" not in html
