"""The map of concepts in a real browser."""

import re

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
