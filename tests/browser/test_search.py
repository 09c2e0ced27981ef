"""The search page in a real browser."""

import os
import re
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import expected
from tests.waiting import wait_until

TOPICS = "/?corpus=topics"
ICONS = "/?corpus=icons"


def groups(page):
    return page.locator("section.group:not(.also)")


def chips(page):
    return page.locator(".chips li > span")


def dial(page, label):
    """A slider, which is among the options."""
    page.locator("details.options:not([open]) summary").evaluate_all("all => all.forEach(each => each.click())")
    return page.get_by_label(label)


def box(page):
    return page.get_by_label("Search for tags")


def test_the_first_view_groups_the_corpus(page, keep, accessible):
    page.goto(TOPICS)
    expect(page.get_by_role("heading", level=1)).to_have_text("Four topics")
    page.goto(f"{TOPICS}&groups=4")
    expect(groups(page)).to_have_count(4)
    page.goto(ICONS)
    expect(page.locator("section.group")).to_have_count(9)
    accessible(page)
    keep(page, "search-first")


def test_the_heading_of_the_last_group_is_one_line_however_many_tags_it_has(page):
    page.goto(ICONS)
    section = groups(page).first
    section.locator(".tags").evaluate(
        "list => list.append(...[...list.children, ...list.children].map(tag => tag.cloneNode(true)))"
    )
    section.evaluate("section => section.classList.add('also')")
    heading, tags = (page.locator(f"section.group:nth-child(1).also {part}").bounding_box() for part in ("h2", ".tags"))
    assert tags["height"] > 3 * heading["height"]
    assert heading["height"] < 40


def test_a_search_shows_a_grouped_cloud(page, keep, accessible):
    page.goto(ICONS)
    box(page).fill("payments")
    page.get_by_role("button", name="Search").click()
    expect(chips(page)).to_have_text(["payment"])
    expect(page.locator(".meant")).to_have_text("“payments” was taken for payment.")
    expect(groups(page).first.get_by_role("link", name="money", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile(r"^\d+ documents with payment"))).to_be_visible()
    expect(page).to_have_title("payment · Cotag")
    expect(page).to_have_url(re.compile(r"q=payments"))
    accessible(page)
    keep(page, "search-payment")


def test_every_count_is_told_in_words_and_tags_come_heaviest_first(page):
    page.goto(f"{ICONS}&tag=payment")
    sizes = [
        int(name[1])
        for name in groups(page).first.locator(".tags li").evaluate_all("all => all.map(li => li.className)")
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 2
    assert re.fullmatch(
        r".+, [\d,]+ documents; its concept", groups(page).first.locator(".tags li").first.text_content().strip()
    )


def test_autocomplete_works_by_keyboard_and_tells_screen_readers(page, keep):
    page.goto(TOPICS)
    combobox = page.get_by_role("combobox", name="Search for tags")
    expect(combobox).to_have_attribute("aria-expanded", "false")
    combobox.press_sequentially("ca")
    options = page.get_by_role("option")
    expect(options.first).to_be_visible()
    expect(combobox).to_have_attribute("aria-expanded", "true")
    expect(page.locator("#announcement")).to_have_text(re.compile(r"\d tags to choose from|groups of tags"))
    names = options.evaluate_all("all => all.map(option => option.dataset.tag)")
    assert "cash" in names
    assert names[0].startswith("c")
    for _ in range(names.index("cash") + 1):
        combobox.press("ArrowDown")
    chosen = page.locator("[role=option][aria-selected=true]")
    expect(chosen).to_have_attribute("data-tag", "cash")
    expect(combobox).to_have_attribute("aria-activedescendant", chosen.get_attribute("id"))
    keep(page, "search-autocomplete")
    combobox.press("Enter")
    expect(chips(page)).to_have_text(["cash"])
    expect(combobox).to_be_focused()
    expect(combobox).to_have_value("")
    expect(page.locator("#announcement")).to_have_text(re.compile(r"groups of tags around cash"))
    combobox.press_sequentially("pay")
    expect(options.first).to_be_visible()
    combobox.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(combobox).to_have_value("pay")


def test_autocomplete_works_by_pointer_and_wraps_at_its_ends(page):
    page.goto(TOPICS)
    box(page).press_sequentially("ca")
    expect(page.get_by_role("option").first).to_be_visible()
    box(page).press("ArrowUp")
    expect(page.get_by_role("option").last).to_have_attribute("aria-selected", "true")
    box(page).press("ArrowDown")
    expect(page.locator("[aria-selected=true]")).to_have_count(0)
    page.get_by_role("option", name="credit card").click()
    expect(chips(page)).to_have_text(["credit card"])


def test_autocomplete_finds_a_tag_by_its_other_name_and_says_which(page, keep):
    """The corpora file declares a synonym that no document has."""
    page.goto(TOPICS)
    box(page).press_sequentially("remun")
    option = page.get_by_role("option")
    expect(option).to_have_count(1)
    expect(option.locator("span")).to_have_text("remuneration → payment")
    expect(option.locator("b")).to_have_text("remun")
    keep(page, "search-alias", whole=False)
    box(page).press("ArrowDown")
    box(page).press("Enter")
    expect(chips(page)).to_have_text(["payment"])


def test_results_appear_while_one_types_and_back_leads_to_before_the_first_key(page):
    """Each pause makes one request; an address that is not wanted any more is given up."""
    page.goto(ICONS)
    first = page.get_by_role("heading", level=1).text_content()
    asked = []
    page.on("request", lambda request: "typing=1" in request.url and asked.append(request.url))
    box(page).press_sequentially("paymen", delay=20)
    expect(page.get_by_role("heading", level=1)).to_have_text("payment")
    expect(page.locator("#documents .card").first).to_be_visible()
    expect(box(page)).to_have_value("paymen")
    expect(box(page)).to_be_focused()
    expect(page.locator(".chips")).to_have_count(0)
    assert 1 <= len(asked) < 6
    box(page).press_sequentially("t ca", delay=20)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^payment and ca"))
    box(page).press("Enter")
    expect(box(page)).to_have_value("")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text(first)
    expect(box(page)).to_have_value("")


def test_documents_come_before_the_groups(page):
    page.goto(f"{ICONS}&q=card")
    answer, groups_top = (page.locator(each).bounding_box()["y"] for each in ("#documents", ".groups"))
    assert answer < groups_top
    page.locator(".card h3 a").first.click()
    expect(page).to_have_url(re.compile("/document\\?"))
    expect(page.locator(".picture img")).to_be_visible()


def test_a_picture_that_fails_shows_the_title_on_a_tile(page):
    page.goto(f"{ICONS}&q=card")
    title = page.locator(".card h3").first.text_content()
    page.locator(".card img").first.evaluate(
        "image => { image.loading = 'eager'; image.src = 'data:image/png,broken'; }"
    )
    expect(page.locator(".card").first.locator(".tile .untaken")).to_have_text(title)


def test_words_are_kept_while_a_slider_moves_and_gone_once_they_are_searched_for(page):
    page.goto(TOPICS)
    box(page).press_sequentially("payments")
    dial(page, "Groups").fill("2")
    expect(groups(page)).to_have_count(2)
    expect(box(page)).to_have_value("payments")
    box(page).press("Enter")
    expect(chips(page)).to_have_text(["payment"])
    expect(box(page)).to_have_value("")
    expect(page.get_by_role("listbox")).to_be_hidden()


def test_backspace_in_an_empty_box_takes_the_last_chip(page):
    page.goto(f"{TOPICS}&tag=cash&tag=coin")
    box(page).press("Backspace")
    expect(chips(page)).to_have_text(["cash"])


def test_a_hyphen_leaves_a_tag_out_typed_or_chosen_from_the_list(page, accessible, keep):
    """Chips show what is left out; Backspace takes these back first."""
    page.goto(f"{ICONS}&tag=card")
    box(page).fill("-payments")
    box(page).press("Enter")
    expect(chips(page)).to_have_text(["card", "without payment"])
    expect(page.get_by_role("heading", level=1)).to_have_text("card, without payment")
    expect(page.get_by_role("heading", name=re.compile(r"^\d+ documents with card, without payment"))).to_be_visible()
    expect(page.locator("section.group").get_by_role("link", name="credit-card", exact=True)).to_have_count(0)
    accessible(page)
    keep(page, "search-without-payment")
    box(page).press_sequentially("-casin")
    page.get_by_role("option").filter(has_text="casino").click()
    expect(chips(page)).to_have_text(["card", "without payment", "without casino"])
    expect(page).to_have_url(re.compile(r"\?corpus=icons&tag=card&exclude=payment&exclude=casino$"))
    box(page).press("Backspace")
    expect(chips(page)).to_have_text(["card", "without payment"])
    page.get_by_role("link", name="No longer leave out payment").click()
    expect(chips(page)).to_have_text(["card"])


def test_a_group_can_be_left_out(page):
    """One click, which is a link: without the group, and without documents that have its leading tag."""
    page.goto(f"{ICONS}&tag=card")
    heading = groups(page).first.get_by_role("heading")
    label = heading.text_content()
    page.get_by_role("link", name=f"Leave out {label}").click()
    expect(chips(page)).to_have_text(["card", f"without {label.split(', ')[0]}"])
    expect(page.get_by_role("heading", name=label)).to_have_count(0)


def test_choosing_a_tag_refines_without_loading_the_page_and_back_returns(page):
    page.goto(f"{TOPICS}&tag=payment")
    page.evaluate("window.same = true")
    groups(page).first.get_by_role("link", name="cash").click()
    expect(chips(page)).to_have_text(["payment", "cash"])
    expect(page).to_have_url(re.compile(r"\?corpus=topics&tag=payment&tag=cash$"))
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.locator(".because").first).to_have_text(re.compile("through "))
    page.go_back()
    expect(chips(page)).to_have_text(["payment"])
    page.go_forward()
    expect(chips(page)).to_have_text(["payment", "cash"])
    page.get_by_role("link", name="Remove payment").click()
    expect(chips(page)).to_have_text(["cash"])
    page.get_by_role("link", name="Remove cash").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Four topics")
    assert page.evaluate("window.same")


def test_every_state_is_a_link(page, visitor):
    page.goto(ICONS)
    box(page).fill("payment")
    box(page).press("Enter")
    expect(chips(page)).to_have_text(["payment"])
    dial(page, "Groups").fill("4")
    dial(page, "Popular to specific").fill("0.9")
    expect(page).to_have_url(re.compile(r"groups=4&specificity=0.9"))
    expect(page.locator("section.group")).to_have_count(4)
    other = visitor()
    other.goto(page.url)
    assert other.locator("#results").inner_html() == page.locator("#results").inner_html()
    assert dial(other, "Groups").input_value() == "4"
    assert dial(other, "Popular to specific").input_value() == "0.9"


def test_the_slider_re_cuts_live_and_back_undoes_one_drag(page):
    page.goto(f"{ICONS}&tag=payment")
    slider = dial(page, "Groups")
    handle = slider.bounding_box()
    middle = handle["y"] + handle["height"] / 2
    page.mouse.move(handle["x"] + handle["width"] * 8 / 23, middle)
    page.mouse.down()
    for step in range(8, 1, -1):
        page.mouse.move(handle["x"] + handle["width"] * step / 23, middle)
    expect(page.locator("section.group")).to_have_count(int(slider.input_value()))
    assert int(slider.input_value()) < 6
    page.mouse.up()
    page.go_back()
    expect(page.locator("section.group")).to_have_count(9)
    expect(slider).to_have_value("9")


def test_the_slider_works_by_keyboard_and_keeps_the_focus(page):
    page.goto(TOPICS)
    slider = dial(page, "Groups")
    slider.press("Home")
    expect(groups(page)).to_have_count(1)
    slider.press("ArrowRight")
    expect(groups(page)).to_have_count(2)
    expect(slider).to_be_focused()


def test_specific_tags_are_rarer_than_popular_ones(page):
    def counts():
        return [
            int(text.split()[0].replace(",", ""))
            for text in page.locator(".related li small").evaluate_all("all => all.map(one => one.textContent)")
        ]

    page.goto(f"{ICONS}&tag=payment")
    slider = dial(page, "Popular to specific")
    slider.fill("0")
    expect(page).to_have_url(re.compile("specificity=0$"))
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    popular = counts()
    slider.fill("1")
    expect(page).to_have_url(re.compile("specificity=1$"))
    assert sum(counts()) < sum(popular)


def test_an_unknown_word_offers_what_was_meant(page, keep, accessible):
    page.goto(f"{TOPICS}&q=gitarr")
    notice = page.locator("#results .notice")
    expect(notice).to_contain_text("Nothing here is called 'gitarr'")
    expect(groups(page).first).to_be_visible()
    accessible(page)
    keep(page, "search-unknown-word")
    notice.get_by_role("link", name="guitar").click()
    expect(chips(page)).to_have_text(["guitar"])


def test_an_unknown_tag_in_a_link_leaves_the_others(page):
    page.goto(f"{TOPICS}&tag=cash&tag=nonsense")
    expected(page, "404")
    expect(chips(page)).to_have_text(["cash"])
    expect(page.locator("#results .notice")).to_contain_text("There is no tag 'nonsense' in topics")


def test_words_that_are_half_understood_are_told(page, keep):
    page.goto(f"{ICONS}&q=paymnet+xylofoon")
    expect(page.locator(".meant").first).to_have_text("“paymnet” was taken for payment.")
    expect(page.locator(".meant").last).to_contain_text("“xylofoon” is not a word we know.")
    keep(page, "search-half-understood")


def test_one_can_switch_between_corpora(page, keep):
    page.goto(TOPICS)
    page.locator(".switch:not(.builders) summary").click()
    keep(page, "search-corpora")
    page.locator(".switch").get_by_role("link", name="Icons and their keywords").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Icons and their keywords")
    expect(page).to_have_url(re.compile("corpus=icons"))


def test_a_heading_opens_its_group_at_an_address_of_its_own_and_back_leads_out(page):
    page.goto(f"{ICONS}&tag=payment")
    groups(page).first.locator("h2 a").click()
    expect(page).to_have_url(re.compile(r"tag=payment&group="))
    expect(groups(page).first).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile(r"tag=payment$"))
    expect(chips(page)).to_have_text(["payment"])
    page.goto(f"{ICONS}&tag=payment#group-nothing")
    expect(groups(page).first).to_be_visible()
    expect(page.locator("section.group:target")).to_have_count(0)


MOTIONS = """() => {
  window.motions = [];
  const start = document.startViewTransition?.bind(document);
  if (start) document.startViewTransition = (change) => {
    const motion = start(change);
    motion.ready.then(() => motions.push(...document.getAnimations().map(({ effect }) => effect.pseudoElement)));
    return motion;
  };
}"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_group_that_opens_grows_from_its_card_for_those_who_want_motion(visitor, motion):
    page = visitor(reduced_motion=motion)
    page.add_init_script(f"({MOTIONS})()")
    page.goto(f"{ICONS}&tag=payment")
    groups(page).first.locator("h2 a").click()
    expect(page.locator(".chips .opened")).to_be_visible()
    if motion == "no-preference":
        growing = "motions.includes('::view-transition-group(opened)')"
        wait_until(lambda: page.evaluate(growing), "a card that grows")
    else:
        assert page.evaluate("motions") == []
    named = "document.getElementById('results').style.viewTransitionName"
    wait_until(lambda: not page.evaluate(named), "the end of the motion")
    groups(page).first.locator(".tags a").first.click()
    expect(page).to_have_url(re.compile("tag=payment&tag="))


def test_a_group_opens_in_browsers_that_show_no_motion(visitor):
    page = visitor(reduced_motion="no-preference")
    page.add_init_script("delete Document.prototype.startViewTransition")
    page.goto(f"{ICONS}&tag=payment")
    groups(page).first.locator("h2 a").click()
    expect(page.locator(".chips .opened")).to_be_visible()


def test_the_headings_of_the_first_view_open_their_groups(page):
    page.goto(ICONS)
    groups(page).first.locator("h2 a").click()
    expect(page).to_have_url(re.compile(r"[?&]group="))
    expect(groups(page).first).to_be_visible()


def test_it_is_readable_on_a_phone(visitor, keep, accessible):
    page = visitor(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.goto(f"{ICONS}&tag=payment")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    accessible(page)
    keep(page, "search-phone")


def test_it_follows_the_dark_mode_of_the_system(visitor, keep, accessible):
    light, dark = visitor(color_scheme="light"), visitor(color_scheme="dark")
    for page in (light, dark):
        page.goto(f"{ICONS}&tag=payment")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert light.evaluate(ground) != dark.evaluate(ground)
    accessible(dark)
    keep(dark, "search-dark")


def test_it_is_useful_without_javascript(visitor, keep):
    page = visitor(java_script_enabled=False)
    page.goto(TOPICS)
    box(page).fill("payments")
    dial(page, "Groups").press("Home")
    page.get_by_role("button", name="Search").click()
    expect(chips(page)).to_have_text(["payment"])
    expect(groups(page)).to_have_count(1)
    groups(page).first.get_by_role("link", name="cash").click()
    expect(chips(page)).to_have_text(["payment", "cash"])
    page.get_by_role("link", name="Remove payment").click()
    expect(chips(page)).to_have_text(["cash"])
    keep(page, "search-without-javascript")


def test_the_first_view_is_under_100_kb(page):
    answers = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - playwright marks what it is given
    page.goto(ICONS)
    page.wait_for_load_state("networkidle")
    travelled = sum(answer.request.sizes()["responseBodySize"] for answer in answers)
    print(f"first view: {len(answers)} requests, {travelled} bytes")
    assert travelled < 100_000


def test_a_service_that_cannot_be_reached_is_told_and_asked_again(page, keep):
    page.goto(f"{TOPICS}&tag=payment")
    page.context.set_offline(True)
    groups(page).first.get_by_role("link", name="cash").click()
    trouble = page.get_by_role("alert")
    expect(trouble).to_contain_text("could not be reached")
    expect(chips(page)).to_have_text(["payment"])
    keep(page, "search-unreachable")
    page.context.set_offline(False)
    trouble.get_by_role("button", name="Try again").click()
    expect(chips(page)).to_have_text(["payment", "cash"])
    expect(trouble).to_be_hidden()
    expected(page, "ERR_INTERNET_DISCONNECTED")


def test_a_slow_answer_is_shown_as_such(page):
    page.goto(f"{TOPICS}&tag=payment")
    held = []
    page.route(re.compile("tag=cash"), lambda route: held.append(route))  # noqa: PLW0108 - as above
    groups(page).first.get_by_role("link", name="cash").click()
    expect(page.locator("html.waiting")).to_be_attached()
    expect(page.locator("#results")).to_have_attribute("aria-busy", "true")
    turns = page.evaluate("getComputedStyle(document.documentElement, '::before').animationIterationCount")
    assert turns == "1", "these pages are visited with reduced motion"
    held[0].continue_()
    expect(chips(page)).to_have_text(["payment", "cash"])
    expect(page.locator("html.waiting")).not_to_be_attached()


@pytest.fixture
def store_away(served):
    """The store does not answer; afterwards it does again."""
    pid = wait_until(lambda: served.pid("store"), "a running store")
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
        served.everywhere(lambda ready: ready["store"], "the store back")


def test_a_store_that_is_away_is_told_while_answers_go_on(page, keep, accessible, store_away, served):
    served.everywhere(lambda ready: not ready["store"], "noticing that the store is away")
    page.goto(f"{ICONS}&tag=payment")
    expect(page.locator("#stale")).to_contain_text("what you see may be out of date")
    expect(groups(page).first).to_be_visible()
    accessible(page)
    keep(page, "search-stale")


def test_a_corpus_that_does_not_exist_is_told(page):
    page.goto("/?corpus=nothing")
    expected(page, "404")
    expect(page.get_by_role("heading", level=1)).to_have_text("Not found")
    page.get_by_role("link", name="Four topics").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Four topics")


def test_the_page_of_a_corpus_that_failed_says_why_and_does_not_wait(visitor, keep, accessible):
    for scheme in ("light", "dark"):
        page = visitor(color_scheme=scheme)
        answer = page.goto("/?corpus=broken")
        expected(page, "503")
        assert "refresh" not in answer.headers
        expect(page.get_by_role("heading", level=1)).to_have_text("Cannot be shown")
        expect(page.get_by_role("status")).to_contain_text("This collection is not there.")
        page.locator(".behind summary").click()
        expect(page.locator(".behind")).to_contain_text("There is no snapshot of broken; its last run failed (")
        expect(page.locator(".behind")).not_to_contain_text("broken.jsonl")
        accessible(page)
    keep(page, "failed-dark")


def test_a_dial_that_is_off_says_when_it_is_on(page):
    page.goto("/?corpus=icons")
    dial(page, "Groups")
    note = page.get_by_text("once you search")
    expect(note).to_be_visible()
    page.locator(".group .tags a").first.click()
    expect(page.locator("#specificity")).to_be_enabled()
    expect(note).to_be_hidden()
