"""Processor time of a request to the service beside its rivals, in one run.

python -m bench.service.serving                  # the tables of docs/research/serving.md; results go to bench/results/
python -m bench.service.serving --seconds 1 --rounds 2 --corpora demo
python -m bench.service.serving --show           # the tables of what has been measured
"""

import argparse
import os
import platform
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, Final

import httpx

from bench.places import RESULTS
from bench.service.serving.cases import CASES, RIVALS, Case, rivals, services
from bench.service.serving.corpora import FILES, Served, served
from bench.service.serving.loading import CONNECTIONS, Load, Target, hammer
from bench.service.serving.mix import PAGES, Mix, mixed
from bench.service.serving.processes import memory, store
from bench.service.serving.publishing import publish, published_each_second, seconds_until_served, start
from bench.service.serving.report import tables
from bench.service.serving.rivals import fill
from bench.trials import read, write

DATA: Final = RESULTS / "serving.json"
QUESTIONS: Final = {"related": "cotag", "cloud": "cotag", "page": "without documents", "results": "cotag"}
"""What is asked, and the service whose answers tell how large those of its rivals must be."""

REMEMBERING: Final = frozenset({"cotag", "console", "guarded", "without documents"})
"""They are asked everything once, before anything is measured."""


def paths(case: Case, mix: Mix, corpus: str) -> list[str]:
    """What a case asks of its contestant. Rivals tell by the last part of a path how large an answer must be."""
    queries = mix.of(case.kind)
    if case.question in PAGES and case.contestant == "function":
        return [f"/{case.question}{query.path(case.question, '')[1:]}" for query in queries]
    prefix = f"/v1/corpora/{corpus}" if case.contestant not in RIVALS else ""
    return [query.path(case.question, prefix) for query in queries]


def answered(mix: Mix, targets: Mapping[str, Target], corpus: str) -> tuple[Mix, dict[str, int]]:
    """The queries that the service understands in every form, and the mean size of its answers to each question."""
    kept, sizes = [], dict.fromkeys(QUESTIONS, 0)
    with httpx.Client(trust_env=False, timeout=60.0, headers={"Accept-Encoding": "identity"}) as client:
        for query in mix.queries:
            answers = {
                question: client.get(
                    f"http://127.0.0.1:{targets[name].port}{query.path(question, f'/v1/corpora/{corpus}')}"
                )
                for question, name in QUESTIONS.items()
            }
            if all(answer.status_code == httpx.codes.OK for answer in answers.values()):
                kept.append(query)
                for question, answer in answers.items():
                    sizes[question] += len(answer.content)
    return Mix(tuple(kept)), {question: size // len(kept) for question, size in sizes.items()}


def measured(corpus: Served, folder: Path, seconds: int, rounds: int) -> dict[str, Any]:
    """All cases on one corpus. Those of one question take turns."""
    name = corpus.snapshot.corpus
    with ExitStack() as stack:
        url, _ = stack.enter_context(store(folder / name))
        fill(url, corpus)
        publish(url, corpus.encoded())
        other, _ = stack.enter_context(store(folder / f"{name}-without-documents"))
        publish(other, corpus.without_documents().encoded())
        targets = services(stack, url, other)
        mix, sizes = answered(mixed(corpus), targets, name)
        targets |= rivals(stack, url, sizes)
        loads: dict[Case, list[Load]] = {case: [] for case in CASES}
        for question in QUESTIONS:
            cases = [case for case in CASES if case.question == question]
            for case in cases:
                if case.contestant in REMEMBERING:
                    hammer(targets[case.contestant], paths(case, mix, name), 1, folder)
            for _ in range(rounds):
                for case in cases:
                    loads[case].append(hammer(targets[case.contestant], paths(case, mix, name), seconds, folder))
        ask = [query.path("related", f"/v1/corpora/{name}") for query in mix.queries]
        megabytes = memory(targets["cotag"].pid)
        until_served = seconds_until_served(targets["cotag"], url, corpus, ask[0])
        quiet = hammer(targets["cotag"], ask, max(seconds, 2), folder)
        with published_each_second(url, corpus, max(seconds, 2)):
            busy = hammer(targets["cotag"], ask, max(seconds, 2), folder)
        processor, ready = start(url)
    return {
        "tags": len(corpus.snapshot.names),
        "documents": corpus.snapshot.document_count,
        "queries": {kind: len(mix.of(kind)) for kind in ("one", "several")},
        "bytes": sizes,
        "process_mb": round(megabytes, 1),
        "served_seconds": round(until_served, 3),
        "p99_quiet": quiet.p99,
        "p99_published": busy.p99,
        "start_processor_seconds": round(processor, 2),
        "start_seconds": round(ready, 2),
        "rows": [row(case, loads) for case in CASES],
    }


def row(case: Case, loads: dict[Case, list[Load]]) -> dict[str, Any]:
    """The least processor time of all rounds, because other processes can only add to it, and medians of the rest.

    The ratio is that of neighbours in time, so that a busy machine weighs on both.
    """
    own = loads[case]
    (other,) = (each for each in loads if (each.question, each.label) == (case.question, case.of))
    milliseconds = min(load.processor for load in own)
    ratio = median(a.processor / b.processor for a, b in zip(own, loads[other], strict=True))
    return {
        "question": case.question,
        "case": case.label,
        "processor_ms": round(milliseconds, 4),
        "of": case.of,
        "ratio": round(ratio, 2),
        "bar": case.bar,
        "held": None if case.bar is None else (milliseconds if case.in_ms else ratio) <= case.bar,
        "in_ms": case.in_ms,
        "per_second": round(median(load.per_second for load in own)),
        "p50": round(median(load.p50 for load in own), 2),
        "p99": round(median(load.p99 for load in own), 2),
        "failed": sum(load.failed for load in own),
    }


def measure(corpora: list[str], seconds: int, rounds: int) -> None:
    """Some corpora, one after the other, into the data file, which keeps what it has of others."""
    found = read(DATA) if DATA.exists() else {}
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        for name in corpora:
            print(f"  {name}", flush=True)
            figures = measured(served(name), Path(folder), seconds, rounds)
            found[name] = {**figures, "machine": machine(), "seconds": seconds, "rounds": rounds}
    write(DATA, found)


def machine() -> dict[str, Any]:
    """What it was measured on."""
    return {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "connections": CONNECTIONS,
    }


def main() -> None:
    """Measure, write the results, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--corpora", nargs="*", default=[name for name, path in FILES.items() if path.is_file()])
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if not given.show:
        measure(given.corpora, given.seconds, given.rounds)
    text = tables(read(DATA))
    (RESULTS / "serving.md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
