"""Checks the pages for visitors as Lighthouse does, in Chromium: performance, accessibility, best practice.

    python -m bench.service.page_checks                      # starts the demo; writes bench/results/page-checks.md
    python -m bench.service.page_checks --service http://127.0.0.1:8000

Opens every page on a phone (390 × 844) and on a desk (1280 × 900), each with an empty cache. Performance is the mean of
four figures by the log-normal curves of Lighthouse 12 (first and largest paint, blocking, shift), with its weights.
Accessibility is the share of axe-core's rules that a page keeps, weighted by impact. Best practice is the share of the
checks below. Ends with 1 if a score is below 95, if the first page takes more than 12 requests or 80 kB, or if a phone
does not show the box, the line and the first group without scrolling.
"""

import argparse
import math
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, ViewportSize

from bench.places import RESULTS
from bench.service.first_page import Traffic, addresses, chromium, demo_service

TABLE: Final = RESULTS / "page-checks.md"
DEVICES: Final = {"phone": ViewportSize(width=390, height=844), "desk": ViewportSize(width=1280, height=900)}
VISITORS: Final = ("search, the whole corpus", "search, “card”", "map", "a concept", "a document")
LEAST_SCORE: Final = 95
MOST_REQUESTS: Final = 12
MOST_BYTES: Final = 80_000

CURVES: Final = {
    "first paint, ms": (1800.0, 3000.0, 10),
    "largest paint, ms": (2500.0, 4000.0, 25),
    "blocked, ms": (200.0, 600.0, 30),
    "shift": (0.1, 0.25, 25),
}
"""Of each figure the values that score 0.9 and 0.5, and its weight (Lighthouse 12, phones)."""

IMPACT: Final = {"minor": 1, "moderate": 3, "serious": 7, "critical": 10}

OBSERVE: Final = """() => {
  window.seen = { shift: 0, largest: 0, blocked: 0 };
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  watch("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
  watch("largest-contentful-paint", (entry) => { seen.largest = entry.startTime; });
  watch("longtask", (entry) => { seen.blocked += Math.max(entry.duration - 50, 0); });
}"""
FIGURES: Final = """() => [performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  seen.largest, seen.blocked, seen.shift]"""
FOLD: Final = """() => ["#q", ".about .quiet", ".group"].every((each) => {
  const box = document.querySelector(each)?.getBoundingClientRect();
  return box && box.top < innerHeight && (each === ".group" ? box.top + 100 : box.bottom) <= innerHeight;
})"""


@dataclass(frozen=True)
class Checked:
    """What one visit found; the scores are from 0 to 100."""

    requests: int
    bytes: int
    figures: dict[str, float]
    accessibility: float
    practice: float
    fold: bool

    @property
    def performance(self) -> float:
        """The weighted mean of the scores of the figures."""
        parts = [
            (curve_score(self.figures[name], good, middle), weight) for name, (good, middle, weight) in CURVES.items()
        ]
        return 100 * sum(score * weight for score, weight in parts) / sum(weight for _, weight in parts)


def curve_score(value: float, good: float, middle: float) -> float:
    """A log-normal curve through 0.9 at `good` and 0.5 at `middle`; 1 for nothing."""
    if value <= 0:
        return 1.0
    spread = math.log(middle / good) / 1.2815515655446004
    return 0.5 * math.erfc(math.log(value / middle) / (spread * math.sqrt(2)))


def accessibility_score(answer: Mapping[str, Any]) -> float:
    """The share of the rules that apply and are kept, by impact; a rule that is kept counts as a serious one."""
    kept = len(answer["passes"]) * IMPACT["serious"]
    broken = sum(IMPACT[fault["impact"] or "minor"] for fault in answer["violations"])
    return 100 * kept / (kept + broken)


def is_fault(message: ConsoleMessage) -> bool:
    """Whether the console complains about the page, not about how Chromium draws without a graphics card."""
    return message.type in {"error", "warning"} and "GL Driver Message" not in message.text


def check(browser: Browser, service: str, path: str, device: ViewportSize) -> Checked:
    """Open a page with an empty cache, and look at it until it asks for nothing more."""
    context = browser.new_context(viewport=device)
    try:
        page = context.new_page()
        faults: list[str] = []
        page.on("console", lambda message: faults.append(message.text) if is_fault(message) else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.add_init_script(f"({OBSERVE})()")
        traffic = Traffic(service)
        traffic.listen(context.new_cdp_session(page))
        answer = page.goto(f"{service}{path}", wait_until="load")
        if answer is None:
            raise SystemExit(f"{path} gave no answer")
        page.wait_for_load_state("networkidle")
        visit = traffic.visit(0.0, 0.0)
        practice = [
            answer.ok,
            not faults,
            visit.outside == 0,
            "default-src" in answer.headers.get("content-security-policy", ""),
            answer.headers.get("x-content-type-options") == "nosniff",
            page.evaluate("document.compatMode === 'CSS1Compat' && document.characterSet === 'UTF-8'"),
            page.evaluate("Boolean(document.documentElement.lang && document.title)"),
            page.evaluate("['viewport', 'description'].every((name) => document.querySelector(`meta[name=${name}]`))"),
            page.evaluate("[...document.images].every((image) => image.width && image.height)"),
            page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        ]
        return Checked(
            requests=visit.requests,
            bytes=visit.bytes,
            figures=dict(zip(CURVES, page.evaluate(FIGURES), strict=True)),
            fold=page.evaluate(FOLD),
            accessibility=accessibility_score(Axe().run(page).response),
            practice=100 * sum(map(bool, practice)) / len(practice),
        )
    finally:
        context.close()


def faults_of(name: str, device: str, found: Checked) -> list[str]:
    """What is not good enough."""
    scores = {"performance": found.performance, "accessibility": found.accessibility, "practice": found.practice}
    faults = [f"{name}, {device}: {what} {score:.0f}" for what, score in scores.items() if score < LEAST_SCORE]
    if name == VISITORS[0]:
        if found.requests > MOST_REQUESTS or found.bytes > MOST_BYTES:
            faults.append(f"{name}, {device}: {found.requests} requests, {found.bytes / 1000:.1f} kB")
        if device == "phone" and not found.fold:
            faults.append(f"{name}: a phone does not show box, line and first group at once")
    return faults


def main() -> int:
    """Check and write the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.service.page_checks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--service", help="the address of a service with the demo; without it, one is started")
    parser.add_argument("--into", type=Path, default=TABLE, help="the file of the table")
    options = parser.parse_args()
    lines = [
        f"| page | device | requests | kB | {' | '.join(CURVES)} | performance | accessibility | practice |",
        f"|---|---|{'--:|' * 9}",
    ]
    faults: list[str] = []
    with ExitStack() as stack:
        service = options.service or stack.enter_context(demo_service())
        browser = stack.enter_context(chromium())
        pages = {name: path for name, path in addresses(service).items() if name in VISITORS}
        for name, path in pages.items():
            check(browser, service, path, DEVICES["desk"])  # warms the service up
            for device, window in DEVICES.items():
                found = check(browser, service, path, window)
                figures = [f"{found.figures[each]:.{3 if each == 'shift' else 0}f}" for each in CURVES]
                scores = [f"{score:.0f}" for score in (found.performance, found.accessibility, found.practice)]
                cells = [name, device, str(found.requests), f"{found.bytes / 1000:.1f}", *figures, *scores]
                lines.append(f"| {' | '.join(cells)} |")
                faults += faults_of(name, device, found)
    footer = (
        f"{os.cpu_count()} processors, load {os.getloadavg()[1]:.0f}. Made by `python -m bench.service.page_checks`."
    )
    options.into.write_text("\n".join([*lines, "", footer]) + "\n")
    print(options.into.read_text(), *faults, sep="\n")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
