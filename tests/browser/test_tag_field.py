"""The field for tags: keyboard, suggestions, doubles, forms, and browsers without modules or JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import expected
from tests.browser.test_embed import Site

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A form</title><link rel="icon" href="data:,">
<body><main><h1>A form of its own</h1>
{script}
<form action="/page"><p><label>Title <input id="headline" name="title"></label></p>
<p><label>Text <textarea id="body" name="text"></textarea></label></p>
<label for="field">Keywords</label>
<cotag-tags id="field" corpus="{corpus}" name="tags" for-title="headline" for-text="body" {attributes}
><input name="tags" value="card" aria-label="Keywords"></cotag-tags>
<button>Save</button> <button type="reset">Start again</button></form></main>"""


@pytest.fixture
def form(visits_elsewhere, served, elsewhere):
    """Opens a form of another site with the field in it, by a module or by a classic script."""
    site = Site(elsewhere)

    def visit(attributes="", script="module", corpus="icons", **options):
        address = f"{served.url}/static/cotag-tags.js"
        kind = {
            "module": f'<script type="module" src="{address}"></script>',
            "classic": f'<script src="{address}"></script>',
        }
        body = PAGE.format(script=kind[script], corpus=corpus, attributes=attributes)
        site.body = body.encode()
        page = visits_elsewhere(**options)
        page.goto(f"{site.url}/page")
        return page

    yield visit
    site.server.shutdown()
    site.server.server_close()


@pytest.fixture
def visits_elsewhere(chromium):
    """Opens pages of other sites; notes errors, of which there must be none."""
    contexts, faults = [], []

    def visit(**options):
        context = chromium.new_context(**{"viewport": {"width": 900, "height": 700}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.faults = faults
        return page

    yield visit
    for context in contexts:
        context.close()
    assert faults == []


def box(page):
    return page.get_by_role("combobox", name="Keywords")


def chips(page):
    return page.get_by_role("list", name="Chosen tags").get_by_role("listitem")


def offers(page):
    return page.get_by_role("group", name="Suggested tags").get_by_role("button")


def said(page):
    return page.locator("cotag-tags").get_by_role("status")


def submitted(page):
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**tags=**")
    return page.evaluate("new URLSearchParams(location.search).getAll('tags')")


def test_the_keyboard_chooses_removes_and_submits(form, keep, accessible):
    """A combobox as the ARIA practices describe it: arrows, Enter, Escape, Backspace; all of it is said."""
    page = form('value=""')
    box(page).press_sequentially("pay")
    options = page.get_by_role("option")
    expect(options.first).to_contain_text("pay")
    expect(options.first).to_contain_text("documents")
    expect(box(page)).to_have_attribute("aria-expanded", "true")
    expect(said(page)).to_contain_text("to choose from")
    accessible(page)
    keep(page, "tag-field-options")
    box(page).press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(box(page)).to_have_attribute("aria-activedescendant", "option0")
    tag = options.first.locator("span").inner_text()
    box(page).press("Enter")
    expect(chips(page)).to_have_count(1)
    expect(said(page)).to_contain_text(f"{tag} added, 1 chosen")
    expect(box(page)).to_have_attribute("aria-expanded", "false")
    box(page).press_sequentially("a word of my own,")
    expect(chips(page)).to_have_count(2)
    box(page).press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Delete")
    expect(chips(page)).to_have_count(1)
    expect(chips(page).first).to_contain_text("a word of my own")
    page.keyboard.press("ArrowRight")
    expect(box(page)).to_be_focused()
    box(page).press_sequentially("pay")
    expect(options.first).to_be_visible()
    box(page).press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(box(page)).to_have_value("pay")
    box(page).fill("")
    box(page).press("Backspace")
    expect(chips(page)).to_have_count(0)


def test_suggestions_follow_the_title_the_text_and_what_is_chosen(form, accessible, keep):
    page = form('value=""')
    expect(offers(page)).to_have_count(0)
    page.get_by_label("Title").fill("credit card")
    expect(offers(page).first).to_be_visible()
    by_title = offers(page).all_inner_texts()
    page.get_by_label("Text").fill("a snowflake, for winter weather")
    expect(offers(page).filter(has_text=re.compile("snow|winter|weather")).first).to_be_visible()
    assert offers(page).all_inner_texts() != by_title
    offer = offers(page).first
    expect(offer).to_have_attribute("title", re.compile("word|usual|documents like"))
    name = offer.inner_text().removeprefix("+ ")
    offer.click()
    expect(chips(page)).to_have_count(1)
    expect(chips(page).first).to_contain_text(name)
    expect(offers(page).filter(has_text=re.compile(rf"^\+ {re.escape(name)}$"))).to_have_count(0)
    box(page).press("ArrowDown")  # an empty field opens what is suggested
    expect(page.get_by_role("option").first).to_be_visible()
    accessible(page)
    keep(page, "tag-field")


def test_a_double_is_asked_about_and_replaced(form):
    page = form('value="paymnet"')
    expect(page.get_by_text("“paymnet”: did you mean")).to_be_visible()
    page.get_by_role("button", name="payment", exact=True).click()
    expect(chips(page)).to_have_text([re.compile("^payment")])
    expect(page.get_by_text("did you mean")).to_have_count(0)
    expect(said(page)).to_contain_text("payment instead of paymnet")
    assert submitted(page) == ["payment"]


def test_a_tag_that_nothing_is_like_is_marked_as_new(form):
    page = form('value="qqqqqqqq"')
    expect(page.locator("cotag-tags .chip.new")).to_contain_text("new here")


@pytest.mark.parametrize("script", ["module", "classic"])
def test_a_form_submits_the_tags_once_and_what_was_half_written_too(form, script):
    page = form(script=script)
    expect(chips(page)).to_have_count(1)  # what the plain field inside had
    box(page).fill("cash")
    expect(page.get_by_role("option").first).to_be_visible()
    box(page).press("Escape")  # the list covers the button
    assert submitted(page) == ["card, cash"]


def test_one_value_for_each_tag_if_the_page_wants_that(form):
    page = form("multiple value='card, cash'")
    expect(chips(page)).to_have_count(2)
    assert submitted(page) == ["card", "cash"]


def test_a_required_field_holds_the_form_until_there_is_a_tag(form):
    page = form("required value=''")
    page.get_by_role("button", name="Save").click()
    expect(box(page)).to_be_focused()
    assert "tags=" not in page.url
    assert not page.evaluate("document.querySelector('form').checkValidity()")
    box(page).fill("card,")
    assert submitted(page) == ["card"]


def test_a_form_resets_disables_and_labels_the_field(form):
    page = form("value='card'")
    page.get_by_text("Keywords", exact=True).click()
    expect(box(page)).to_be_focused()
    box(page).fill("cash,")
    expect(chips(page)).to_have_count(2)
    page.get_by_role("button", name="Start again").click()
    expect(chips(page)).to_have_count(1)
    page.locator("cotag-tags").evaluate("field => field.toggleAttribute('disabled', true)")
    expect(box(page)).to_be_disabled()


def test_a_page_hears_changes_and_sets_tags(form):
    page = form("value=''")
    page.evaluate("""() => { window.heard = []; const field = document.querySelector('cotag-tags');
        field.addEventListener('change', () => heard.push([...field.tags])); field.tags = ['card']; }""")
    expect(chips(page)).to_have_count(1)
    box(page).fill("cash,")
    expect(chips(page)).to_have_count(2)
    assert page.evaluate("heard") == [["card", "cash"]]
    assert page.evaluate("document.querySelector('cotag-tags').value") == "card, cash"


def test_without_javascript_the_plain_field_is_submitted(form):
    page = form(java_script_enabled=False)
    page.get_by_role("textbox", name="Keywords").fill("card, cash")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile("tags=card%2C\\+cash"))


def test_tags_can_be_written_while_the_service_has_no_answer(form):
    page = form("value=''", corpus="broken")
    box(page).fill("card,")
    expect(chips(page)).to_have_count(1)
    expected(page, "503")
    assert submitted(page) == ["card"]


def test_the_page_for_tagging_says_what_each_tag_would_do(page, keep, accessible):
    page.goto("/tag-it?corpus=icons")
    page.get_by_label("Title").fill("credit card")
    page.get_by_role("combobox", name="Tags").fill("paymnet")
    page.get_by_role("button", name="What would fit?").click()
    expect(page.get_by_role("heading", name="Tags that fit")).to_be_visible()
    expect(page.locator(".given li")).to_contain_text("paymnet stands for payment")
    fitting = page.locator(".fitting li")
    expect(fitting.first).to_contain_text(re.compile("The words? “"))
    expect(fitting.first).to_contain_text("Puts it beside")
    accessible(page)
    keep(page, "tag-it")
    page.locator(".given").get_by_role("link", name="payment").click()
    expect(page.locator(".given li")).to_contain_text("payment is a tag of")


def test_the_page_for_tagging_works_without_javascript(visitor):
    page = visitor(java_script_enabled=False)
    page.goto("/tag-it?corpus=icons")
    page.get_by_label("Title").fill("credit card")
    page.get_by_label("Tags, with commas between").fill("payment")
    page.get_by_role("button", name="What would fit?").click()
    tag = page.locator(".fitting .tag > a").first.inner_text()
    page.locator(".fitting .button").first.click()
    expect(page.locator(".given")).to_contain_text(f"{tag} is a tag of")
