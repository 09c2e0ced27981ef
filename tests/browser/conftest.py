"""A real browser. Where there is none the tests say so, and under CI they fail."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.conftest import topic_documents, write_jsonl
from tests.e2e.launching import Up

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = Path(__file__).parents[1] / "screenshots"


@pytest.fixture(scope="session")
def chromium():
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if binary is None:
        message = "NO BROWSER: the page was not tested; install chromium"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """All of Cotag, serving the four topics."""
    folder = tmp_path_factory.mktemp("browser")
    write_jsonl(folder / "topics.jsonl", topic_documents())
    (folder / "corpora.toml").write_text('[corpora.topics]\ntitle = "Four topics"\nsource = "topics.jsonl"\n')
    with Up(folder / "data", folder / "corpora.toml").ready() as up:
        yield up


@pytest.fixture
def page(chromium, served):
    """A page that notes console errors and requests to elsewhere; there must be none."""
    context = chromium.new_context(base_url=served.url, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    faults = []
    page.on("console", lambda message: message.type == "error" and faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: request.url.startswith(served.url) or faults.append(request.url))
    page.faults = faults
    yield page
    context.close()
    assert [fault for fault in faults if "404" not in fault] == []


@pytest.fixture
def keep(page):
    """Keeps a picture of the page beside the tests."""

    def screenshot(name):
        SCREENSHOTS.mkdir(exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)

    return screenshot
