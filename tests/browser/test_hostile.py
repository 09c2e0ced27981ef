"""A published corpus of hostile names: no page, drawing, export or embed runs or loads anything of it."""

import html
import os
import subprocess
import sys
from urllib.parse import quote, urlencode

import httpx
import pytest
from playwright.sync_api import expect

from service.pages.frame.frame import PAGES
from tests.browser.conftest import visits
from tests.browser.test_embed import PAGE, Site
from tests.conftest import write_jsonl
from tests.e2e.launching import Up

MARK = "window.hostile=1"
HOSTILE = [
    f"<script>{MARK}</script>",
    f'"><img src=x onerror="{MARK}">',
    f"'><svg onload={MARK}>",
    f"</title><script>{MARK}</script>",
    f"</script><script>{MARK}</script>",
    f"javascript:{MARK}//",
    "{{7*7}} ${7*7}",
    "]]><!--<iframe srcdoc='x'>",
]
CORPORA = f"""
[corpora.hostile]
title = '''{HOSTILE[0]}{HOSTILE[1]}'''
source = "hostile.jsonl"
min_count = 2
"""


def documents():
    """Two groups of hostile tags; every document has a hostile id, title and label."""
    for number in range(80):
        tags = HOSTILE[: len(HOSTILE) // 2] if number % 2 else HOSTILE[len(HOSTILE) // 2 :]
        yield {
            "id": f"{HOSTILE[number % len(HOSTILE)]} {number}",
            "tags": [tags[(number + step) % len(tags)] for step in range(3)],
            "title": HOSTILE[(number + 1) % len(HOSTILE)],
            "label": HOSTILE[(number + 2) % len(HOSTILE)],
        }


@pytest.fixture(scope="module")
def hostile(tmp_path_factory, elsewhere):
    folder = tmp_path_factory.mktemp("hostile")
    write_jsonl(folder / "hostile.jsonl", documents())
    (folder / "corpora.toml").write_text(CORPORA)
    allowed = f"http://127.0.0.1:{elsewhere}"
    with Up(folder / "data", folder / "corpora.toml", COTAG_CORS_ORIGINS=allowed).ready() as up:
        yield up


def test_no_page_runs_or_loads_what_names_say(chromium, hostile):
    """In a browser, which would: nothing is executed, nothing is asked for elsewhere, no console error."""
    cluster = hostile.get("/v1/corpora/hostile/clusters")["clusters"][0]["id"]
    first = next(documents())["id"]
    with visits(chromium, hostile) as visit:
        page = visit()
        for name, shown in PAGES.items():
            for query in (*HOSTILE, ""):
                parameters = {"corpus": "hostile", "q": query, "tag": query}
                parameters = {"concept": {"id": str(cluster)}, "document": {"id": first}}.get(name, parameters)
                wanted = urlencode(parameters)
                page.goto(f"{shown.path}?{wanted}", wait_until="load")
                assert page.evaluate("window.hostile") is None, (name, query)
                assert page.locator("iframe, img[src='x'], [onerror], [onload]").count() == 0, (name, query)
                if name in {"concept", "document", "ops", "docs"}:
                    break
        page.faults[:] = [fault for fault in page.faults if "status of 4" not in fault]


def test_no_data_is_taken_for_a_page(hostile):
    """Answers and drawings are sent as what they are; browsers may not guess, and may run nothing in them."""
    for path in ("clusters", "tags", "dendrogram", "picture", "documents", "cloud", "changes?since=x"):
        answer = httpx.get(f"{hostile.url}/v1/corpora/hostile/{path}", timeout=30)
        assert "html" not in answer.headers["Content-Type"], path
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        if "svg" in answer.headers["Content-Type"]:
            assert "<script" not in answer.text


def harmless(page, where):
    assert page.evaluate("window.hostile") is None, where
    assert page.locator("iframe, img[src='x'], [onerror], [onload]").count() == 0, where


def test_the_static_site_runs_nothing_that_names_say(chromium, hostile, tmp_path):
    """Opened from plain files, where no header of ours protects it."""
    folder = tmp_path / "site"
    environment = {**os.environ, "COTAG_REDIS_URL": hostile.store_url}
    subprocess.run([sys.executable, "-m", "cotag", "export", "hostile", str(folder)], env=environment, check=True)
    pages = sorted(folder.rglob("*.html"))
    context = chromium.new_context()
    page = context.new_page()
    try:
        for path in pages:
            for query in ("", *HOSTILE):
                page.goto(f"{path.as_uri()}?q={quote(query)}#{quote(query)}", wait_until="load")
                harmless(page, (path.name, query))
        page.goto((folder / "index.html").as_uri())
        for name in HOSTILE:
            page.get_by_role("searchbox").fill(name)
            page.get_by_role("searchbox").press("Enter")
            page.wait_for_load_state()
            harmless(page, name)
        assert "onerror" in page.content()  # as text: the names are there
    finally:
        context.close()


def test_the_element_for_other_sites_runs_nothing_that_names_say(chromium, hostile, elsewhere):
    """On a page of another origin without a policy of its own."""
    site = Site(elsewhere)
    context = chromium.new_context()
    page = context.new_page()
    try:
        for name in HOSTILE:
            attributes = f'corpus="hostile" documents tags="{html.escape(name)}"'
            site.body = PAGE.format(url=hostile.url, attributes=attributes, content="").encode()
            page.goto(f"{site.url}/page")
            expect(page.locator("cotag-cloud section").first).to_be_attached()
            harmless(page, name)
    finally:
        context.close()
        site.server.shutdown()
        site.server.server_close()
