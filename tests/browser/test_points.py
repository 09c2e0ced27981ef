"""The map of all documents in a real browser."""

import re

import pytest
from playwright.sync_api import expect

WAYS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}

CUT = """() => {
  const sheet = document.querySelector("#sheet").getBoundingClientRect();
  const shown = [...document.querySelectorAll("#sheet .name")].filter((each) => each.style.visibility === "visible");
  const aside = (box) => box.left < sheet.left || box.right > sheet.right;
  const out = (box) => aside(box) || box.top < sheet.top || box.bottom > sheet.bottom;
  const cut = (each) => each.scrollWidth > each.clientWidth || out(each.getBoundingClientRect());
  return shown.filter(cut).map((each) => each.textContent);
}"""


@pytest.mark.parametrize("way", WAYS)
def test_the_map_shows_points_and_is_accessible(visitor, accessible, keep, *, way):
    page = visitor(**WAYS[way])
    page.goto("/map?corpus=icons")
    expect(page.locator("#sheet canvas")).to_be_visible()
    expect(page.locator("#sheet svg")).to_have_count(0)
    assert page.locator("#sheet .name.part").evaluate_all(
        "all => all.filter(each => each.style.visibility === 'visible').length"
    )
    assert page.evaluate(CUT) == [], "no edge cuts a name"
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    keep(page, f"points-{way}", whole=False)


def test_a_link_keeps_the_view_and_keys_move_it(page, visitor):
    page.goto("/map?corpus=icons")
    canvas = page.locator("#sheet canvas")
    canvas.press("+")
    canvas.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"at=0\.5\d+%2C0\.5000%2C1\.32"))
    other = visitor()
    other.goto(page.url)
    expect(other.locator("#sheet canvas")).to_be_visible()
    other.locator("#sheet canvas").press("+")
    expect(other).to_have_url(re.compile(r"at=0\.5\d+%2C0\.5000%2C1\.85"))


def test_contents_lead_to_a_disc_and_a_search_lights_up(page):
    page.goto("/map?corpus=icons")
    expect(page.locator("#sheet canvas")).to_be_visible()
    page.locator(".contents details[open] li a").first.click()
    expect(page).to_have_url(re.compile("/map.*at="))
    page.get_by_label("Light up").fill("payment")
    page.get_by_label("Light up").press("Enter")
    expect(page.locator("#announcement")).to_have_text(re.compile(r"^\d+ documents with payment are lit$"))
    expect(page).to_have_url(re.compile("q=payment"))


def test_without_javascript_there_is_a_drawing_and_a_list(visitor):
    page = visitor(java_script_enabled=False)
    page.goto("/map?corpus=icons")
    expect(page.locator("#sheet circle").first).to_be_visible()
    page.locator(".contents details[open] li a").first.click()
    expect(page).to_have_url(re.compile(r"/concept\?corpus=icons&id=\d+"))
