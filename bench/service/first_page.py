"""What a browser loads for each page of the demo: requests, bytes and milliseconds, with an empty cache and again.

    python -m bench.service.first_page                 # five rounds; writes bench/results/first-page.md
    python -m bench.service.first_page --rounds 1

Starts `cotag up` in a temporary folder and opens every page in Chromium, each in a fresh browser context with an empty
cache, then the same page again. Requests are those that the cache does not answer; bytes are those on the network,
headers of answers included. A round that warms up service and browser does not count. Ends with 1 if a page sends a
request to another host.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final
from urllib.parse import urlencode

from playwright.sync_api import Browser, BrowserContext, CDPSession, ViewportSize, sync_playwright

from bench.places import RESULTS
from bench.service.serving.processes import free_port, process, wait_until_answered

TABLE: Final = RESULTS / "first-page.md"
WINDOW: Final = ViewportSize(width=1280, height=900)
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
TAG: Final = "card"
DOCUMENT: Final = "credit-card"
OWN_SCHEMES: Final = ("data:", "blob:", "about:")
"""Addresses that a browser opens without the network."""

FIGURES: Final = "requests | kB | of which HTML | DOM ready, ms | loaded, ms"

TIMES: Final = """() => {
  const [timing] = performance.getEntriesByType("navigation");
  return [timing.domContentLoadedEventEnd, timing.loadEventEnd];
}"""


@dataclass(frozen=True)
class Visit:
    """What one visit of a page took."""

    requests: int
    outside: int
    bytes: int
    html_bytes: int
    ready_ms: float
    load_ms: float


@dataclass
class Traffic:
    """The requests that a page sends to the network, by the events of Chromium's DevTools protocol."""

    service: str
    addresses: dict[str, str] = field(default_factory=dict)
    documents: set[str] = field(default_factory=set)
    cached: set[str] = field(default_factory=set)
    encoded: dict[str, int] = field(default_factory=dict)

    def listen(self, session: CDPSession) -> None:
        """Count what a page does from now on."""
        session.on("Network.requestWillBeSent", self.sent)
        session.on("Network.requestServedFromCache", self.served_from_cache)
        session.on("Network.responseReceived", self.answered)
        session.on("Network.loadingFinished", self.finished)
        session.send("Network.enable")

    def sent(self, event: dict[str, Any]) -> None:
        """The page asks for something."""
        address = event["request"]["url"]
        if not address.startswith(OWN_SCHEMES):
            self.addresses[event["requestId"]] = address
            if event.get("type") == "Document":
                self.documents.add(event["requestId"])

    def served_from_cache(self, event: dict[str, Any]) -> None:
        """The browser still has it in memory."""
        self.cached.add(event["requestId"])

    def answered(self, event: dict[str, Any]) -> None:
        """An answer begins, maybe from the cache on disk."""
        if event["response"].get("fromDiskCache"):
            self.cached.add(event["requestId"])

    def finished(self, event: dict[str, Any]) -> None:
        """An answer is complete."""
        self.encoded[event["requestId"]] = int(event["encodedDataLength"])

    def visit(self, ready_ms: float, load_ms: float) -> Visit:
        """All of it in figures."""
        travelled = self.addresses.keys() - self.cached
        return Visit(
            requests=len(travelled),
            outside=sum(not self.addresses[each].startswith(f"{self.service}/") for each in travelled),
            bytes=sum(self.encoded.get(each, 0) for each in travelled),
            html_bytes=sum(self.encoded.get(each, 0) for each in travelled & self.documents),
            ready_ms=ready_ms,
            load_ms=load_ms,
        )


def visited(context: BrowserContext, service: str, path: str) -> Visit:
    """Open a page until it asks for nothing more."""
    page = context.new_page()
    traffic = Traffic(service)
    traffic.listen(context.new_cdp_session(page))
    answer = page.goto(f"{service}{path}", wait_until="load")
    if answer is None or answer.status >= 400:
        raise SystemExit(f"{path} answered {answer and answer.status}")
    page.wait_for_load_state("networkidle")
    ready, load = page.evaluate(TIMES)
    page.close()
    return traffic.visit(ready, load)


def twice(browser: Browser, service: str, path: str) -> tuple[Visit, Visit]:
    """A visit with an empty cache, and another one with what the first left there."""
    context = browser.new_context(viewport=WINDOW)
    try:
        return visited(context, service, path), visited(context, service, path)
    finally:
        context.close()


def chromium_binary() -> str | None:
    """Where Chromium is; None if it is not installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    binary = chromium_binary()
    if binary is None:
        raise SystemExit("this needs Chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def demo_service() -> Iterator[str]:
    """The demo as `cotag up` serves it: its address."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="cotag-first-page-") as folder:
        settings = {"COTAG_DATA_DIR": str(Path(folder) / "data")}
        with process(["cotag", "up"], port, settings) as running:
            wait_until_answered(port, "/v1/corpora/demo", running)
            yield f"http://127.0.0.1:{port}"


def addresses(service: str) -> dict[str, str]:
    """The pages by what they show."""
    query = urlencode({"tag": TAG, "limit": 1})
    with urllib.request.urlopen(f"{service}/v1/corpora/demo/cloud?{query}") as answer:  # noqa: S310 - our own service
        concept = json.load(answer)["groups"][0]["clusters"][0]["id"]
    return {
        "search, the whole corpus": "/",
        f"search, “{TAG}”": f"/?{urlencode({'q': TAG})}",
        "map": "/map",
        "explore": "/explore",
        "a concept": f"/concept?{urlencode({'id': concept})}",
        "a document": f"/document?{urlencode({'id': DOCUMENT})}",
        "embed": "/embed",
        "docs": "/docs",
    }


def measure(
    browser: Browser, service: str, pages: Mapping[str, str], rounds: int
) -> dict[str, list[tuple[Visit, Visit]]]:
    """The visits of every page, in turns; those of the first round do not count."""
    visits: dict[str, list[tuple[Visit, Visit]]] = {name: [] for name in pages}
    for number in range(rounds + 1):
        for name, path in pages.items():
            both = twice(browser, service, path)
            if number:
                visits[name].append(both)
        print(f"  round {number} of {rounds}", file=sys.stderr, flush=True)
    return visits


def cells(visits: Sequence[Visit]) -> list[str]:
    """The medians of several visits."""
    return [
        f"{median(each.requests for each in visits):g}",
        f"{median(each.bytes for each in visits) / 1000:.1f}",
        f"{median(each.html_bytes for each in visits) / 1000:.1f}",
        f"{median(each.ready_ms for each in visits):.0f}",
        f"{median(each.load_ms for each in visits):.0f}",
    ]


def table(visits: Mapping[str, Sequence[tuple[Visit, Visit]]], footer: str) -> str:
    """A line for each page: the first visit, then the second."""
    lines = [
        f"| page | {FIGURES} | again: {FIGURES} |",
        f"|---|{'--:|' * 10}",
    ]
    for name, pairs in visits.items():
        first, again = ([pair[number] for pair in pairs] for number in (0, 1))
        lines.append(f"| {name} | {' | '.join([*cells(first), *cells(again)])} |")
    return "\n".join([*lines, "", footer]) + "\n"


def outside(visits: Mapping[str, Sequence[tuple[Visit, Visit]]]) -> int:
    """How many requests went to other hosts."""
    return sum(each.outside for pairs in visits.values() for pair in pairs for each in pair)


def main() -> int:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.service.first_page",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--into", type=Path, default=TABLE, help="the file of the table")
    options = parser.parse_args()
    with demo_service() as service, chromium() as browser:
        visits = measure(browser, service, addresses(service), options.rounds)
    elsewhere = outside(visits)
    footer = (
        f"Medians of {options.rounds} rounds; {elsewhere} requests to other hosts. {os.cpu_count()} processors, "
        f"load {os.getloadavg()[1]:.0f}. Made by `python -m bench.service.first_page --rounds {options.rounds}`."
    )
    text = table(visits, footer)
    options.into.write_text(text)
    print(text)
    return int(elsewhere > 0)


if __name__ == "__main__":
    sys.exit(main())
