"""What many small corpora cost while nothing happens: processor, commands of the store, and the time of /ops.

python -m bench.system.many_corpora [CORPORA] [SECONDS]   500 corpora and 10 s by default

Two processes of the service, a scheduler and a worker, as `cotag up` starts them, on a store of their own.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psutil
from redis import Redis

from bench.service.serving.processes import end, free_port, process, processor_seconds, store
from snapshot import RunStatus, SnapshotStore, StatusBoard, Turn, connect, encode, encode_record, version_at
from snapshot.store import keys
from snapshot.store.operation.run_history import PastRun, RunHistory
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus, read_sections

CORPORA: Final = 500
SECONDS: Final = 10.0
REQUESTS: Final = 20
SETTLE_SECONDS: Final = 180
DOCUMENTS: Final = 60
WORDS: Final = [f"{topic}{number}" for topic in ("red", "green", "blue", "grey") for number in range(6)]


def write_documents(path: Path) -> None:
    """A small corpus of four topics."""
    lines = []
    for number in range(DOCUMENTS):
        topic = 6 * (number % 4)
        lines.append(json.dumps({"id": str(number), "tags": [WORDS[topic + (number + step) % 6] for step in range(4)]}))
    path.write_text("\n".join(lines))


def fill(redis: Redis, folder: Path, count: int) -> Path:
    """Declare and publish the corpora, each as after its first run, none of them due; the corpora file."""
    write_documents(folder / "documents.jsonl")
    names = [f"corpus{number:03}" for number in range(count)]
    file = folder / "corpora.toml"
    file.write_text(
        "\n".join(f'[corpora.{name}]\nsource = "documents.jsonl"\nschedule = "24h"\nwatch = false\n' for name in names)
    )
    declared = read_sections(file).corpora
    now = datetime.now(UTC)
    stages = Stages(lambda *_: None)
    corpus = Corpus(name="made", source="documents.jsonl", path=folder / "documents.jsonl")
    tagged, notes = load_documents(corpus, stages)
    snapshot, documents = cluster(corpus, tagged, now, stages, notes=notes)
    snapshots, board, history = SnapshotStore(redis), StatusBoard(redis), RunHistory(redis)
    moment = now.timestamp()
    for name in names:
        snapshots.publish(encode(replace(snapshot, corpus=name), documents))
        board.write(name, RunStatus(f"{name}-0", "done", moment, moment, name, version=version_at(now)))
        history.add(name, PastRun(f"{name}-0", "done", moment, 1.0, version_at(now)))
        redis.set(keys.schedule(name), encode_record(Turn(moment, declared[name].digest())))
    return file


def commands(redis: Redis) -> dict[str, int]:
    """How often each command was called so far, apart from those of this measurement."""
    stats = redis.info("commandstats")
    return {name.removeprefix("cmdstat_"): int(figures["calls"]) for name, figures in stats.items()}


@contextmanager
def part(name: str, environment: dict[str, str]) -> Iterator[psutil.Process]:
    """A scheduler or a worker."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("COTAG_")}
    with subprocess.Popen(
        [sys.executable, "-m", "cotag", name],
        env={**clean, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        try:
            yield psutil.Process(running.pid)
        finally:
            end(running)


def seconds_of(running: psutil.Process) -> float:
    """Processor time of a process so far."""
    times = running.cpu_times()
    return float(times.user + times.system)


def asked(port: int) -> tuple[float, int]:
    """How long /ops takes, in seconds, and its size in bytes."""
    began = time.perf_counter()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/ops", timeout=60) as answer:
        size = len(answer.read())
    return time.perf_counter() - began, size


def settle(server: int) -> None:
    """Wait until the service has prepared its answers: until it takes less than a tenth of a core."""
    for _ in range(SETTLE_SECONDS):
        before = processor_seconds(server)
        time.sleep(1)
        if processor_seconds(server) - before < 0.1:
            break
    time.sleep(2)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CORPORA
    wait = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    with tempfile.TemporaryDirectory(prefix="cotag-") as made, store(Path(made) / "s") as (url, server):
        folder, redis, port = Path(made), connect(url, timeout=60), free_port()
        file = fill(redis, folder, count)
        declared = [keys.declared_edits(name) for name in read_sections(file).corpora]
        environment = {"COTAG_REDIS_URL": url, "COTAG_CORPORA": str(file), "COTAG_CACHE_DIR": str(folder / "cache")}
        with (
            process(["cotag", "serve"], port, environment, ready="/readyz") as service,
            part("scheduler", environment) as scheduler,
            part("worker", environment) as worker,
        ):
            while redis.exists(*declared) < count:  # the scheduler's first round
                time.sleep(0.1)
            settle(service.pid)
            parts: dict[str, Callable[[], float]] = {
                "service, 2 processes": lambda: processor_seconds(service.pid),
                "scheduler": lambda: seconds_of(scheduler),
                "worker": lambda: seconds_of(worker),
                "store": lambda: seconds_of(psutil.Process(server.pid)),
            }
            before, counted, began = {name: read() for name, read in parts.items()}, commands(redis), time.monotonic()
            time.sleep(wait)
            lasted = time.monotonic() - began
            used = {name: read() - before[name] for name, read in parts.items()}
            called = {name: (calls - counted.get(name, 0)) / lasted for name, calls in commands(redis).items()}
            answers = [asked(port) for _ in range(REQUESTS)]
    print(f"{count} corpora, {lasted:.0f} s without a request")
    for name, spent in used.items():
        print(f"{name:<22} {100 * spent / lasted:6.2f} % of a core")
    called.pop("info", None)
    print(f"{'commands of the store':<22} {sum(called.values()):6.1f} a second")
    print("  " + ", ".join(f"{name} {rate:.1f}" for name, rate in sorted(called.items(), key=lambda x: -x[1]) if rate))
    times = sorted(seconds for seconds, _ in answers)
    print(f"{'/ops':<22} {1000 * statistics.median(times):6.0f} ms median, {1000 * times[-1]:.0f} ms slowest,", end=" ")
    print(f"{answers[0][1] / 1000:.0f} kB")


if __name__ == "__main__":
    main()
