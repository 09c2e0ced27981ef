"""Requests a second and latency of the service beside its rivals, in one run.

python -m bench.serving                  # the table of docs/research/serving.md; results go to bench/results/
python -m bench.serving --seconds 5 --rounds 3
python -m bench.serving --show           # the table of what has been measured
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np
import psutil

from bench.serving.corpora import FILES, ROOT, Served, served
from bench.serving.loading import CONNECTIONS, Load, hammer
from bench.serving.rivals import SIZES, fill
from bench.trials import RESULTS, read, write
from cotag.store import server_binary, server_command, wait_for_store
from snapshot import Documents, SnapshotStore, connect, encode
from tagmodel import Dendrogram

DATA = RESULTS / "serving.json"
QUESTIONS = {"related": "tag", "cloud": "tag", "tags": "prefix"}
ASKED = 300
"""Different queries: the commonest tags, or their first two letters."""

CONTESTANTS = ("bare", "cotag", "uncached", "homemade")


@contextmanager
def process(command: list[str], port: int, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server, from answering to ended."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    settings = {"COTAG_PORT": str(port), "COTAG_WEB_WORKERS": "2", "COTAG_WEB_THREADS": "8", **environment}
    running = subprocess.Popen(
        [sys.executable, "-m", *command], env={**clean, **settings}, stdout=subprocess.DEVNULL, cwd=ROOT
    )
    try:
        for _ in range(600):
            try:
                httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=5, trust_env=False)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        yield running
    finally:
        running.terminate()
        running.wait(30)


def paths(corpus: Served, question: str, prefix: str) -> list[str]:
    """What is asked: the same queries of every contestant."""
    snapshot = corpus.snapshot
    best = sorted(range(len(snapshot.names)), key=lambda tag: -int(snapshot.counts[tag]))[:ASKED]
    texts = [snapshot.names[tag] for tag in best]
    if question == "tags":
        texts = list(dict.fromkeys(text[:2] for text in texts))
    return [f"{prefix}/{question}?{QUESTIONS[question]}={quote(text)}" for text in texts]


def sizes(corpus: Served, url: str, prefix: str) -> dict[str, int]:
    """The mean size of the service's answers to each question."""
    found = {}
    with httpx.Client(base_url=url, trust_env=False, headers={"Accept-Encoding": "identity"}) as client:
        for question in QUESTIONS:
            bodies = [len(client.get(path).content) for path in paths(corpus, question, prefix)]
            found[question] = round(sum(bodies) / len(bodies))
    return found


def memory(server: subprocess.Popen[bytes]) -> float:
    """MB that a web process does not share, the mean of its processes."""
    children = psutil.Process(server.pid).children()
    return sum(child.memory_full_info().uss for child in children) / len(children) / 1e6


def measured(corpus: Served, folder: Path, seconds: int, rounds: int) -> dict[str, object]:
    """All contestants on one corpus, taking turns."""
    name = corpus.snapshot.corpus
    prefix = f"/v1/corpora/{name}"
    store = folder / name
    store.mkdir()
    url = f"unix://{store}/store.sock"
    with ExitStack() as stack:
        server = subprocess.Popen(server_command(server_binary(), store, store / "store.sock"))
        stack.callback(server.wait)
        stack.callback(server.terminate)
        wait_for_store(url)
        fill(url, corpus)
        _publish(url, corpus)
        ports = dict(zip(CONTESTANTS, range(18_100, 18_104), strict=True))
        base = {"COTAG_REDIS_URL": url}
        cotag = stack.enter_context(process(["cotag", "serve"], ports["cotag"], **base))
        servers = {"cotag": cotag}
        servers["uncached"] = stack.enter_context(
            process(["cotag", "serve"], ports["uncached"], **base, COTAG_ANSWER_CACHE_MB="0")
        )
        size = sizes(corpus, f"http://127.0.0.1:{ports['cotag']}", prefix)
        servers["bare"] = stack.enter_context(
            process(["bench.serving.rivals", "bare"], ports["bare"], **{SIZES: json.dumps(size)})
        )
        servers["homemade"] = stack.enter_context(
            process(["bench.serving.rivals", "homemade"], ports["homemade"], **base)
        )
        loads: dict[str, dict[str, list[Load]]] = {}
        for question in QUESTIONS:
            turns: dict[str, list[Load]] = {who: [] for who in CONTESTANTS}
            for _ in range(rounds):
                for who in CONTESTANTS:
                    asked = paths(corpus, question, prefix if who in {"cotag", "uncached"} else "")
                    turns[who].append(
                        hammer(f"http://127.0.0.1:{ports[who]}", asked, seconds, folder, servers[who].pid)
                    )
            loads[question] = turns
        return {
            "tags": len(corpus.snapshot.names),
            "documents": corpus.snapshot.document_count,
            "bytes": size,
            "process_mb": round(memory(cotag), 1),
            "questions": {question: summary(turns) for question, turns in loads.items()},
        }


def summary(turns: dict[str, list[Load]]) -> dict[str, dict[str, float]]:
    """Medians; ratios are those of neighbours in time, so that a busy machine weighs on both."""
    found: dict[str, dict[str, float]] = {}
    for who, loads in turns.items():
        found[who] = {
            "per_second": round(median(load.per_second for load in loads)),
            "p50": round(median(load.p50 for load in loads), 2),
            "p99": round(median(load.p99 for load in loads), 2),
            "failed": sum(load.failed for load in loads),
            "processor_ms": round(median(load.processor for load in loads), 3),
            "processor_of_bare": round(
                median(b.processor / a.processor for a, b in zip(loads, turns["bare"], strict=True)), 3
            ),
            "of_bare": round(median(_ratios(loads, turns["bare"])), 3),
            "of_homemade": round(median(_ratios(loads, turns["homemade"])), 2),
            "p99_of_bare": round(median(a.p99 / b.p99 for a, b in zip(loads, turns["bare"], strict=True)), 2),
        }
    return found


def _ratios(loads: list[Load], others: list[Load]) -> list[float]:
    return [load.per_second / other.per_second for load, other in zip(loads, others, strict=True)]


def _publish(url: str, corpus: Served) -> None:
    none = np.empty(0, dtype=np.int32)
    nobody = Documents((), none, none, Dendrogram(np.empty((0, 4))))
    client = connect(url)
    SnapshotStore(client).publish(encode(corpus.snapshot, nobody))
    client.close()


def table(data: Mapping[str, Any]) -> str:
    """The results as Markdown, and what they were measured on."""
    lines = [
        "| corpus | question | | requests/s | of (a) | × (b) | CPU ms | by CPU, of (a) | p50 | p99 | p99 of (a) |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    label = {
        "bare": "(a) bare route",
        "cotag": "**Cotag**",
        "uncached": "Cotag, no answer cache",
        "homemade": "(b) Redis",
    }
    for corpus, results in data["corpora"].items():
        for question, contestants in results["questions"].items():
            for who, row in contestants.items():
                rates = f"{row['per_second']:,.0f} | {row['of_bare']:.0%} | {row['of_homemade']:.1f}"
                processor = f"{row['processor_ms']} | {row['processor_of_bare']:.0%}"
                latency = f"{row['p50']} | {row['p99']} | {row['p99_of_bare']}"
                lines.append(f"| {corpus} | {question} | {label[who]} | {rates} | {processor} | {latency} |")
    return "\n".join([*lines, "", str(data["machine"])])


def main() -> None:
    """Measure, write the results, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--corpora", nargs="*", default=[name for name, path in FILES.items() if path.is_file()])
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if not given.show:
        measure(given.corpora, given.seconds, given.rounds)
    text = table(read(DATA))
    (RESULTS / "serving.md").write_text(text + "\n")
    print(text)


def measure(corpora: list[str], seconds: int, rounds: int) -> None:
    """All corpora, one after the other, into the data file."""
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        found = {name: measured(served(name), Path(folder), seconds, rounds) for name in corpora}
    machine = {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "connections": CONNECTIONS,
        "seconds": seconds,
        "rounds": rounds,
    }
    write(DATA, {"machine": machine, "corpora": found})


if __name__ == "__main__":
    main()
