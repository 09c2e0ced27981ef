"""What is measured on each corpus: who is asked what, and the bar that it has to keep."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from bench.service.serving.bare import SIZES
from bench.service.serving.loading import Target
from bench.service.serving.mix import Kind
from bench.service.serving.processes import free_port, process

KEY: Final = "a key for measurements"
ORIGIN: Final = "https://example.org"
FIRST_TIME: Final = {"COTAG_ANSWER_CACHE_MB": "0", "COTAG_PREPARED_ANSWERS_MB": "0"}
"""Nothing is remembered and nothing made ready, so that every answer is a first one."""

GUARDED: Final = {
    "COTAG_CORS_ORIGINS": ORIGIN,
    "COTAG_READ_KEYS": hashlib.sha256(KEY.encode()).hexdigest(),
    "COTAG_RATE_LIMIT": "1000000",
}
HEADERS: Final = {"X-API-Key": KEY, "Origin": ORIGIN}
COTAG: Final = ["cotag", "serve"]
COMMANDS: Final = {
    "function": ["bench.service.serving.bare", "uvicorn"],
    "flask": ["bench.service.serving.rivals", "flask"],
    "homemade": ["bench.service.serving.rivals", "homemade"],
}
"""The rivals. The event-loop worker of the bare function is fastest by `python -m bench.service.serving.servers`."""

RIVALS: Final = frozenset({*COMMANDS, "function with headers"})

RESULTS_MS: Final = 5.0
"""The bar of a page with results that was never shown, the sum of three others: a page without documents (1.5), an
answer of `documents` (1.5; docs/research/documents.md), and as much again for the pictures, which rank documents too
(1.5); .5 are left to write cards and pictures as HTML."""


@dataclass(frozen=True)
class Case:
    """One row: a contestant, what it is asked, and at most how much it may take."""

    label: str
    contestant: str
    question: str
    kind: Kind = "all"
    of: str = "(a)"
    """The label of the row that it is compared with."""

    bar: float | None = None
    """The largest ratio to that row, or the most milliseconds."""

    in_ms: bool = False


def _about(question: str, first_time: float, *, in_ms: bool = False) -> tuple[Case, ...]:
    one = "first time, one tag"
    return (
        Case("(a)", "function", question),
        Case("(b)", "flask", question),
        Case("(c)", "homemade", question, "one"),
        Case("answered before", "cotag", question, bar=1.8),
        Case("answered before, logged for people", "console", question, bar=1.8),
        Case("(a), headers of CORS and key", "function with headers", question),
        Case(one, "first", question, "one", bar=first_time, in_ms=in_ms),
        Case("first time, several tags", "first", question, "several", of=one, bar=1.5),
        Case("answered before, CORS, key and limit", "guarded", question, of="answered before", bar=1.15),
    )


CASES: Final = (
    *_about("related", 5.0),
    *_about("cloud", 0.6, in_ms=True),
    Case("(a)", "function", "page"),
    Case("answered before", "without documents", "page", bar=0.8, in_ms=True),
    Case("first time", "first without documents", "page", bar=1.5, in_ms=True),
    Case("(a)", "function", "results"),
    Case("answered before", "cotag", "results", bar=0.8, in_ms=True),
    Case("first time", "first", "results", bar=RESULTS_MS, in_ms=True),
)


def service(stack: ExitStack, store: str, settings: Mapping[str, str], headers: Mapping[str, str]) -> Target:
    """A `cotag serve` that has taken up what the store has."""
    port = free_port()
    base = {"COTAG_REDIS_URL": store, "COTAG_LOG_FORMAT": "json", **settings}
    server = stack.enter_context(process(COTAG, port, base, ready="/readyz"))
    return Target(port, server.pid, headers)


def services(stack: ExitStack, store: str, store_without_documents: str) -> dict[str, Target]:
    """The service in all configurations."""
    return {
        "cotag": service(stack, store, {}, {}),
        "console": service(stack, store, {"COTAG_LOG_FORMAT": "console"}, {}),
        "first": service(stack, store, FIRST_TIME, {}),
        "guarded": service(stack, store, GUARDED, HEADERS),
        "without documents": service(stack, store_without_documents, {}, {}),
        "first without documents": service(stack, store_without_documents, FIRST_TIME, {}),
    }


def rivals(stack: ExitStack, store: str, sizes: Mapping[str, int]) -> dict[str, Target]:
    """What it is compared with, giving answers of the same size."""
    found = {}
    for name, command in COMMANDS.items():
        port = free_port()
        environment = {"COTAG_REDIS_URL": store, SIZES: json.dumps(sizes)}
        found[name] = Target(port, stack.enter_context(process(command, port, environment)).pid)
    function = found["function"]
    return {**found, "function with headers": Target(function.port, function.pid, HEADERS)}
