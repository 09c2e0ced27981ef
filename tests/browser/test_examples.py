"""The examples for page builders, each run as its README says, against a running service."""

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE_MS
from tests.e2e.launching import free_port
from tests.needs import missing
from tests.waiting import DEADLINE, wait_until

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_):
        pass


@contextmanager
def site(folder, port):
    """The files of a folder at another origin than the service."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def page(chromium):
    """A page of a browser that notes what fails."""
    context = chromium.new_context(viewport={"width": 1000, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: message.type == "error" and faults.append(message.text))
    yield page
    context.close()
    assert faults == []


def test_the_plain_page_shows_the_cloud_of_another_origin(page, served, elsewhere, tmp_path):
    """With the two lines of the page, and the CORS line that stands beside them."""
    text = (EXAMPLES / "html" / "index.html").read_text()
    assert "COTAG_CORS_ORIGINS=" in text
    text = text.replace("http://127.0.0.1:8000", served.url).replace('corpus="demo"', 'corpus="icons"')
    (tmp_path / "index.html").write_text(text)
    (tmp_path / "favicon.ico").touch()
    with site(tmp_path, elsewhere) as url:
        page.goto(url)
        expect(page.locator("cotag-cloud section").first).to_be_visible()
        expect(page.locator("cotag-cloud .documents img")).to_have_count(6)
        chosen = page.locator("cotag-cloud section .tag").first
        tag = chosen.inner_text()
        chosen.click()
        expect(page.locator("#chosen")).to_have_text(f"You chose {tag}.")
        page.get_by_label("Title").fill("A credit card to pay with")
        expect(page.get_by_role("group", name="Suggested tags").get_by_role("button").first).to_be_visible()
        page.get_by_role("combobox", name="Tags").fill("card,")
        page.get_by_role("button", name="Send").click()
        expect(page).to_have_url(re.compile(r"\?title=A\+credit\+card\+to\+pay\+with&tags=card$"))


def test_the_react_page_is_typed_builds_and_finds_documents(page, served, elsewhere, tmp_path):
    if shutil.which("npm") is None:
        missing("Node with npm (apt-get install nodejs npm)")
    for part in ("examples/react", "clients/js"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("node_modules", "dist"))
    folder = tmp_path / "examples" / "react"
    environment = {**os.environ, "VITE_COTAG_URL": served.url, "VITE_COTAG_CORPUS": "icons"}
    for command in (["npm", "install", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=10 * DEADLINE, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    (folder / "dist" / "favicon.ico").touch()
    with site(folder / "dist", elsewhere) as url:
        page.goto(url)
        tag = page.locator("cotag-cloud section .tag").first
        name = tag.inner_text()
        tag.click()
        remove = page.locator("cotag-tags").get_by_role("button", name=f"Remove {name}", exact=True)
        expect(remove).to_be_visible()
        expect(page.locator("main > ul > li")).to_have_count(12)
        remove.click()
        expect(page.locator("main > ul > li")).to_have_count(0)


@contextmanager
def django(**environment):
    """The Django example, running."""
    port = free_port()
    command = [sys.executable, "manage.py", "runserver", "--noreload", str(port)]
    with subprocess.Popen(
        command,
        cwd=EXAMPLES / "django",
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=DEADLINE) as client:
                wait_until(lambda: answers(client), "Django's answer")
                yield client
        finally:
            process.terminate()


def answers(client):
    try:
        return client.get("/").is_success
    except httpx.ConnectError:
        return False


@pytest.mark.slow
def test_the_django_page_groups_tags_lists_documents_and_outlives_the_service(served):
    with django(COTAG_URL=served.url, COTAG_CORPUS="icons") as site:
        first = site.get("/").text
        assert first.count("<section>") > 3
        tag = re.search(r'<a href="\?q=[^"]+">([^<]+)</a>', first)[1]
        found = site.get("/", params={"q": tag}).text
        assert re.search(r"<h2>\d+ with all these tags", found)
        assert f'<li><a href="{served.url}/' in found
        added = site.get("/add", params={"title": "Pay by card", "tags": f"{tag}, <b>qqqqq, "}).text
        assert f"<li>{tag}: kept" in added
        assert "<li>&lt;b&gt;qqqqq: new" in added
        assert re.search(r"It could also have [^<]+: the word", added)
        assert f'<cotag-tags id="field" api="{served.url}" corpus="icons" name="tags"' in added
        unknown = site.get("/", params={"q": "<b>qqqqq"}).text
        assert 'role="status"' in unknown
        assert "<b>" not in unknown
    with django(COTAG_URL=f"http://127.0.0.1:{free_port()}") as site:
        assert "not to be had" in site.get("/").text
        assert "not to be had" in site.get("/add", params={"tags": "card"}).text
