"""Processor time of every stage of a run, from file to published snapshot, in this checkout beside another one.

    git worktree add --detach ../old COMMIT
    python -m bench.unchanged.stages ../old                  # what is missing; writes bench/results/stages.md
    python -m bench.unchanged.stages ../old tabler_icons     # the rounds of one corpus
    python -m bench.unchanged.stages ../old --again          # all of it anew

Each checkout reads the corpus, clusters it and publishes it to a store of its own, in a process of its own. In the
rounds the checkouts take turns. BLAS has as many threads as the machine has processors, as for people who run it.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.places import CORPORA, RESULTS, ROOT
from bench.trials import Trials
from bench.unchanged.__main__ import commit
from cotag.launcher.store_server import server_binary, server_command, wait_for_store

NAMES: Final = ("tabler_icons", "whatscooking", "citeulike_a", "radio_large")
ROUNDS: Final = 3
SIDES: Final = ("old", "new")
SHOWN: Final = ("recall", "mrr", "tail_recall")

PROGRAM: Final = """
import json, sys, time
from datetime import UTC, datetime
from pathlib import Path
import worker
if not Path(worker.__file__).resolve().is_relative_to(Path(sys.argv[1]).resolve()):
    raise SystemExit(f"worker was loaded from {worker.__file__}, not from {sys.argv[1]}")
from cocluster.compilation import warm
from snapshot import SnapshotStore, connect, encode
from worker.clustering.cluster import cluster, load_documents
from worker.corpora.declaration import Corpus
from worker.clustering.stages import Stages
warm()
path, spent, peaks, at = Path(sys.argv[2]), {}, {}, [time.process_time(), None]
def peak():
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return 1024 * int(status["VmHWM"].split()[0])
def report(stage, done, total):
    now = time.process_time()
    if at[1]:
        spent[at[1]] = spent.get(at[1], 0.0) + now - at[0]
    if stage != at[1]:
        peaks[at[1]] = max(peaks.get(at[1], 0), peak())
        Path("/proc/self/clear_refs").write_text("5")  # the next stage has a peak of its own
    at[:] = now, stage
began = time.process_time()
corpus, stages = Corpus(name="one", source=str(path), path=path), Stages(report)
report("load", 0, 1)
tagged, notes = load_documents(corpus, stages)
snapshot, documents = cluster(corpus, tagged, datetime.now(UTC), stages, notes=notes)
report("publish", 0, 1)
client = connect(sys.argv[3], timeout=60)
SnapshotStore(client).publish(encode(snapshot, documents))
report("done", 0, 1)
del peaks[None]
print(json.dumps({
    "stages": spent, "all": time.process_time() - began, "peaks": peaks, "peak": max(peaks.values()),
    "documents": len(documents.ids), "tags": len(snapshot.names), "suggestions": snapshot.suggestions,
}))
"""
"""Runs a corpus with the checkout that is first on the path."""


def run(checkout: Path, corpus: str) -> Any:
    """The figures of one run."""
    with tempfile.TemporaryDirectory(prefix="cotag-") as name, ExitStack() as stack:
        folder, socket = Path(name), Path(name) / "store.sock"
        store = stack.enter_context(subprocess.Popen(server_command(server_binary(), folder, socket)))
        stack.callback(store.terminate)
        wait_for_store(f"unix://{socket}")
        clean = {key: value for key, value in os.environ.items() if not key.startswith("COTAG_")}
        answer = subprocess.run(
            [
                sys.executable,
                "-P",
                "-c",
                PROGRAM,
                str(checkout),
                str(CORPORA / f"{corpus}.jsonl.gz"),
                f"unix://{socket}",
            ],
            env={**clean, "PYTHONPATH": str(checkout)},
            cwd=folder,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    return json.loads(answer.stdout.splitlines()[-1]) | {"commit": commit(checkout), "load": os.getloadavg()[0]}


def trial(corpus: str, side: str, number: int) -> str:
    """The name of one run."""
    return f"{corpus} {side} {number}"


def table(runs: Mapping[str, Sequence[Any]], corpus: str) -> list[str]:
    """One corpus: its stages, the least of each side, which other work on the machine disturbs least."""
    first = runs["new"][0]
    lines = [
        f"## {corpus}: {first['documents']:,} documents × {first['tags']:,} tags",
        "",
        "| stage | old, s | new, s | new of old | by rounds, median | old, peak GB | new, peak GB |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for stage in dict.fromkeys(stage for side in ("new", "old") for stage in runs[side][0]["stages"]):
        seconds = {side: [each["stages"].get(stage, 0.0) for each in runs[side]] for side in SIDES}
        lines.append(
            _row(stage, seconds, [min(each.get("peaks", {}).get(stage, 0) for each in runs[side]) for side in SIDES])
        )
    peaks = [min(each["peak"] for each in runs[side]) for side in SIDES]
    lines.append(_row("**all**", {side: [each["all"] for each in runs[side]] for side in SIDES}, peaks))
    figures = "; ".join(
        f"{name} {runs['old'][0]['suggestions'][name]:.4f} → {first['suggestions'][name]:.4f}" for name in SHOWN
    )
    loads = [each["load"] for side in SIDES for each in runs[side]]
    return [*lines, "", f"{figures}. Load {min(loads):.0f} to {max(loads):.0f}.", ""]


def _row(name: str, seconds: Mapping[str, Sequence[float]], peaks: Sequence[int]) -> str:
    old, new = (min(seconds[side]) for side in SIDES)
    ratios = [after / before for before, after in zip(seconds["old"], seconds["new"], strict=True) if before]
    cells = [f"{new / old:.2f}", f"{median(ratios):.2f}"] if old else ["–", "–"]
    cells += [f"{peak / 1e9:.2f}" if peak else "–" for peak in peaks]
    return f"| {name} | {old:.2f} | {new:.2f} | {' | '.join(cells)} |"


def write(trials: Trials, into: Path) -> None:
    """The tables of all corpora of which every round has been run."""
    lines = ["# Stages of a run, old and new", ""]
    commits: set[tuple[str, str]] = set()
    for corpus in NAMES:
        rounds = [[trials.get(trial(corpus, side, number)) for side in SIDES] for number in range(ROUNDS)]
        whole = [pair for pair in rounds if None not in pair]
        if whole:
            runs = dict(zip(SIDES, zip(*whole, strict=True), strict=True))
            lines += table(runs, corpus)
            commits |= {(side, each["commit"]) for side in SIDES for each in runs[side]}
    named = ", ".join(f"{side} is {name}" for side, name in sorted(commits, reverse=True))
    lines.append(
        f"Processor seconds, the least of the rounds ({ROUNDS} at most, in turns): {named}. Python "
        f"{platform.python_version()}, {os.cpu_count()} processors. Made by `python -m bench.unchanged.stages OLD`."
    )
    into.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def main() -> None:
    """Run what is missing of all corpora, or of those named."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.unchanged.stages",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("old", type=Path, help="the folder of the other checkout")
    parser.add_argument("corpora", nargs="*", metavar="CORPUS")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--again", action="store_true", help="run all of it anew")
    options = parser.parse_args()
    old = options.old.resolve()
    if not (old / "worker" / "__init__.py").is_file():
        parser.error(f"{options.old} is no checkout of Cotag: it has no package worker")
    trials = Trials("stages")
    if options.again:
        trials.forget()
    for corpus in options.corpora or NAMES:
        for number in range(options.rounds):
            for side in SIDES if number % 2 == 0 else reversed(SIDES):
                checkout = old if side == "old" else ROOT
                trials.measured(trial(corpus, side, number), partial(run, checkout, corpus))
    trials.collect()
    write(trials, RESULTS / "stages.md")


if __name__ == "__main__":
    main()
