"""A real browser. Where there is none the tests say so, and under CI they fail."""

import gzip
import json
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

import demo
from service.web.policy.access import digest
from tests.conftest import topic_documents, write_jsonl
from tests.e2e.launching import Up, free_port
from tests.needs import missing
from tests.waiting import DEADLINE, wait_until

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = Path(__file__).parents[1] / "screenshots"
KEY = "a key for browsers"
CORPORA = """
[corpora.topics]
title = "Four topics"
source = "topics.jsonl"
min_count = 3
synonyms = { remuneration = "payment" }

[corpora.changing]
title = "Topics that change"
source = "changing.jsonl"

[corpora.icons]
title = "Icons and their keywords"
source = { files = "icons.jsonl", image = "icon", url = "icon", base_url = "/demo/icons/" }
schedule = "24h"
max_drift = 1.0

[corpora.broken]
title = "A corpus that fails"
source = "broken.jsonl"
schedule = "24h"
"""


PATIENCE_MS = 1000 * DEADLINE
expect.set_options(timeout=PATIENCE_MS)


def icons(left_out=0):
    """Every third document of the demo, without some."""
    with gzip.open(Path(demo.__file__).parent / "tabler_icons.jsonl.gz", "rt") as lines:
        documents = [json.loads(line) for number, line in enumerate(lines) if number % 3 == 0]
    return documents[left_out:]


@pytest.fixture(scope="session")
def chromium():
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if binary is None:
        missing("chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=FLAGS, timeout=PATIENCE_MS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def elsewhere():
    """The port of a site of another origin, whose pages may ask."""
    return free_port()


@pytest.fixture(scope="session")
def served(tmp_path_factory, elsewhere):
    """All of Cotag, serving the four topics twice, once to be changed, and a third of the demo for looks.

    A fourth corpus cannot be clustered.
    """
    folder = tmp_path_factory.mktemp("browser")
    write_jsonl(folder / "topics.jsonl", topic_documents())
    write_jsonl(folder / "changing.jsonl", topic_documents())
    write_jsonl(folder / "icons.jsonl", icons())
    (folder / "broken.jsonl").write_text('{"id": "a", "tags": ["x"]}\nthis is no document\n')
    (folder / "corpora.toml").write_text(CORPORA)
    allowed = f"http://127.0.0.1:{elsewhere}"
    settings = {"COTAG_API_KEYS": digest(KEY), "COTAG_CORS_ORIGINS": allowed, "COTAG_WORKERS": "1"}
    up = Up(folder / "data", folder / "corpora.toml", **settings)
    with up.ready():
        wait_until(lambda: len(up.get("/v1/corpora")["corpora"]) == 3, "serving all corpora")
        up.everywhere(
            lambda ready: len(ready["corpora"]) == 3 and ready["missing"] == {"broken": "failed"},
            "serving them in all processes",
        )
        yield up


@pytest.fixture
def visitor(chromium, served):
    """Opens pages of the service."""
    with visits(chromium, served) as visit:
        yield visit


@contextmanager
def visits(chromium, served):
    """Open pages that note console errors and requests to elsewhere; there must be none."""
    contexts, faults = [], []

    def visit(**options):
        context = chromium.new_context(
            base_url=served.url,
            http_credentials={"username": "", "password": KEY, "origin": served.url},
            **{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **options},
        )
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: request.url.startswith((served.url, "blob:")) or faults.append(request.url))
        page.faults = faults
        return page

    yield visit
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def page(visitor):
    return visitor()


@pytest.fixture
def keep():
    """Keeps a picture of a page beside the tests."""

    def screenshot(page, name, *, whole=True):
        SCREENSHOTS.mkdir(exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=whole)

    return screenshot


@pytest.fixture
def accessible():
    """Asks axe-core about a page: WCAG 2.2 A and AA, and its best practices."""

    def check(page):
        found = Axe().run(page).response["violations"]
        assert [(fault["id"], fault["impact"], [node["html"] for node in fault["nodes"]]) for fault in found] == []

    return check


def expected(page, text):
    """A fault that a test provokes: it must happen, and is then forgotten."""

    def happened():
        page.evaluate("0")  # lets what the browser reported arrive
        return any(text in fault for fault in page.faults)

    wait_until(happened, f"the fault {text}")
    page.faults[:] = [fault for fault in page.faults if text not in fault]
