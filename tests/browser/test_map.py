"""The map of concepts in a real browser."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

WAYS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


@pytest.mark.parametrize("way", WAYS)
def test_the_map_is_accessible_and_the_page_fits(visitor, accessible, keep, *, way):
    page = visitor(**WAYS[way])
    page.goto("/concepts?corpus=icons")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    keep(page, f"map-{way}")


def test_names_stay_within_their_areas(page):
    page.goto("/concepts?corpus=icons")
    outside = page.evaluate(
        """() => [...document.querySelectorAll(".canvas a[class]")].flatMap((area) => {
          const box = area.querySelector("rect").getBoundingClientRect();
          return [...area.querySelectorAll("text")].filter((text) => {
            const own = text.getBoundingClientRect();
            return own.right > box.right + 3 || own.bottom > box.bottom + 3;
          }).map((text) => text.textContent);
        })"""
    )
    assert outside == []


def test_without_javascript_one_goes_into_a_region_out_again_and_to_a_concept(visitor):
    page = visitor(java_script_enabled=False)
    page.goto("/?corpus=icons")
    page.get_by_role("link", name="Concepts", exact=True).click()
    areas = page.locator(".canvas a[class]")
    all_of_them = areas.count()
    page.locator(".canvas .region > a:not([class])").first.click()
    expect(page).to_have_url(re.compile(r"/concepts\?corpus=icons&branch=\d+"))
    assert 1 < areas.count() < all_of_them
    page.get_by_role("link", name="Concepts of").click()
    expect(areas).to_have_count(all_of_them)
    areas.first.click()
    expect(page).to_have_url(re.compile(r"/concept\?corpus=icons&id=\d+"))


LUMINANCE = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const probe = document.body.appendChild(document.createElement("i"));
  const card = luminance(getComputedStyle(document.documentElement).getPropertyValue("--card"));
  const all = {};
  for (let hue = 0; hue < 24; hue++)
    for (let tone = 0; tone < 3; tone++) {
      probe.className = `hue${hue} tone${tone}`;
      const own = luminance(getComputedStyle(probe).getPropertyValue("--hue"));
      all[probe.className] = (Math.max(own, card) + 0.05) / (Math.min(own, card) + 0.05);
    }
  probe.remove();
  return all;
}"""
"""The contrast of every colour of concepts with the cards, as WCAG computes it."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_of_concepts_stands_out_from_the_cards(visitor, *, scheme):
    """WCAG asks for 3 : 1 between signs and what is around them."""
    page = visitor(color_scheme=scheme)
    page.goto("/concepts?corpus=topics")
    contrast = page.evaluate(LUMINANCE)
    assert len(contrast) == 72
    assert {name: value for name, value in contrast.items() if value < 3} == {}


def test_neighbours_in_the_tree_have_nearer_hues_than_any_two_concepts(page):
    page.goto("/concepts?corpus=icons")
    hues = page.locator(".canvas a[class]").evaluate_all(
        "all => all.map(a => +a.getAttribute('class').match(/hue(\\d+)/)[1])"
    )
    apart = [min(abs(one - other), 24 - abs(one - other)) for one in hues for other in hues]
    beside = [min(abs(one - other), 24 - abs(one - other)) for one, other in pairwise(hues)]
    assert 3 * sum(beside) / len(beside) < sum(apart) / len(apart)


@pytest.mark.parametrize("width", [1100, 1280, 1600])
def test_groups_are_packed_without_holes_or_overlap(visitor, *, width):
    """Below a card comes the next one of its column; nothing is cut."""
    page = visitor(viewport={"width": width, "height": 900})
    page.goto("/?corpus=icons&tag=card")
    boxes = page.locator(".groups > .group").evaluate_all(
        """all => all.map((each) =>
             [each.offsetLeft, each.offsetTop, each.offsetHeight, each.scrollHeight - each.clientHeight])"""
    )
    assert all(cut <= 0 for *_, cut in boxes)
    columns = {}
    for left, top, height, _ in boxes:
        columns.setdefault(left, []).append((top, top + height))
    assert len(columns) > 1
    for column in columns.values():
        for (_, end), (start, _) in pairwise(sorted(column)):
            assert 0 <= start - end < 40
