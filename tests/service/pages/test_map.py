"""The map of all concepts: its areas, its regions, and its addresses."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.pages.map.layout import Rectangle, branches, placed
from service.pages.map.map import MapParams, concept_map

ON = Rectangle(0, 0, 1000, 640)


@st.composite
def trees(draw):
    """Merges between neighbours, and the weight of each place."""
    gaps = draw(st.permutations(range(draw(st.integers(0, 30)))))
    weights = draw(st.lists(st.floats(0.001, 1), min_size=len(gaps) + 1, max_size=len(gaps) + 1))
    return gaps, weights


@given(trees())
def test_every_area_is_as_large_as_its_share_and_none_overlap(tree):
    gaps, weights = tree
    areas = placed(gaps, weights, [(place, place + 1) for place in range(len(weights))], ON)
    for area, weight in zip(areas, weights, strict=True):
        assert area.width * area.height == pytest.approx(640_000 * weight / sum(weights), rel=1e-6)
        assert area.x >= 0
        assert area.y >= 0
        assert area.x + area.width <= 1000 + 1e-6
        assert area.y + area.height <= 640 + 1e-6
    for first, one in enumerate(areas):
        for other in areas[first + 1 :]:
            wide = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            high = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert min(wide, high) < 1e-6


@given(trees(), st.integers(1, 9))
def test_regions_divide_the_tree_at_its_last_merges(tree, most):
    gaps, weights = tree
    parts = branches(gaps, (0, len(weights)), most)
    assert len(parts) == min(most, len(weights))
    assert [place for first, end in parts for place in range(first, end)] == list(range(len(weights)))
    inside = [gaps[place] for first, end in parts for place in range(first, end - 1)]
    between = [gaps[end - 1] for _, end in parts[:-1]]
    assert max(inside, default=-1) < min(between, default=len(gaps))
    assert len(placed(gaps, weights, parts, ON)) == len(parts)


def test_all_concepts_are_on_the_map_and_a_region_leads_to_its_own(view):
    page = concept_map(view, MapParams("small"))
    assert {area.concept.id for region in page.regions for area in region.areas} == set(view.clusters)
    assert page.outward is None
    for merge in view.cluster_gaps:
        part = concept_map(view, MapParams("small", merge))
        assert part.status == 200
        assert 1 < part.concepts <= page.concepts
        assert (part.outward is None) == (merge == max(view.cluster_gaps))


def test_a_branch_that_is_not_there_shows_the_whole_map(client):
    answer = client.get("/concepts?branch=99999999")
    assert answer.status_code == 404
    assert "no branch 99999999" in answer.text
    assert "<svg" in answer.text


def test_every_concept_is_a_link_and_names_are_escaped(client, view):
    text = client.get("/concepts?corpus=small").text
    linked = set(map(int, re.findall(r'href="/concept\?corpus=small&amp;id=(\d+)"', text)))
    assert linked == set(view.clusters)
    assert 'href="/concepts?corpus=small"' in client.get("/?corpus=small").text
