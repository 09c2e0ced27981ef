"""The static site in a real browser, opened from plain files."""

import os
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE_MS
from tests.browser.test_examples import site as hosted


@pytest.fixture(scope="module")
def site(served, tmp_path_factory):
    """Written by the command, from the store of a running service."""
    folder = tmp_path_factory.mktemp("export") / "site"
    subprocess.run(
        [sys.executable, "-m", "cotag", "export", "icons", str(folder)],
        env={**os.environ, "COTAG_REDIS_URL": served.store_url},
        check=True,
    )
    return folder


@pytest.fixture(scope="module")
def files(site):
    """Where it opens without any host."""
    return site.as_uri()


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: message.type == "error" and faults.append(message.text))
    page.on("request", lambda request: request.url.startswith("file:") or faults.append(request.url))
    yield page
    context.close()
    assert faults == []


def test_a_visitor_searches_chooses_goes_back_and_sees_a_concept(page, files, keep):
    page.goto(f"{files}/index.html")
    keep(page, "site-first")
    page.get_by_role("searchbox").fill("paym")
    expect(page.locator("#found a").first).to_contain_text("payment")
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Around payment")
    assert page.locator(".group").count() > 2
    keep(page, "site-tag")
    tag = page.locator(".group .tags li > a").first
    name = tag.inner_text()
    tag.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"payment and {name}")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Around payment")
    page.locator(".about a").click()
    expect(page.get_by_role("heading", level=2, name="Its tags")).to_be_visible()


def test_several_words_find_the_documents_with_all_of_them_and_rare_words_count_too(page, files, served):
    """The browser intersects; the service, which counts by itself, finds as many."""
    food = served.get("/v1/corpora/icons/documents?tag=food&match=all&limit=100")["documents"]
    rare = next(tag for document in food for tag in document["rare"])
    for tags in (["payment", "card"], ["food", rare]):
        page.goto(f"{files}/index.html")
        page.get_by_role("searchbox").fill(" ".join(tags))
        page.get_by_role("searchbox").press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(" and ".join(tags))
        query = "&".join(f"tag={tag}" for tag in tags)
        found = served.get(f"/v1/corpora/icons/documents?match=all&limit=100&{query}")
        heading = f"{found['total']} document{'' if found['total'] == 1 else 's'} with {' and '.join(tags)}"
        expect(page.locator(".documents h2")).to_have_text(heading)
        titles = {document["title"] for document in found["documents"]}
        shown = page.locator(".cards").first.locator("h3").all_inner_texts()
        assert len(shown) == min(found["total"], 12)
        assert set(shown) <= titles
    page.get_by_role("link", name="Remove food").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Around {rare}")


def test_map_and_tree_open_from_files_too(page, files):
    page.goto(f"{files}/map.html")
    page.locator(".canvas a[class]").first.click()
    expect(page.get_by_role("heading", level=2, name="Its tags")).to_be_visible()
    page.goto(f"{files}/tree.html")
    assert page.locator(".drawing img").evaluate("image => image.naturalWidth") > 300


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_host_every_page_is_accessible(visitor, site, elsewhere, accessible, *, scheme):
    page = visitor(color_scheme=scheme)
    with hosted(site, elsewhere) as url:
        for path in ("index.html", "index.html#payment", "concepts.html", "map.html", "tree.html"):
            page.goto(f"{url}/{path}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            accessible(page)
    page.faults.clear()  # it is another origin than the service, which the page notes
