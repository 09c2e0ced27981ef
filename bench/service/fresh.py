"""What documents that no run has seen cost a process, and how soon two processes have them.

    python -m bench.service.fresh            # all of it
    python -m bench.service.fresh cost       # answers, memory, taking up; in one process
    python -m bench.service.fresh delay      # from an acknowledged change to both processes; over HTTP

The corpus is the demo. Fresh documents have the tags of others, one in ten a new tag. Costs are processor time, the
least of several rounds in which both views take turns; every cloud is asked for the first time.
"""

import gc
import hashlib
import json
import random
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

import httpx
from redis import Redis

from bench.places import RESULTS
from bench.service.serving.corpora import Served, served
from bench.service.serving.processes import free_port, process, store, workers
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.questions.clouds.cloud import cloud
from service.questions.clouds.overview import overview
from service.questions.documents.documents import documents, query_counts
from service.questions.text.query import NOTHING, parse_query
from service.view.view import View
from snapshot import (
    CorpusRegister,
    PushedDocument,
    PushedDocuments,
    RegisteredCorpus,
    SnapshotStore,
    StatusBoard,
    connect,
)

FRESH: Final = 10_000
QUERIES: Final = 100
ROUNDS: Final = 3
CHANGES: Final = 200
CONNECTIONS: Final = 16
KEY: Final = "a key for measurements"
RESULT: Final = RESULTS / "fresh.md"


def fresh_documents(corpus: Served, count: int) -> list[PushedDocument]:
    """Documents with the tags of others of the corpus."""
    chance, names = random.Random(37), corpus.snapshot.names
    starts, tags = corpus.incidence.indptr, corpus.incidence.indices
    made = []
    for number in range(count):
        row = chance.randrange(len(starts) - 1)
        own = [names[tag] for tag in tags[starts[row] : starts[row + 1]].tolist()]
        new = [f"new tag {number % 400}"] if number % 10 == 0 else []
        made.append(PushedDocument(f"fresh-{number:06}", own + new, None, {"title": f"Fresh document {number}"}))
    return made


def declare(redis: Redis, corpus: Served) -> None:
    """Publish the corpus as one into which documents are pushed."""
    SnapshotStore(redis).publish(corpus.encoded())
    CorpusRegister(redis).write({"demo": RegisteredCorpus("demo", "Demo", "24h", 4e9, pushed=True)})


def cost() -> list[str]:
    """The table of costs."""
    corpus = served("demo")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cotag-")))
        url, _ = stack.enter_context(store(folder / "store"))
        redis = connect(url)
        declare(redis, corpus)
        pushed = PushedDocuments(redis, "demo")
        live = LiveSnapshots(
            SnapshotStore(redis),
            StatusBoard(redis),
            document_files=DocumentFiles(folder / "documents"),
            pushed=partial(PushedDocuments, redis),
        )
        live.refresh()
        base = live.view("demo")
        pushed.put(fresh_documents(corpus, FRESH))
        gc.collect()
        tracemalloc.start()
        live.refresh()
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        overlaid = live.view("demo")
        one_more = [taking_up(live, pushed, number) for number in range(ROUNDS)]
        return table(base, overlaid, held, one_more)


def taking_up(live: LiveSnapshots, pushed: PushedDocuments, number: int) -> float:
    """Milliseconds of processor time to take up one document more."""
    pushed.put([PushedDocument(f"one-{number}", ["bank", "card"])])
    began = time.process_time()
    live.refresh_pushed(["demo"])
    return 1000 * (time.process_time() - began)


def table(base: View, overlaid: View, held: int, one_more: list[float]) -> list[str]:
    """Both views side by side."""
    chance = random.Random(1)
    names = chance.choices(base.snapshot.names, base.counts[: base.head_count], k=QUERIES)
    rows = []
    for title, ask in QUESTIONS.items():
        alone, both = least(base, overlaid, names, ask)
        rows.append(f"| {title} | {alone:.2f} | {both:.2f} | {both / alone:.2f} |")
    return [
        f"| first-time answer, ms of processor time | nothing fresh | {FRESH:,} fresh | ratio |",
        "|---|---|---|---|",
        *rows,
        "",
        (
            f"Memory of a process: {held / FRESH:,.0f} bytes a fresh document. One document more is taken up in"
            f" {median(one_more):.0f} ms of processor time. While nothing is fresh, the view is that of the version"
            " itself, so answers and their cache are the same as without this."
        ),
    ]


def ask_cloud(view: View, name: str) -> None:
    """A cloud around one tag."""
    query = parse_query(view, [name], "", exclude=())
    cloud(
        view, query, limit=60, groups=9, specificity=0.5, joint=query_counts(view, query, together=False, narrow=False)
    )


def ask_documents(view: View, name: str) -> None:
    """The documents with one tag."""
    documents(view, parse_query(view, [name], "", exclude=()), cluster=None, match=None, limit=20, offset=0)


def ask_overview(view: View, _: str) -> None:
    """The cloud of the first page."""
    overview(view, 60, 9, NOTHING, query_counts(view, NOTHING, together=False, narrow=False))


QUESTIONS: Final[dict[str, Callable[[View, str], None]]] = {
    "cloud around a tag": ask_cloud,
    "documents of a tag": ask_documents,
    "cloud of the first page": ask_overview,
}


def least(base: View, overlaid: View, names: list[str], ask: Callable[[View, str], None]) -> tuple[float, float]:
    """Milliseconds of an answer of each view: the least of the rounds, in which they take turns."""
    spent: tuple[list[float], list[float]] = ([], [])
    for view in (base, overlaid):
        ask(view, names[0])  # the first question fills what a view prepares once
    for _ in range(ROUNDS):
        for view, times in zip((base, overlaid), spent, strict=True):
            began = time.process_time()
            for name in names:
                ask(view, name)
            times.append(1000 * (time.process_time() - began) / len(names))
    return min(spent[0]), min(spent[1])


def delay() -> list[str]:
    """How long after its acknowledgement a change is in both processes."""
    corpus = served("demo")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cotag-")))
        url, _ = stack.enter_context(store(folder / "store"))
        declare(connect(url), corpus)
        port = free_port()
        settings = {
            "COTAG_REDIS_URL": url,
            "COTAG_CACHE_DIR": str(folder / "cache"),
            "COTAG_API_KEYS": hashlib.sha256(KEY.encode()).hexdigest(),
        }
        running = stack.enter_context(process(["cotag", "serve"], port, settings, ready="/readyz"))
        clients = one_of_each(running.pid, port)
        for client in clients:
            stack.callback(client.close)
        seconds = sorted(changes(clients))
    late = 1000 * seconds[int(0.99 * len(seconds))]
    share = sum(each <= 2.0 for each in seconds) / len(seconds)
    return [
        (
            f"{CHANGES} pushes, replacements and deletions, one after the other, through two processes: a change"
            f" is in both after {1000 * median(seconds):.0f} ms (median), {late:.0f} ms (p99),"
            f" {1000 * seconds[-1]:.0f} ms (the longest); {share:.1%} within two seconds."
        ),
    ]


def one_of_each(server: int, port: int) -> list[httpx.Client]:
    """Clients whose connections are held by different processes: of many that connect at once, one for each."""
    context = httpx.create_ssl_context()
    while True:
        clients = [
            httpx.Client(
                base_url=f"http://127.0.0.1:{port}",
                trust_env=False,
                verify=context,
                timeout=60,
                headers={"X-API-Key": KEY},
            )
            for _ in range(CONNECTIONS)
        ]
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            ports = list(pool.map(_own_port, clients))
        by_port = dict(zip(ports, clients, strict=True))
        chosen = [
            next((end.raddr.port for end in child.net_connections("tcp") if end.raddr and end.raddr.port in by_port), 0)
            for child in workers(server)
        ]
        for own, client in by_port.items():
            if own not in chosen or 0 in chosen:
                client.close()
        if 0 not in chosen:
            return [by_port[own] for own in chosen]


def _own_port(client: httpx.Client) -> int:
    """The port of a connection that was used."""
    with client.stream("GET", "/v1/corpora/demo/cloud?q=bank") as response:
        response.read()
        address: tuple[str, int] = response.extensions["network_stream"].get_extra_info("client_addr")
    return address[1]


def changes(clients: list[httpx.Client]) -> list[float]:
    """Seconds from each acknowledgement until both processes answer accordingly."""
    chance = random.Random(37)
    names: list[str] = []
    waited: list[float] = []
    for number in range(CHANGES):
        gone = names and chance.random() < 0.4
        name = names.pop(chance.randrange(len(names))) if gone else f"fresh-{number}"
        path = "/v1/corpora/demo/documents"
        if gone:
            clients[number % 2].request("DELETE", path, params={"id": name}).raise_for_status()
        else:
            names.append(name)
            line = json.dumps([{"id": name, "tags": ["bank", "card"]}])
            headers = {"Content-Type": "application/json"}
            clients[number % 2].post(path, content=line, headers=headers).raise_for_status()
        began = time.monotonic()
        for client in clients:
            while (client.get("/v1/corpora/demo/document", params={"id": name}).status_code == 404) != bool(gone):
                time.sleep(0.005)
        waited.append(time.monotonic() - began)
    return waited


def main() -> None:
    """Print the tables, and keep them if all was measured."""
    parts = {"cost": cost, "delay": delay}
    chosen = sys.argv[1:] or list(parts)
    lines = ["# Fresh documents", "", "`python -m bench.service.fresh`: the demo.", ""]
    for name in chosen:
        part = [*parts[name](), ""]
        print("\n".join(part), flush=True)
        lines += part
    if len(chosen) == len(parts):
        RESULT.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
