"""The tree in a real browser."""

import csv
import re
import xml.etree.ElementTree as ET

from playwright.sync_api import expect

EXPLORE = "/explore?corpus=icons"


def leaves(page):
    return page.locator("#tree .leaf")


def line(page):
    return page.get_by_role("slider", name="Where the tree is cut")


def drag_to(page, x):
    """Drags the line to a place given in the drawing's own measure."""
    grip = page.locator("#cut .grip").bounding_box()
    canvas = page.locator("#tree").bounding_box()
    middle = grip["y"] + 40
    page.mouse.move(grip["x"] + grip["width"] / 2, middle)
    page.mouse.down()
    goal = canvas["x"] + canvas["width"] * x / 900
    page.mouse.move((grip["x"] + goal) / 2, middle)
    page.mouse.move(goal, middle)


def test_the_tree_is_drawn_with_40_leaves_named_by_their_tags(page, keep, accessible):
    page.goto(EXPLORE)
    expect(leaves(page)).to_have_count(40)
    labels = leaves(page).evaluate_all("all => all.map(leaf => leaf.dataset.label)")
    assert all(1 <= len(label.split(", ")) <= 3 for label in labels)
    assert len(set(labels)) == 40
    for picture in page.locator(".pictures img").all():
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("image => image.naturalWidth") == 256
    accessible(page)
    keep(page, "explore")


def test_a_branch_opens_and_closes_and_back_works(page, keep):
    page.goto(EXPLORE)
    first = leaves(page).first
    node = first.get_attribute("id")
    first.click()
    expect(leaves(page)).to_have_count(45)
    expect(page).to_have_url(re.compile(rf"open={node.removeprefix('node')}"))
    expect(page.locator(f"#{node}")).to_have_count(0)
    keep(page, "explore-opened")
    page.get_by_role("link", name="Close this branch again").click()
    expect(leaves(page)).to_have_count(40)
    page.go_back()
    expect(leaves(page)).to_have_count(45)
    page.go_back()
    expect(leaves(page)).to_have_count(40)


def test_a_branch_opens_by_keyboard(page):
    page.goto(EXPLORE)
    leaves(page).nth(2).focus()
    expect(page.locator("#members")).to_contain_text(leaves(page).nth(2).get_attribute("data-label"))
    page.keyboard.press("Enter")
    expect(leaves(page)).to_have_count(45)


def test_pointing_at_a_branch_shows_its_tags(page):
    page.goto(EXPLORE)
    leaf = leaves(page).nth(4)
    leaf.hover()
    panel = page.locator("#members")
    expect(panel.get_by_role("heading")).to_have_text(leaf.get_attribute("data-label"))
    expect(panel).to_contain_text(f"{leaf.get_attribute('data-size')} tags")
    assert panel.locator("li").count() > 3


def test_the_line_can_be_dragged_and_the_groups_follow(page, keep):
    page.goto(EXPLORE)
    chosen = int(line(page).get_attribute("aria-valuenow"))
    drag_to(page, 200)
    k = int(line(page).get_attribute("aria-valuenow"))
    assert 1 < k < min(chosen, 40)
    expect(page.locator("#show-k")).to_have_text(str(k))
    expect(page.locator("#cut text")).to_have_text(f"{k} groups")
    colours = set(page.locator("#tree .lines path").evaluate_all("all => all.map(one => one.getAttribute('class'))"))
    assert "above" in colours
    assert len(colours) > 1
    dragged = page.locator("#tree .lines, #tree .leaves").evaluate_all(
        "all => all.flatMap(part => [...part.children].map(one => one.getAttribute('class')))"
    )
    page.mouse.up()
    expect(page).to_have_url(re.compile(f"cut={k}"))
    expect(page.get_by_role("heading", name=re.compile(f"The {k} groups at this cut"))).to_be_visible()
    expect(page.locator(".listing li")).to_have_count(k)
    drawn = page.locator("#tree .lines, #tree .leaves").evaluate_all(
        "all => all.flatMap(part => [...part.children].map(one => one.getAttribute('class')))"
    )
    assert drawn == dragged, "the script colours as the server draws"
    keep(page, "explore-cut")
    page.go_back()
    expect(line(page)).to_have_attribute("aria-valuenow", str(chosen))


def test_the_line_moves_by_keyboard(page):
    page.goto(f"{EXPLORE}&cut=12")
    line(page).focus()
    page.keyboard.press("ArrowRight")
    expect(line(page)).to_have_attribute("aria-valuenow", "13")
    page.keyboard.press("PageDown")
    expect(line(page)).to_have_attribute("aria-valuenow", "3")
    expect(line(page)).to_have_attribute("aria-valuetext", re.compile(r"3 groups, \d+ % of the information lost"))
    expect(page).to_have_url(re.compile("cut=3"))
    expect(line(page)).to_be_focused()
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("cut=1$"))
    page.keyboard.press("End")
    expect(line(page)).to_have_attribute("aria-valuenow", line(page).get_attribute("aria-valuemax"))


def test_the_number_of_groups_can_be_typed(page):
    page.goto(EXPLORE)
    page.get_by_label("Groups", exact=True).fill("9")
    page.get_by_role("button", name="Cut").click()
    expect(page).to_have_url(re.compile("cut=9"))
    expect(page.locator(".listing li")).to_have_count(9)


def test_the_view_zooms_and_moves_and_keeps_when_a_branch_opens(page):
    page.goto(EXPLORE)

    def box():
        return [float(number) for number in page.locator("#tree").get_attribute("viewBox").split()]

    whole = box()
    page.get_by_role("button", name="Zoom in").click()
    zoomed = box()
    assert zoomed[2] < whole[2]
    canvas = page.locator(".canvas")
    canvas.focus()
    page.keyboard.press("ArrowDown")
    moved = box()
    assert moved[1] > zoomed[1]
    at = canvas.bounding_box()
    page.mouse.move(at["x"] + 30, at["y"] + 200)
    page.mouse.down()
    page.mouse.move(at["x"] + 30, at["y"] + 260)
    page.mouse.up()
    assert box()[1] < moved[1]
    page.mouse.move(at["x"] + 200, at["y"] + 200)
    before = page.locator("#tree").get_attribute("viewBox")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    expect(page.locator("#tree")).not_to_have_attribute("viewBox", before)
    page.keyboard.up("Control")
    expect(page.locator("#tree.zoomed")).to_be_attached()
    assert box()[2] < zoomed[2]
    page.get_by_role("button", name="Whole").click()
    assert box() == whole


def test_the_drawing_is_saved_as_it_is_seen_and_the_groups_as_tables(page, tmp_path):
    page.goto(f"{EXPLORE}&cut=12")

    def saved(button):
        with page.expect_download() as found:
            button.click()
        path = tmp_path / found.value.suggested_filename
        found.value.save_as(path)
        return path

    svg = saved(page.get_by_role("link", name="SVG", exact=True))
    tree = ET.fromstring(svg.read_text())  # noqa: S314 - our own drawing
    texts = ["".join(text.itertext()) for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert "12 groups" in texts
    assert leaves(page).first.get_attribute("data-label")[:20] in " ".join(texts)
    assert "var(" not in svg.read_text()
    png = saved(page.get_by_role("button", name="PNG"))
    assert png.name == "icons.png"
    assert png.read_bytes().startswith(b"\x89PNG")
    assert png.stat().st_size > 20_000
    newick = saved(page.get_by_role("link", name="Newick")).read_text()
    assert newick.endswith(";")
    assert newick.count("(") == newick.count(")") > 500
    with saved(page.get_by_role("link", name="CSV of the 12 groups")).open() as file:
        rows = list(csv.DictReader(file))
    assert len({row["cluster"] for row in rows}) == 12


def test_it_is_useful_without_javascript(visitor, keep):
    page = visitor(java_script_enabled=False)
    page.goto(EXPLORE)
    leaves(page).first.click()
    expect(leaves(page)).to_have_count(45)
    page.get_by_label("Groups", exact=True).fill("6")
    page.get_by_role("button", name="Cut").click()
    expect(page.locator(".listing li")).to_have_count(6)
    expect(leaves(page)).to_have_count(45)
    expect(page.get_by_role("button", name="PNG")).to_be_hidden()
    expect(page.get_by_role("link", name="SVG", exact=True)).to_be_visible()
    keep(page, "explore-without-javascript")


def test_dark_and_on_a_phone(visitor, keep, accessible):
    dark = visitor(color_scheme="dark")
    dark.goto(f"{EXPLORE}&cut=12")
    accessible(dark)
    dark.locator(".pictures img").last.scroll_into_view_if_needed()
    dark.wait_for_load_state("networkidle")
    keep(dark, "explore-dark")
    phone = visitor(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    phone.goto(EXPLORE)
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    accessible(phone)
    expect(leaves(phone).first.locator("text")).to_be_in_viewport()
    phone.locator(".pictures img").last.scroll_into_view_if_needed()
    phone.wait_for_load_state("networkidle")
    keep(phone, "explore-phone")


def test_a_tag_is_found_in_the_tree_without_javascript_too(visitor, keep):
    for scripts in (True, False):
        page = visitor(java_script_enabled=scripts)
        page.goto(EXPLORE)
        page.get_by_label("Find a tag").fill("Payment")
        page.get_by_role("button", name="Find").click()
        expect(page.get_by_text("payment is in the marked branch")).to_be_visible()
        expect(page.locator(".leaf.found")).to_have_count(1)
        assert "payment" in page.locator(".leaf.found title").text_content().split(", ")
        page.get_by_label("Find a tag").fill("qqqqq")
        page.get_by_role("button", name="Find").click()
        expect(page.get_by_text("There is no tag “qqqqq”")).to_be_visible()
        expect(page.locator(".leaf.found")).to_have_count(0)


def test_on_a_phone_the_line_is_in_sight(visitor, keep):
    page = visitor(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page.goto(EXPLORE)
    box, canvas = page.locator("#cut .grip").bounding_box(), page.locator(".canvas").bounding_box()
    assert canvas["x"] <= box["x"] < canvas["x"] + canvas["width"] / 2
    keep(page, "explore-phone")
