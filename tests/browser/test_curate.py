"""The editors' page in a real browser: decisions that last, by mouse, keyboard and on a phone."""

import re

import pytest
from playwright.sync_api import expect

from service.web.policy.access import digest
from tests.browser.conftest import expected, visits
from tests.conftest import topic_documents, write_jsonl
from tests.e2e.launching import Up
from tests.waiting import wait_until
from tests.worker.corpora.test_proposals import planted

EDITOR, OPERATOR = "a key of an editor", "a key of an operator"
KEYS = f"Anna:edit:{digest(EDITOR)},Boss:operate:{digest(OPERATOR)}"
CURATE = "/curate?corpus=topics"
CROSS = "<img src=x onerror=alert(1)>"
CORPORA = """
[corpora.topics]
title = "Four topics"
source = "topics.jsonl"
schedule = "24h"

[corpora.hostile]
title = "Hostile tags"
source = "hostile.jsonl"
schedule = "24h"

[corpora.staged]
title = "New tags wait"
source = "staged.jsonl"
schedule = "24h"
new_tags = "staged"
"""
NEW = (["rain", "snow", "stromy"], ["wind", "forecast", "drizzel"], ["piano", "drum", "xqx"])


def write(folder, count):
    write_jsonl(folder / "topics.jsonl", [{"id": each.id, "tags": each.tags} for each in planted(count)])


@pytest.fixture(scope="module")
def curated(tmp_path_factory):
    """All of Cotag, serving topics in which tags have other names, and a corpus whose tags are HTML."""
    folder = tmp_path_factory.mktemp("curated")
    write(folder, 800)
    hostile = {"recipe": f"{CROSS} recipe", "recipes": f"{CROSS} recipes", "wallet": f"{CROSS} wallet"}
    documents = [{"id": each.id, "tags": [hostile.get(tag, tag) for tag in each.tags]} for each in planted(400)]
    write_jsonl(folder / "hostile.jsonl", documents)
    added = [{"id": f"new{number}", "tags": tags} for number, tags in enumerate(NEW)]
    write_jsonl(folder / "staged.jsonl", [*topic_documents(), *added])
    (folder / "corpora.toml").write_text(CORPORA)
    with Up(folder / "data", folder / "corpora.toml", COTAG_API_KEYS=KEYS).ready() as up:
        up.everywhere(lambda ready: len(ready["corpora"]) == 3, "serving all corpora")
        yield up


@pytest.fixture
def visitor(chromium, curated):
    with visits(chromium, curated) as visit:
        yield visit


def opened(visitor, address=CURATE, key=EDITOR, **options):
    page = visitor(**options)
    page.goto(address)
    if key:
        page.get_by_label("API key").fill(key)
        page.get_by_label("API key").press("Tab")
        expect(page.locator("#decisions-note")).not_to_contain_text("With a key")
    return page


def proposal(page, tag, other):
    return page.locator(f'.proposal[data-tag="{tag}"][data-other="{other}"]')


def told(page, text):
    expect(page.locator("#announcement")).to_contain_text(text)


def show_concept_of(page, name):
    number = page.request.get(f"/v1/corpora/topics/tag?tag={name}").json()["cluster"]
    page.goto(f"{CURATE}&id={number}")
    page.get_by_label("API key").fill(EDITOR)


def undo_all(page):
    """Undo every decision in the list."""
    buttons = page.locator("#decisions button")
    while left := buttons.count():
        buttons.first.click()
        expect(buttons).to_have_count(left - 1)


def tag(curated, name):
    return curated.get(f"/v1/corpora/topics/tag?tag={name}")


def test_proposals_are_shown_with_their_evidence(visitor, keep, accessible):
    page = opened(visitor, key=None)
    card = (
        proposal(page, "wallet", "purse")
        if proposal(page, "wallet", "purse").count()
        else page.locator(".proposal").first
    )
    expect(card).to_contain_text(re.compile(r"\d+ documents and \d+ documents, \d+ with both; company \d+ % alike"))
    expect(card.locator(".samples li")).to_have_count(2)
    expect(card.locator("mark").first).to_be_visible()
    page.get_by_role("link", name=re.compile("^Variant")).click()
    expect(page).to_have_url(re.compile("kind=variant"))
    expect(page.locator(".proposal .pill")).to_have_text(["variant", "variant"])
    accessible(page)
    keep(page, "curate")


def test_nothing_is_decided_without_a_key_that_may(visitor):
    page = opened(visitor, key=None)
    same = page.locator(".proposal").first.get_by_role("button", name="Same")
    same.click()
    expect(page.get_by_role("alert")).to_contain_text("Type an API key first")
    expect(page.get_by_label("API key")).to_be_focused()
    page.get_by_label("API key").fill("wrong")
    same.click()
    expect(page.get_by_role("alert")).to_contain_text("This key may not decide anything here")
    expected(page, "401")


def test_the_key_is_nowhere_but_in_its_field_and_its_header(visitor):
    page = visitor()
    sent = []
    page.on("request", lambda request: [sent.append(request)])
    page.goto(CURATE)
    page.get_by_label("API key").fill(EDITOR)
    page.get_by_label("API key").press("Tab")
    expect(page.locator("#decisions-note")).not_to_contain_text("With a key")
    with_key = [request for request in sent if request.headers.get("x-api-key") == EDITOR]
    assert with_key
    assert all("/edits" in request.url for request in with_key)
    assert not any(EDITOR.replace(" ", "%20") in request.url or EDITOR in request.url for request in sent)
    assert page.context.cookies() == []
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
    page.reload()
    expect(page.get_by_label("API key")).to_have_value("")


def test_it_works_by_keyboard_alone(visitor):
    page = opened(visitor)
    first, second = (page.locator(".proposal").nth(place).get_by_role("button").nth(2) for place in (0, 1))
    follower = second.get_attribute("id")
    first.focus()
    page.keyboard.press("l")
    told(page, "later")
    expect(page.locator(f'[id="{follower}"]')).to_be_focused()
    page.get_by_role("button", name="Undo", exact=True).focus()
    page.keyboard.press("Enter")
    told(page, "Undone")
    tags = page.locator(".members .tag")
    name = tags.nth(1).text_content()
    tags.nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text(name)
    expect(page.get_by_label("Move it to")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#decisions li")).to_have_count(0)


def test_a_tag_is_banned_and_the_ban_undone(visitor):
    page = opened(visitor)
    name = page.locator(".members .tag").nth(2).text_content()
    page.locator(".members .tag").nth(2).click()
    page.get_by_role("button", name="Leave it out").click()
    told(page, f"“{name}” is left out. It takes effect with the next run.")
    expect(page.locator("#decisions li")).to_contain_text([f"“{name}” is left out"])
    page.locator("#decisions").get_by_role("button", name="Undo").click()
    told(page, "Undone")
    expect(page.locator("#decisions li")).to_have_count(0)


def test_two_editors_decide_at_once_and_both_hold(visitor):
    one, other = opened(visitor), opened(visitor)
    one.locator(".proposal").nth(0).get_by_role("button", name="Later").click()
    told(one, "later")
    other.locator(".proposal").nth(1).get_by_role("button", name="Later").click()
    told(other, "later")
    expect(other.locator("#decisions li")).to_have_count(2)
    expected(other, "412")
    undo_all(other)


def test_a_contradiction_is_told(visitor):
    page = opened(visitor)
    card = page.locator(".proposal[data-other]").first
    decided = {"tag": card.get_attribute("data-tag"), "other": card.get_attribute("data-other")}
    ban = {"edits": [{"kind": "ban", "tag": decided["other"]}]}
    headers = {
        "X-API-Key": EDITOR,
        "If-Match": page.request.get("/v1/corpora/topics/edits", headers={"X-API-Key": EDITOR}).headers["etag"],
    }
    assert page.request.post("/v1/corpora/topics/edits", headers=headers, data=ban).ok
    card.get_by_role("button", name="Same").click()
    expect(page.get_by_role("alert")).to_contain_text(decided["other"])
    expected(page, "409")
    expected(page, "412")
    page.reload()
    page.get_by_label("API key").fill(EDITOR)
    page.get_by_label("API key").press("Tab")
    expect(page.locator("#decisions button")).to_have_count(1)
    undo_all(page)


def test_tags_and_names_that_are_html_are_shown_as_text(visitor, curated):
    """Everywhere: an editor's label is stored, and every page shows it."""
    page = opened(visitor, "/curate?corpus=hostile")
    expect(page.locator(".proposal", has_text=CROSS).first).to_be_visible()
    number = curated.get("/v1/corpora/hostile/tag?tag=cash")["cluster"]
    page.goto(f"/curate?corpus=hostile&id={number}")
    page.get_by_label("API key").fill(EDITOR)
    page.get_by_label("Its name").fill(f"\"'>{CROSS}<script>alert(2)</script>")
    page.get_by_role("button", name="Rename").click()
    told(page, CROSS)
    expect(page.locator("#chosen-title")).to_have_text(f"\"'>{CROSS}<script>alert(2)</script>")
    page.locator(".members .tag", has_text=CROSS).first.click()
    expect(page.locator("#menu-title")).to_contain_text(CROSS)
    page.keyboard.press("Escape")
    wait_until(lambda: CROSS in curated.get("/v1/corpora/hostile/tag?tag=cash")["label"], "the label everywhere")
    for address in (
        f"/concept?corpus=hostile&id={number}",
        "/concept?corpus=hostile",
        "/?corpus=hostile",
        "/explore?corpus=hostile",
    ):
        page.goto(address)
        assert page.locator("img[src=x], main script").count() == 0
    undo_all(opened(visitor, "/curate?corpus=hostile"))


def test_it_fits_a_phone_in_the_dark_and_shows_proposals_without_javascript(visitor, keep, accessible):
    phone = opened(visitor, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, color_scheme="dark")
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    accessible(phone)
    keep(phone, "curate-phone")
    phone.locator(".proposal").first.get_by_role("button", name="Later").tap()
    told(phone, "later")
    phone.get_by_role("button", name="Undo", exact=True).tap()
    told(phone, "Undone")
    plain = visitor(java_script_enabled=False)
    plain.goto(CURATE)
    expect(plain.locator(".proposal").first).to_contain_text("documents")
    expect(plain.get_by_label("API key")).to_be_hidden()
    expect(plain.get_by_text("cotag proposals topics --toml")).to_be_visible()


def test_a_tag_is_related_described_and_tried(visitor, accessible, curated):
    """A trial changes nothing and names the tag whose documents change; a circle is refused and named."""
    page = opened(visitor)
    form = page.locator("#relate")
    form.get_by_label("Tag", exact=True).fill("rain")
    form.get_by_label("Other tag").fill("sun")
    before = tag(curated, "sun")["count"]
    form.get_by_role("button", name="Try").click()
    expect(page.locator("#relate-report")).to_contain_text(f"“sun”: {before} documents, then ")
    expect(page.locator("#decisions li")).to_have_count(0)
    accessible(page)
    form.get_by_role("button", name="Say so").click()
    told(page, "“rain” is a kind of “sun”")
    form.get_by_label("Tag", exact=True).fill("sun")
    form.get_by_label("Other tag").fill("rain")
    form.get_by_role("button", name="Say so").click()
    expect(page.get_by_role("alert")).to_contain_text("round in a circle: 'rain' is a kind of 'sun'")
    expected(page, "409")
    form.get_by_label("Say").select_option("means")
    form.get_by_label("In a sentence").fill("What *shines*.")
    form.get_by_role("button", name="Say so").click()
    told(page, "“sun” is described: What *shines*.")
    expect(page.locator("#announcement")).not_to_contain_text("..")  # a description ends a sentence itself
    form.get_by_label("Tag", exact=True).fill("recipe")
    form.get_by_label("Say").select_option("implies")
    form.get_by_label("Other tag").fill("oven")
    form.get_by_role("button", name="Try").click()
    expect(page.locator("#relate-report")).to_contain_text("“oven”: ")
    undo_all(opened(visitor))


def test_new_tags_are_tried_admitted_replaced_and_banned(visitor, keep, accessible):
    """A trial admits nothing; each button takes the tag from the list, and undoing it brings the tag back."""
    page = opened(visitor, "/curate?corpus=staged&kind=staged")
    cards = page.locator(".proposal")
    expect(cards).to_have_count(len(NEW))
    unlike = page.locator('.proposal[data-tag="xqx"]')
    expect(unlike.get_by_role("button", name=re.compile("^Same as"))).not_to_have_count(0)
    accessible(page)
    keep(page, "curate-staged")
    form = page.locator("#relate")
    form.get_by_label("Say").select_option("admit")
    form.get_by_label("Tag", exact=True).fill("xqx")
    form.get_by_role("button", name="Try").click()
    expect(page.locator("#relate-report")).to_contain_text("“xqx”: no documents, then 1")
    expect(page.locator("#decisions li")).to_have_count(0)
    choice = unlike.get_by_role("button", name=re.compile("^Same as")).first
    known = choice.get_attribute("data-to")
    for button, said in (
        (unlike.get_by_role("button", name="Admit"), "“xqx” is admitted. It takes effect with the next run."),
        (choice, f"“xqx” is “{known}”. It takes effect with the next run."),
        (unlike.get_by_role("button", name="Leave out"), "“xqx” is left out. It takes effect with the next run."),
    ):
        button.click()
        told(page, said)
        expect(cards).to_have_count(len(NEW) - 1)
        expect(page.locator("#decisions li")).to_have_count(1)
        page.get_by_role("button", name="Undo", exact=True).click()
        told(page, "Undone")
        expect(cards).to_have_count(len(NEW))
        expect(page.locator("#decisions li")).to_have_count(0)


SOUNDS = "Sounds & <em>music</em>"


def test_an_editors_day(visitor, curated, keep):
    """Accept, reject, rename, move, undo; after a run with 5 % more documents all of it holds, and ids stay.

    The last test of this file: it changes what a run proposes.
    """
    before = {name: tag(curated, name)["cluster"] for name in ("recipe", "forecast", "guitar", "rain", "cash", "oven")}
    counts = {name: tag(curated, name)["count"] for name in ("recipe", "recipes")}
    commoner, rarer = sorted(counts, key=lambda name: -counts[name])
    page = opened(visitor)
    decide_about_names(page, commoner, rarer)
    decide_about_concepts(page, curated, keep, before["guitar"])

    version = curated.version()
    write(curated.data.parent, 840)
    assert page.request.post("/v1/corpora/topics/jobs", headers={"X-API-Key": OPERATOR}).status == 202
    curated.everywhere(lambda ready: ready["corpora"]["topics"] > version, "serving the run with more documents")

    assert tag(curated, commoner)["synonyms"] == [rarer]
    assert tag(curated, commoner)["count"] > sum(counts.values())
    assert tag(curated, "forcast")["tag"] == "forcast"
    after = {name: tag(curated, name)["cluster"] for name in before}
    assert after == {**before, "oven": before["guitar"]}
    assert tag(curated, "spice")["cluster"] == before["guitar"]
    assert tag(curated, "guitar")["label"] == SOUNDS
    listed = curated.get("/v1/corpora/topics/proposals?limit=1000")["proposals"]
    pairs = {frozenset((each["tag"], each["other"])) for each in listed}
    assert frozenset(("forecast", "forcast")) not in pairs
    assert frozenset(("recipe", "recipes")) not in pairs
    assert frozenset(("temperature", "temprature")) in pairs
    undo_all(opened(visitor))


def decide_about_names(page, commoner, rarer):
    """Accept one proposal, reject another, postpone a third and undo that."""
    proposal(page, commoner, rarer).get_by_role("button", name="Same").click()
    told(page, f"“{rarer}” is “{commoner}”. It takes effect with the next run.")
    expect(proposal(page, commoner, rarer)).to_have_count(0)
    proposal(page, "forecast", "forcast").get_by_role("button", name="Different").click()
    told(page, "are different")
    expect(proposal(page, "forecast", "forcast")).to_have_count(0)
    proposal(page, "temperature", "temprature").get_by_role("button", name="Later").click()
    told(page, "later")
    expect(proposal(page, "temperature", "temprature")).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    told(page, "Undone")
    expect(proposal(page, "temperature", "temprature")).to_have_count(1)


def decide_about_concepts(page, curated, keep, music):
    """Rename a concept, then move one tag to it by the menu and another by dragging."""
    show_concept_of(page, "guitar")
    page.get_by_label("Its name").fill(SOUNDS)
    page.get_by_role("button", name="Rename").click()
    told(page, f"is named “{SOUNDS}”")
    expect(page.locator("#chosen-title")).to_have_text(SOUNDS)
    show_concept_of(page, "oven")
    page.get_by_role("button", name="oven", exact=True).click()
    page.get_by_label("Move it to").select_option(label=SOUNDS)
    keep(page, "curate-menu", whole=False)
    page.get_by_role("button", name="Move", exact=True).click()
    told(page, "“oven” moves")
    expect(page.locator('.members [data-tag="oven"]')).to_have_count(0)
    wait_until(lambda: tag(curated, "oven")["cluster"] == music, "the moved tag")
    page.locator('.members [data-tag="spice"]').drag_to(page.locator(".targets li", has_text=SOUNDS))
    told(page, "“spice” moves")
    expect(page.locator('.members [data-tag="spice"]')).to_have_count(0)
    expect(page.locator("#decisions")).to_contain_text("Anna")
    keep(page, "curate-decisions")
