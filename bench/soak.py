"""Two workers, two schedulers, one corpus, a short interval: python -m bench.soak [--minutes 10]

Counts turns asked for, runs, overlaps and lost turns, and watches memory. Exits with 1 if anything is wrong.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import psutil
from redis import Redis

from cotag.store import server_binary, server_command, wait_for_store
from snapshot import StatusBoard, connect, keys

INTERVAL = 5
WORDS = [f"{topic}{number}" for topic in ("red", "green", "blue", "grey") for number in range(12)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory(prefix="cotag-") as name:
        return soak(Path(name), 60 * minutes)


def soak(folder: Path, seconds: float) -> int:
    write_corpus(folder, 300)
    (folder / "corpora.toml").write_text(
        f'[corpora.soak]\nsource = "soak.jsonl"\nschedule = "{INTERVAL}s"\nfresh_every = 7\nmax_drift = 1.0\n'
    )
    socket = folder / "store.sock"
    url = f"unix://{socket}"
    processes = [subprocess.Popen(server_command(server_binary(), folder, socket))]
    wait_for_store(url)
    environment = {**os.environ, "COTAG_REDIS_URL": url, "COTAG_CORPORA": str(folder / "corpora.toml")}
    subprocess.run([sys.executable, "-m", "cotag", "warm"], env=environment, check=True)
    logs: list[Path] = []
    for command in ("worker", "worker", "scheduler", "scheduler"):
        logs.append(folder / f"{command}{len(logs)}.log")
        with logs[-1].open("w") as log:
            processes.append(
                subprocess.Popen([sys.executable, "-m", "cotag", command], env=environment, stdout=log, stderr=log)
            )
    began = time.monotonic()
    memory: list[list[int]] = []
    documents = 300
    while time.monotonic() - began < seconds:
        time.sleep(INTERVAL / 2)
        documents += 1
        write_corpus(folder, documents)
        memory.append([resident(process.pid) for process in processes])
    redis = connect(url)
    runs = finished_runs(redis)
    versions = len(redis.zrange(keys.versions("soak"), 0, -1))
    leaked = sum(1 for key in redis.scan_iter("cotag:soak:v:*")) - 6 * versions
    for process in reversed(processes):
        process.terminate()
        process.wait()
    return report(seconds, runs, memory, [log.read_text() for log in logs], leaked)


def write_corpus(folder: Path, documents: int) -> None:
    random = np.random.default_rng(0)
    lines = []
    for number in range(documents):
        words = WORDS[12 * (number % 4) :][:12]
        lines.append(json.dumps({"id": str(number), "tags": random.choice(words, 4, replace=False).tolist()}))
    fresh = folder / "soak.jsonl.new"
    fresh.write_text("\n".join(lines))
    fresh.replace(folder / "soak.jsonl")


def resident(pid: int) -> int:
    return int(psutil.Process(pid).memory_info().rss)


def finished_runs(redis: Redis) -> list[tuple[float, float, str]]:
    """Begin, end and state of every run, by begin."""
    board = StatusBoard(redis)
    names = [key.decode().removeprefix("cotag:job:") for key in redis.scan_iter("cotag:job:*")]
    found = [board.job(name) for name in names if not name.endswith(":cancel")]
    return sorted((each.started, each.updated, each.state) for each in found if each is not None)


def report(
    seconds: float, runs: list[tuple[float, float, str]], memory: list[list[int]], logs: list[str], leaked: int
) -> int:
    ended = [run for run in runs if run[2] in {"done", "unchanged", "held"}]
    failed = [run for run in runs if run[2] in {"failed", "cancelled"}]
    overlaps = sum(one[1] > other[0] for one, other in pairwise(ended))
    gaps = [other[0] - one[0] for one, other in pairwise(ended)]
    late = [other[0] - max(one[0] + INTERVAL, one[1]) for one, other in pairwise(ended)]
    queued = sum(log.count('"event": "queued"') for log in logs)
    skipped = sum(log.count("another run of soak is under way") for log in logs)
    first, last = (np.mean(part, axis=0) for part in (memory[2:12], memory[-10:]))
    growth = (last / first - 1) * 100
    print(f"{seconds / 60:.0f} minutes, a turn every {INTERVAL} s, two workers, two schedulers")
    print(f"turns asked for: {queued}; runs that ended well: {len(ended)}; failed: {len(failed)}")
    print(f"overlapping runs: {overlaps}; skipped because another was under way: {skipped}")
    print(f"time between two runs: median {np.median(gaps):.1f} s, longest {max(gaps):.1f} s")
    print(f"longest delay of a run after it was due and the one before it had ended: {max(late):.1f} s")
    print(f"keys of dropped versions left behind: {leaked}")
    for name, now, percent in zip(("store", "worker", "worker", "scheduler", "scheduler"), last, growth, strict=True):
        print(f"memory of {name}: {now / 1e6:.0f} MB at the end, {percent:+.1f} % since the first minute")
    # A turn is lost if a run begins more than an interval late; starting a job takes a second or two.
    good = not failed and not overlaps and not skipped and max(late) < INTERVAL and leaked == 0
    # The store remembers every job for a week, which is a kilobyte each.
    return 0 if good and (last - first < 3e6).all() else 1


if __name__ == "__main__":
    sys.exit(main())
