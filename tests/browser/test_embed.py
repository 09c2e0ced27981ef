"""The web component: on its own page, and on a page of another origin."""

import http.server
import threading

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE_MS, expected

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A site</title>
<body><main><h1>A site of its own</h1><h2>Its tags</h2>
<script type="module" src="{url}/static/cotag-cloud.js"></script>
<cotag-cloud {attributes}>{content}</cotag-cloud></main>"""


class Site:
    """A site of another origin that serves one page."""

    def __init__(self, port):
        self.body = b""
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                found = self.path.startswith("/page")
                self.send_response(200 if found else 204)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(site.body if found else b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def site(elsewhere):
    found = Site(elsewhere)
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def stranger(chromium, served, site):
    """Opens a page of the other site with a cloud in it; notes errors."""
    contexts, faults = [], []

    def visit(attributes, at=None, content=""):
        site.body = PAGE.format(url=served.url, attributes=attributes, content=content).encode()
        context = chromium.new_context(viewport={"width": 1000, "height": 700})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.faults = faults
        page.goto(f"{at or site.url}/page")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert faults == []


def sections(page):
    return page.locator("cotag-cloud section")


def test_a_page_of_another_origin_shows_the_cloud(stranger, keep, accessible):
    page = stranger('corpus="icons" tags="payment" groups="5" limit="40"')
    expect(sections(page)).to_have_count(5)
    first = sections(page).first
    expect(first.get_by_role("heading", level=3)).to_be_visible()
    expect(first.get_by_role("button", name="money", exact=True)).to_be_visible()
    expect(first.locator("small").first).to_contain_text("documents")
    accessible(page)
    keep(page, "embed-elsewhere")


def test_choosing_a_tag_refines_and_chips_take_it_back(stranger):
    page = stranger('corpus="topics" tags="payment"')
    page.get_by_role("button", name="cash").click()
    expect(page.locator("cotag-cloud")).to_have_attribute("tags", "payment, cash")
    expect(page.locator(".chips button")).to_have_count(2)
    page.get_by_role("button", name="Remove payment").click()
    expect(page.locator("cotag-cloud")).to_have_attribute("tags", "cash")


def test_the_page_can_take_over_and_can_change_what_is_asked(stranger):
    page = stranger('corpus="topics" groups="4"')
    expect(sections(page)).to_have_count(4)
    page.evaluate(
        """() => {
          window.chosen = [];
          document.addEventListener("cotag-choose", (event) => {
            event.preventDefault();
            chosen.push(event.detail.tag);
          });
        }"""
    )
    page.get_by_role("button", name="guitar").click()
    assert page.evaluate("chosen") == ["guitar"]
    assert page.locator("cotag-cloud").get_attribute("tags") is None
    page.locator("cotag-cloud").evaluate("cloud => { cloud.tags = ['rain']; cloud.setAttribute('groups', 1); }")
    expect(sections(page)).to_have_count(1)
    expect(page.get_by_role("button", name="snow")).to_be_visible()


def test_tags_can_be_links_of_the_site(stranger):
    page = stranger('corpus="topics" tags="payment" href="/find?what={tag}" level="2"')
    link = page.get_by_role("link", name="credit card")
    expect(link).to_have_attribute("href", "/find?what=credit%20card")
    expect(sections(page).first.get_by_role("heading", level=2)).to_be_visible()


def test_an_unknown_tag_is_told_with_what_was_meant(stranger):
    page = stranger('corpus="topics" tags="gitarr"')
    expect(page.get_by_role("status")).to_contain_text("there is no tag 'gitarr' in topics. Did you mean guitar")
    expected(page, "404")
    page.get_by_role("button", name="guitar").click()
    expect(page.get_by_role("button", name="piano")).to_be_visible()


def test_unknown_tags_beside_known_ones_are_passed_over(stranger):
    """A page may list all tags of its document: the cloud shows those that the corpus knows, and names the others."""
    page = stranger('corpus="topics" tags="payment, house style, cash"')
    expect(page.get_by_role("status")).to_have_text("Passed over, as no tag here: house style.")
    expect(page.get_by_role("button", name="credit card")).to_be_visible()


def test_the_cloud_can_show_documents(stranger, keep, accessible):
    """`documents` puts some documents of the query below the cloud, with their titles and pictures."""
    page = stranger('corpus="icons" tags="payment" groups="4" documents="6"')
    expect(page.locator("cotag-cloud .documents li")).to_have_count(6)
    expect(page.locator("cotag-cloud .documents img").first).to_be_visible()
    accessible(page)
    keep(page, "embed-documents")


def test_if_no_tag_is_known_the_page_shows_its_own_content(stranger):
    """What stands between the tags of the element replaces an error about unknown tags."""
    page = stranger('corpus="topics" tags="house style, xyzzy"', content="<p>All our topics</p>")
    expect(page.get_by_text("All our topics")).to_be_visible()
    expect(page.get_by_role("status")).to_have_count(0)
    expected(page, "404")


def test_a_corpus_without_a_snapshot_is_told_with_the_reason(stranger, served, keep, accessible):
    page = stranger('corpus="broken"')
    expect(page.get_by_role("status")).to_contain_text("There is no snapshot of broken; its last run failed (")
    expect(page.get_by_role("status")).not_to_contain_text("broken.jsonl")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    expected(page, "503")
    accessible(page)
    keep(page, "embed-failed")


def test_an_origin_that_is_not_allowed_gets_no_tags_and_the_reason(stranger, site):
    page = stranger('corpus="topics" tags="payment"', at=site.url.replace("127.0.0.1", "localhost"))
    expect(page.get_by_role("status")).to_contain_text("does not allow pages of http://localhost")
    expect(page.get_by_role("status")).to_contain_text("COTAG_CORS_ORIGINS")
    assert page.locator("cotag-cloud section").count() == 0
    expected(page, "CORS policy")
    expected(page, "net::ERR_FAILED")


def test_the_builder_shows_lines_that_work_and_they_follow_every_choice(visitor, keep, accessible):
    page = visitor(permissions=["clipboard-read", "clipboard-write"])
    page.goto("/embed?corpus=icons")
    expect(sections(page).first).to_be_visible()
    expect(page.locator("#lines")).to_contain_text('<cotag-cloud corpus="icons" tags="')
    expect(page.get_by_text("COTAG_CORS_ORIGINS=")).to_be_visible()
    accessible(page)
    keep(page, "embed")
    page.get_by_label("Tags, with commas").fill("payment")
    page.get_by_label("Groups, at most").fill("3")
    page.get_by_label("Documents below").fill("6")
    expect(page.locator("#lines")).to_contain_text(
        'corpus="icons" tags="payment" groups="3" documents="6"></cotag-cloud>'
    )
    expect(sections(page)).to_have_count(3)
    expect(page.locator("cotag-cloud .documents li")).to_have_count(6)
    tag = page.locator("cotag-cloud section .tag").first
    name = tag.inner_text()
    tag.click()
    expect(page.get_by_label("Tags, with commas")).to_have_value(f"payment, {name}")
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#lines").inner_text()
    page.get_by_label("The whole corpus").check()
    expect(page.locator("#lines")).to_contain_text('<cotag-cloud corpus="icons" groups="3"')


def test_without_javascript_the_builder_writes_the_lines_too(visitor):
    page = visitor(java_script_enabled=False)
    page.goto("/embed?corpus=icons")
    page.get_by_label("Tags, with commas").fill('a "b" <c>')
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#lines")).to_contain_text('tags="a &#34;b&#34; &lt;c&gt;"></cotag-cloud>')


def test_an_example_of_the_api_is_tried_changed_and_copied(visitor):
    page = visitor(permissions=["clipboard-read", "clipboard-write"])
    page.goto("/docs")
    cloud = page.locator("#get_cloud .try")
    field = cloud.get_by_label("Address")
    assert "/cloud?" in field.input_value()
    field.fill("/v1/corpora/topics/cloud?tag=payment&groups=2")
    cloud.get_by_role("button", name="Try it").click()
    expect(cloud.get_by_role("status")).to_contain_text('"corpus": "topics"')
    cloud.get_by_role("button", name="Copy as curl").click()
    expect(cloud.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("curl 'http://127.0.0.1:")
    field.fill("/v1/corpora/topics/cloud?tag=qqqqq")
    cloud.get_by_role("button", name="Try it").click()
    expect(cloud.get_by_role("status")).to_contain_text("404")
    expected(page, "404")


def test_the_description_of_the_api_is_accessible_and_of_the_same_look(visitor, keep, accessible):
    for scheme in ("light", "dark"):
        page = visitor(color_scheme=scheme)
        page.goto("/docs")
        expect(page.get_by_role("link", name="API", exact=True)).to_have_attribute("aria-current", "page")
        accessible(page)
    keep(page, "docs-dark", whole=False)
