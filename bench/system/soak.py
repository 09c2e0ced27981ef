"""A fault a minute for an hour, with two workers and two schedulers: python -m bench.system.soak [--minutes 60]

With --sentinel there are two of everything: two `cotag up` on a master with two replicas, which three Sentinels watch,
in networks that can be split; a push counts as acknowledged when one replica has it.

Counts failed reads, lost documents, overlapping runs and keys left behind, and watches memory. Prints a table, also in
bench/results/soak.md or soak-sentinel.md, and ends with 1 if anything is wrong.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Final

import psutil

from bench.places import RESULTS
from bench.system.faults.catalogue import FAULTS, Fault
from bench.system.faults.system import FILES, System
from bench.system.faults.trying import Outcome, Trial, clients, possible, trial
from bench.system.sentinels.network import build, inside_namespace, refused
from bench.system.sentinels.pair import Pair
from bench.system.sentinels.store import local_hosts
from snapshot import RunStatus, SnapshotStore, StatusBoard
from snapshot.store.snapshots import PARTS

TABLE: Final = RESULTS / "soak.md"
WATCHED_TABLE: Final = RESULTS / "soak-sentinel.md"
SCHEDULE: Final = "20s"
MINUTE: Final = 60.0
SEED: Final = 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--sentinel", action="store_true", help="two of everything, on a store that Sentinels watch")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    minutes: float = options.minutes
    reason = refused() if options.sentinel and not options.inside else ""
    if options.sentinel and not options.inside and not reason:
        command = inside_namespace(["bench.system.soak", "--sentinel", "--inside", "--minutes", str(minutes)])
        return subprocess.run(command, check=False).returncode
    if reason:
        print(f"left out: networks that split; needs {reason}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="cotag-") as name:
        started = pair(Path(name), split=options.inside) if options.sentinel else alone(Path(name))
        with started as (trying, faults):
            lines, sound = soak(trying, faults, 60 * minutes)
    text = "\n".join(lines)
    title = f"python -m bench.system.soak{' --sentinel' if options.sentinel else ''} --minutes {minutes:g}"
    (WATCHED_TABLE if options.sentinel else TABLE).write_text(f"`{title}`\n\n{text}\n")
    print(text)
    return 0 if sound else 1


@contextmanager
def alone(folder: Path) -> Iterator[tuple[Trial, list[Fault]]]:
    """One `cotag up`, with a second worker and a second scheduler beside it."""
    with trial(folder, SCHEDULE) as trying:
        others = [another(trying.system, command) for command in ("worker", "scheduler")]
        try:
            yield trying, possible(FAULTS, trying.system)
        finally:
            for process in others:
                process.terminate()
                process.wait()


@contextmanager
def pair(folder: Path, *, split: bool) -> Iterator[tuple[Trial, list[Fault]]]:
    """Two `cotag up` on a store that Sentinels watch."""
    system = Pair(folder, SCHEDULE, build() if split else local_hosts(), split=split)
    with clients(system) as trying:
        yield trying, system.faults()


def soak(trying: Trial, faults: list[Fault], seconds: float) -> tuple[list[str], bool]:
    """Lines of Markdown, and whether all is well."""
    system = trying.system
    began, outcomes = time.monotonic(), list[Outcome]()
    first: dict[str, float] = {}
    broken = ""
    while time.monotonic() - began < seconds:
        next_fault = time.monotonic() + MINUTE
        fault = chosen(faults, len(outcomes))
        print(f"  {(time.monotonic() - began) / 60:.0f} min: {fault.name}", file=sys.stderr, flush=True)
        try:
            outcomes.append(trying.outcome(fault))
        except (TimeoutError, RuntimeError) as error:
            print(f"    {error}\n{system.log.read_text()[-8000:]}", file=sys.stderr, flush=True)
            broken = f"{fault.name}: {error}"
            break
        for reason in outcomes[-1].reasons[:3]:
            print(f"    {reason}", file=sys.stderr, flush=True)
        if len(outcomes) == len(faults):
            first = memory(system)
        time.sleep(max(next_fault - time.monotonic(), 0.0))
    lines, sound = report(outcomes, system, time.monotonic() - began, first, memory(system))
    return (lines, sound) if not broken else ([*lines, "", f"**It ended early.** {broken}"], False)


def chosen(faults: list[Fault], number: int) -> Fault:
    """All faults once in a random order, then again in another order."""
    order = random.Random(SEED + number // len(faults)).sample(faults, len(faults))
    return order[number % len(faults)]


def another(system: System, command: str) -> subprocess.Popen[bytes]:
    """A second process of a kind, beside the one of the launcher."""
    settings = {"COTAG_REDIS_URL": system.url, "COTAG_CORPORA": str(system.corpora)}
    with (system.folder / f"second-{command}.log").open("wb") as log:
        arguments = [sys.executable, "-m", "cotag", command]
        return subprocess.Popen(arguments, env={**os.environ, **settings}, stdout=log, stderr=log)


def memory(system: System) -> dict[str, float]:
    """MB of each part with all its processes; the store without what it holds, which the corpora decide."""
    sizes = {}
    for part in ("worker", "scheduler", "service"):
        leader = system.pid(part)
        if leader is not None:
            family = [psutil.Process(leader), *psutil.Process(leader).children(recursive=True)]
            sizes[part] = sum(process.memory_full_info().uss for process in family) / 1e6
    return sizes


def report(
    outcomes: list[Outcome], system: System, seconds: float, first: dict[str, float], last: dict[str, float]
) -> tuple[list[str], bool]:
    """Lines of Markdown, and whether all is well."""
    groups = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.fault.name].append(outcome)
    lines = [
        "| fault | times | reads | failed | slowest read | acknowledged | lost | healed after, at most |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, group in groups.items():
        lines.append(
            f"| {name} | {len(group)} | {sum(each.reads for each in group):,} | {sum(each.failed for each in group)} "
            f"| {max(each.slowest for each in group):.2f} s | {sum(each.acknowledged for each in group)} "
            f"| {sum(each.lost for each in group)} | {max(each.healed for each in group):.1f} s |"
        )
    runs = ended_runs(system)
    overlaps = sum(one.updated > other.started for name in FILES for one, other in pairwise(runs[name]))
    left = leftovers(system)
    failed, lost = sum(each.failed for each in outcomes), sum(each.lost for each in outcomes)
    summary = (
        f"{seconds / 60:.0f} minutes, {len(outcomes)} faults, {sum(each.reads for each in outcomes):,} reads, "
        f"**{failed} failed**; {sum(each.acknowledged for each in outcomes):,} documents acknowledged, "
        f"**{lost} lost**. Two workers, two schedulers, {sum(map(len, runs.values()))} runs that ended, "
        f"{overlaps} of them overlapping with another of the same corpus; {left} keys of dropped versions left."
    )
    lines += [
        "",
        summary,
        "",
        *(
            f"Memory of the {part}: {first[part]:.0f} MB after one round, {last[part]:.0f} MB at the end."
            for part in last
            if part in first
        ),
    ]
    return lines, failed == 0 and lost == 0 and overlaps == 0 and left == 0


def ended_runs(system: System) -> dict[str, list[RunStatus]]:
    """The runs of each corpus that ended well, by their begin."""
    redis = system.redis()
    board = StatusBoard(redis)
    names = [key.decode().removeprefix("cotag:job:") for key in redis.scan_iter("cotag:job:*")]
    runs = [board.job(name) for name in names if not name.endswith(":cancel")]
    ended = [run for run in runs if run is not None and run.state in {"done", "unchanged", "held"}]
    return {name: sorted((run for run in ended if run.corpus == name), key=lambda run: run.started) for name in FILES}


def leftovers(system: System) -> int:
    """Keys of versions that are not stored any more."""
    redis, store = system.redis(), SnapshotStore(system.redis())
    known = {f"cotag:{name}:v:{version}:{part}" for name in FILES for version in store.versions(name) for part in PARTS}
    found = {key.decode() for name in FILES for key in redis.scan_iter(f"cotag:{name}:v:*")}
    return sum(redis.ttl(key) == -1 for key in found - known)


if __name__ == "__main__":
    sys.exit(main())
