"""On a phone nothing is cut off, covered or broken within words."""

import pytest
from playwright.sync_api import expect

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
ROOM = """field => {
  const pen = document.createElement("canvas").getContext("2d"), style = getComputedStyle(field);
  pen.font = style.font;
  const inner = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return inner - pen.measureText(field.placeholder).width;
}"""
"""How much of a field its placeholder leaves; negative if it is cut off."""


@pytest.fixture
def phone(visitor):
    return visitor(**PHONE)


def test_the_pages_for_visitors_are_in_one_row_of_the_bar_and_the_others_behind_a_button(phone, accessible):
    phone.goto("/?corpus=topics")
    links = phone.get_by_role("navigation", name="Pages").get_by_role("link").all()
    assert len(links) == 3
    assert len({link.bounding_box()["y"] for link in links}) == 1
    phone.locator(".builders summary").click()
    others = phone.get_by_role("navigation", name="For operators and builders")
    expect(others.get_by_role("link", name="Operate")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") == PHONE["viewport"]["width"]
    accessible(phone)


def test_the_box_a_line_and_the_first_group_are_above_the_fold(phone):
    phone.goto("/?corpus=icons")
    for part in ("#q", ".about .quiet", ".group h2"):
        box = phone.locator(part).first.bounding_box()
        assert box["y"] + box["height"] < PHONE["viewport"]["height"] / 2
    expect(phone.locator("details.options .dials")).to_be_hidden()


def test_the_hint_in_the_box_is_whole_beside_a_short_tag(phone):
    for address in ("/?corpus=topics", "/?corpus=topics&tag=cash"):
        phone.goto(address)
        assert phone.locator("#q").evaluate(ROOM) >= 0


def test_the_button_that_copies_covers_no_line(phone):
    phone.goto("/embed?corpus=topics&tags=payment")
    expect(phone.get_by_role("button", name="Copy")).to_be_visible()
    lines, button = phone.locator(".lines pre").bounding_box(), phone.locator("#copy").bounding_box()
    assert button["y"] >= lines["y"] + lines["height"]


def test_the_names_of_parameters_are_not_broken(phone, accessible):
    phone.goto("/docs")
    broken = phone.locator("td:first-child code").evaluate_all(
        "names => names.filter(name => name.getClientRects().length > 1).map(name => name.textContent)"
    )
    assert broken == []
    assert phone.evaluate("document.documentElement.scrollWidth") == PHONE["viewport"]["width"]
    accessible(phone)


def test_the_flag_of_the_cut_and_the_numbers_below_the_curve_are_whole(phone):
    phone.goto("/explore?corpus=icons")
    canvas, flag = phone.locator(".canvas").bounding_box(), phone.locator("#cut .flag").bounding_box()
    assert canvas["x"] <= flag["x"]
    curve = phone.locator("#curve").bounding_box()
    for number in phone.locator("#curve text").all():
        box = number.bounding_box()
        assert box["x"] + box["width"] <= curve["x"] + curve["width"]
