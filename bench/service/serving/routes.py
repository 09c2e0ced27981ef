"""How long every route takes, and where it runs: on the event loop or in a thread.

python -m bench.service.serving.routes                 # the largest corpus; the table goes to bench/results/routes.md
python -m bench.service.serving.routes --corpus demo

Each address is asked for the first time (nothing remembered, nothing made ready), then again. The slowest of the first
times counts. Parameters are chosen to be hard: unknown words, long texts, large limits.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote_plus

from bench.places import RESULTS
from bench.service.serving.corpora import FILES, Served, served
from bench.service.serving.processes import store
from bench.service.serving.publishing import publish
from service.app import create_gateway
from service.gateway import Gateway, LongRequest
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from service.web.policy.request_log import discard
from snapshot import CorpusRegister, SnapshotStore, StatusBoard, connect

ROUNDS: Final = 5
FEW_TAGS: Final = 4
LOOP_MS: Final = 5.0
"""Nothing that may take longer runs on the event loop."""

WHERE: Final = {True: "thread", False: "loop"}

Row = tuple[str, bool, float, bool, float]
"""An address; whether a thread answered, and in how many milliseconds, the first time and again."""


def addresses(corpus: Served) -> list[str]:
    """Every route, with parameters that make it work hard."""
    snapshot = corpus.snapshot
    by_count = sorted(range(len(snapshot.names)), key=lambda tag: -int(snapshot.counts[tag]))
    common = [quote_plus(snapshot.names[tag]) for tag in by_count[:20]]
    rare = quote_plus(snapshot.names[by_count[-1]])
    many = "&".join(f"tag={tag}" for tag in common)
    at = f"/v1/corpora/{snapshot.corpus}"
    questions = [
        *(f"cloud{rest}" for rest in ("", f"?tag={common[0]}", f"?tag={rare}", f"?{many}&limit=500&groups=100")),
        f"cloud?q={'+'.join(common)}",
        *(f"cloud?q={text}" for text in ("zzyzx+qwrtp", "+".join(f"wrod{number}" for number in range(60)))),
        f"cloud?tag={common[0]}&by=clusters",
        *(f"related?{rest}" for rest in (f"tag={common[0]}&limit=100", f"{many}&limit=100", "tag=zzyzx")),
        *(f"tags{rest}" for rest in ("", "?prefix=a", "?infix=a", "?limit=1000&offset=1000")),
        f"tag?tag={common[0]}&limit=200",
        *(f"clusters{rest}" for rest in ("", "?k=500", "?format=csv")),
        f"clusters/{snapshot.clusters[0].id}",
        f"classify?{many}",
        *(f"dendrogram?{rest}" for rest in ("", "k=50&format=svg", "format=newick", "side=documents&k=50")),
        *(f"curve{rest}" for rest in ("", "?side=documents&limit=20000")),
        "picture",
        *("aliases", "proposals", "skos", "edits", "changes", "runs", "trends", "feed"),
        "snapshots",
        "",
    ]
    few = "&".join(f"tag={tag}" for tag in common[:FEW_TAGS])
    pages = [
        f"/?q={common[0]}",
        f"/?q={common[1]}",
        f"/?{few}",
        f"/?{many}",
        "/",
        "/explore",
        "/map",
        "/map/points",
        "/map/card?point=0",
        f"/map/found?q={common[0]}",
        "/concepts",
        "/concept",
        f"/concept?id={snapshot.clusters[0].id}",
        "/curate",
        "/ops",
        f"/tag-it?title={common[0]}&tags={common[1]}",
        "/embed",
        "/docs",
        "/openapi.json",
    ]
    others = [
        "/v1/corpora",
        "/healthz",
        "/readyz",
        "/metrics",
        "/v1/jobs/none",
        "/nowhere",
    ]
    return [*(f"{at}/{question}".rstrip("/") for question in questions), *pages, *others]


def document_addresses(corpus: Served) -> list[str]:
    """The routes that need documents, and the search page with results."""
    snapshot = corpus.snapshot
    by_count = sorted(range(len(snapshot.names)), key=lambda tag: -int(snapshot.counts[tag]))
    common = [quote_plus(snapshot.names[tag]) for tag in by_count[:FEW_TAGS]]
    few = "&".join(f"tag={tag}" for tag in common)
    table = corpus.documents.table
    document = quote_plus(table.ids.get(0).decode()) if table is not None else ""
    at = f"/v1/corpora/{snapshot.corpus}"
    return [
        *(f"{at}/documents?{rest}" for rest in ("", f"tag={common[0]}", f"{few}&match=near")),
        f"{at}/document?id={document}",
        *(f"{at}/similar?{rest}" for rest in (f"id={document}", few)),
        *(f"{at}/{question}?{few}&together=true" for question in ("cloud", "related")),
        *(f"{at}/{question}?tag={common[0]}&exclude={common[1]}" for question in ("cloud", "related", "documents")),
        *(f"/?{rest}" for rest in (f"q={common[0]}", few, f"tag={common[0]}&exclude={common[1]}")),
        *("/document", f"/document?id={document}"),
    ]


def scope(address: str) -> dict[str, Any]:
    """A GET request as ASGI hands it over, from a browser that takes compressed answers."""
    path, _, query = address.partition("?")
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 50_000),
        "headers": [(b"host", b"127.0.0.1"), (b"accept-encoding", b"br")],
    }


async def ask(gateway: Gateway, address: str) -> tuple[bool, float]:
    """Whether a thread answered, and the milliseconds of processor time it took."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: dict[str, Any]) -> None:
        pass

    asked, began = scope(address), time.process_time()
    answer = gateway.answer(asked)
    if isinstance(answer, LongRequest):
        await answer(asked, receive, send)
    return isinstance(answer, LongRequest), 1000 * (time.process_time() - began)


async def measured(url: str, asked: list[str], files: DocumentFiles | None) -> list[Row]:
    """Address, thread and milliseconds the first time and again; each round with a process that knows nothing.

    Without files there are no documents.
    """
    rows: dict[str, tuple[bool, float, bool, float]] = {}
    for _ in range(ROUNDS):
        redis = connect(url)
        live = LiveSnapshots(
            SnapshotStore(redis),
            StatusBoard(redis),
            register=CorpusRegister(redis),
            document_files=files,
            answer_bytes=50_000_000,
        )
        live.refresh()
        gateway = create_gateway(live, redis, ServiceSettings(), Metrics(), discard)
        for address in asked:
            live.refresh()
            (thread, first), (again_thread, again) = await ask(gateway, address), await ask(gateway, address)
            before = rows.get(address, (thread, 0.0, again_thread, 0.0))
            rows[address] = (thread, max(first, before[1]), again_thread, max(again, before[3]))
        redis.close()
    return [(address, *row) for address, row in rows.items()]


def table(plain: list[Row], of_documents: list[Row], corpus: Served) -> str:
    """The results as Markdown: a corpus without documents, then what documents make of it."""
    head = ["| address | first time | ms | again | ms |", "|---|---|--:|---|--:|"]
    slow = [row[0] for row in (*plain, *of_documents) if slow_on_loop(row)]
    return "\n".join(
        [
            f"{corpus.snapshot.corpus}: {corpus.snapshot.tag_count:,} tags, the slowest of {ROUNDS}, processor time",
            *("", *head, *map(_line, plain)),
            *("", "With documents:", "", *head, *map(_line, of_documents)),
            *("", f"On the loop and over {LOOP_MS:g} ms: {', '.join(slow) if slow else 'none'}."),
        ]
    )


def _line(row: Row) -> str:
    address, thread, first, again_thread, again = row
    short = address if len(address) < 90 else f"{address[:87]}…"
    return f"| `{short}` | {WHERE[thread]} | {first:.2f} | {WHERE[again_thread]} | {again:.2f} |"


def slow_on_loop(row: Row) -> bool:
    """Whether the event loop itself took too long."""
    _, thread, first, again_thread, again = row
    return (not thread and first > LOOP_MS) or (not again_thread and again > LOOP_MS)


def main() -> None:
    """Measure, write the table, print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default="radio_large", choices=sorted(FILES))
    corpus = served(parser.parse_args().corpus)
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder, store(Path(folder) / "s") as (url, _):
        publish(url, corpus.encoded())
        plain = asyncio.run(measured(url, addresses(corpus), None))
        of_documents = asyncio.run(measured(url, document_addresses(corpus), DocumentFiles(Path(folder) / "files")))
        text = table(plain, of_documents, corpus)
    (RESULTS / "routes.md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
