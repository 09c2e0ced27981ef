"""The time to take up a version with and without its documents, and the memory of two processes that serve it."""

import gc
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Final

import psutil

from bench.service.serving.corpora import Served
from bench.service.serving.processes import free_port, process, store, workers
from service.live.document_files import DocumentFiles
from service.live.snapshots import LiveSnapshots
from snapshot import EncodedSnapshot, SnapshotStore, StatusBoard, connect, encode, version_at

ROUNDS: Final = 5
SETTLED_SECONDS: Final = 3.0


def encoded(corpus: Served, *, documents: bool) -> EncodedSnapshot:
    """A version made now, with or without its documents."""
    now = datetime.now(UTC)
    kept = corpus.documents if documents else replace(corpus.documents, table=None)
    return encode(replace(corpus.snapshot, version=version_at(now), created=now), kept)


def take_up_seconds(corpus: Served) -> dict[str, tuple[float, float]]:
    """Median wall and processor seconds of a process: without documents, writing their file, mapping it.

    The three take turns, each on a version of its own.
    """
    spent: dict[str, list[tuple[float, float]]] = {
        "without documents": [],
        "writing the file": [],
        "mapping the file": [],
    }
    with tempfile.TemporaryDirectory() as folder, store(Path(folder) / "store") as (url, _):
        redis = connect(url, timeout=30)
        files = Path(folder) / "documents"

        def process_of(*, mapped: bool) -> LiveSnapshots:
            kept = DocumentFiles(files) if mapped else None
            return LiveSnapshots(SnapshotStore(redis), StatusBoard(redis), document_files=kept)

        for _ in range(ROUNDS):
            for path in files.glob("*") if files.exists() else ():
                path.unlink()
            SnapshotStore(redis).publish(encoded(corpus, documents=True))
            holders = [process_of(mapped=False), process_of(mapped=True), process_of(mapped=True)]
            for name, holder in zip(spent, holders, strict=True):
                gc.collect()
                spent[name].append(_timed(holder.refresh))
            SnapshotStore(redis).retain(corpus.snapshot.corpus, 1)
            del holders, holder
    return {name: (median(wall for wall, _ in each), median(own for _, own in each)) for name, each in spent.items()}


def _timed(action: Callable[[], None]) -> tuple[float, float]:
    wall, own = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - wall, time.process_time() - own


def store_bytes(corpus: Served) -> dict[str, int]:
    """Bytes of a version in the store, by part, and what the server's memory grows by."""
    with tempfile.TemporaryDirectory() as folder, store(Path(folder) / "store") as (url, _):
        redis = connect(url, timeout=30)
        sizes = {}
        for documents in (False, True):
            redis.flushall()
            before = redis.info("memory")["used_memory"]
            made = encoded(corpus, documents=documents)
            SnapshotStore(redis).publish(made)
            sizes["all parts" if documents else "all parts but the documents"] = (
                redis.info("memory")["used_memory"] - before
            )
        sizes["chunks"] = sum(map(len, made.index))
        sizes["largest chunk"] = max(map(len, made.index))
        return sizes


def service_memory(corpus: Served, *, documents: bool) -> list[dict[str, int]]:
    """Bytes of each of two processes that serve the corpus: resident, anonymous, and the share of what both use."""
    with tempfile.TemporaryDirectory() as folder, store(Path(folder) / "store") as (url, _):
        SnapshotStore(connect(url, timeout=30)).publish(encoded(corpus, documents=documents))
        port = free_port()
        settings = {"COTAG_REDIS_URL": url, "COTAG_CACHE_DIR": str(Path(folder) / "copies")}
        ready = f"/v1/corpora/{corpus.snapshot.corpus}/clusters"
        with process(["cotag", "serve"], port, settings, ready=ready) as running:
            time.sleep(SETTLED_SECONDS)
            return [_memory(worker) for worker in workers(running.pid)]


def _memory(worker: psutil.Process) -> dict[str, int]:
    lines = Path(f"/proc/{worker.pid}/smaps_rollup").read_text().splitlines()[1:]
    found = {name: 1024 * int(value.split()[0]) for name, value in (line.split(":", 1) for line in lines)}
    return {"resident": found["Rss"], "own": found["Anonymous"], "share": found["Pss"]}


def machine() -> str:
    """The processor, for the head of the results."""
    found = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
    return next((line.split(":", 1)[1].strip() for line in found.splitlines() if line.startswith("Model name")), "?")
