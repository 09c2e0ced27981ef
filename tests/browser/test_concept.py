"""The page of a concept in a real browser."""

import re

import pytest
from playwright.sync_api import expect

WAYS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_concept_is_accessible_and_fits(visitor, accessible, keep, *, way):
    page = visitor(**WAYS[way])
    for name, address in (("concept", "/concept?corpus=icons&id=1"), ("concepts", "/concept?corpus=icons")):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        keep(page, f"{name}-{way}")


def test_without_javascript_every_link_of_the_way_works(visitor):
    """From the tree to a concept, on to a neighbour, to its branch in the tree, and to the cloud of a tag."""
    page = visitor(java_script_enabled=False)
    page.goto("/explore?corpus=icons")
    link = page.locator(".listing a.concept").first
    label = link.inner_text()
    link.click()
    expect(page).to_have_url(re.compile(r"/concept\?corpus=icons&id=\d+"))
    expect(page.get_by_role("heading", level=2, name="Its tags")).to_be_visible()
    assert label
    first = page.url
    page.locator("section[aria-labelledby=near-title] a").first.click()
    expect(page).not_to_have_url(first)
    page.locator("section[aria-labelledby=broader-title] p a").first.click()
    expect(page).to_have_url(re.compile(r"/explore\?corpus=icons&cut=\d+"))
    page.go_back()
    tag = page.locator(".tags a").first
    name = tag.inner_text()
    tag.click()
    expect(page).to_have_url(re.compile(r"/\?corpus=icons&tag="))
    expect(page.locator("#chips")).to_contain_text(name)


def test_a_tag_of_a_cloud_and_a_chosen_tag_lead_to_their_concepts_on_a_phone_too(page):
    page.set_viewport_size({"width": 390, "height": 844})
    for place in (".tags small a", "#chips span a"):
        page.goto("/?corpus=icons&tag=payment")
        link = page.locator(place).first
        assert min(link.bounding_box()[side] for side in ("width", "height")) >= 12
        link.click()
        expect(page).to_have_url(re.compile(r"/concept\?corpus=icons&id=\d+"))
        expect(page.get_by_role("heading", level=2, name="Its tags")).to_be_visible()


def test_an_unknown_concept_offers_the_others(page):
    answer = page.goto("/concept?corpus=icons&id=100000")
    assert answer.status == 404
    expect(page.get_by_role("status")).to_contain_text("There is no concept 100000 here")
    page.locator(".concepts a").first.click()
    expect(page.get_by_role("heading", level=2, name="Its tags")).to_be_visible()
    page.faults[:] = [fault for fault in page.faults if "404" not in fault]
