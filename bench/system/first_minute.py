"""The first minute: `make run` in a fresh clone until the demo is served, this commit beside an older one.

    python -m bench.system.first_minute COMMIT                 # three rounds; writes bench/results/first-minute.md
    python -m bench.system.first_minute COMMIT --rounds 1

The packages are downloaded before, which is the network's part. Every run starts with nothing else: a fresh clone, no
environment, an empty cache of pip, no compiled kernels.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from bench.places import RESULTS, ROOT
from bench.system.first_cloud import serve, timed

BUILD: Final = ("hatchling", "editables")
"""What pip needs to install a checkout, beside its dependencies."""

STEPS: Final = {
    "network: packages downloaded": "download",
    "environment and packages installed": "install",
    "kernels compiled": "compile",
    "started, demo clustered and served": "serve",
}
Seconds = tuple[float, float]
"""By the clock, and of processors."""


def commit_of(revision: str) -> str:
    """The commit that a revision names."""
    command = ["git", "rev-parse", "--short", revision]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def clone(commit: str, into: Path) -> Path:
    """A fresh clone of a commit."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(into)], check=True)
    subprocess.run(["git", "checkout", "--quiet", commit], cwd=into, check=True)
    return into


def download(checkout: Path, wheels: Path) -> None:
    """All packages that a checkout installs."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
    extras = f"{checkout}[service,worker,embedded]"
    subprocess.run([*pip, "-d", str(wheels), "-c", str(checkout / "constraints.txt"), extras, *BUILD], check=True)


def make(checkout: Path, target: str, settings: Mapping[str, str]) -> None:
    """One target of the Makefile."""
    with (checkout / "run.log").open("a") as log:
        subprocess.run(
            ["make", target], cwd=checkout, env={**os.environ, **settings}, stdout=log, stderr=log, check=True
        )


def run(commit: str, folder: Path) -> dict[str, Seconds]:
    """The time of each step until the demo is served."""
    checkout = clone(commit, folder / f"{commit}-{time.monotonic_ns()}")
    wheels = checkout / "wheels"
    seconds = {"download": timed(partial(download, checkout, wheels))}
    settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CACHE_DIR": str(checkout / "no-cache")}
    for step, target in (("install", ".venv/.product"), ("compile", ".venv/.kernels")):
        seconds[step] = timed(partial(make, checkout, target, settings))
    seconds["serve"] = timed(partial(serve, checkout, "/v1/corpora/demo", **settings))
    return seconds


def table(runs: Mapping[str, Sequence[Mapping[str, Seconds]]], footer: str) -> str:
    """The median of each step and side, and of the ratios of neighbours in time."""
    lines = [
        "# The first minute, old and new",
        "",
        "| step | old: s | of processors | new: s | of processors | new of old, processors | by the clock |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    steps = {name: [key] for name, key in STEPS.items()}
    steps["**all but the network**"] = ["install", "compile", "serve"]
    for name, keys in steps.items():
        sums = {
            side: [[sum(each[key][kind] for key in keys) for each in runs[side]] for kind in (0, 1)] for side in runs
        }
        cells = [f"{median(sums[side][kind]):.0f}" for side in ("old", "new") for kind in (0, 1)]
        ratios = [
            f"{median(new / old for old, new in zip(sums['old'][kind], sums['new'][kind], strict=True)):.2f}"
            for kind in (1, 0)
        ]
        lines.append(f"| {name} | {' | '.join([*cells, *ratios])} |")
    return "\n".join([*lines, "", footer]) + "\n"


def main() -> None:
    """Measure in turns, and write the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.system.first_minute",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("old", help="the commit to compare with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--into", type=Path, default=RESULTS / "first-minute.md", help="the file of the table")
    options = parser.parse_args()
    commits = {"old": commit_of(options.old), "new": commit_of("HEAD")}
    runs: dict[str, list[dict[str, Seconds]]] = {side: [] for side in commits}
    for number in range(options.rounds):
        for side in list(commits) if number % 2 == 0 else reversed(list(commits)):
            with tempfile.TemporaryDirectory(prefix="cotag-first-minute-") as folder:
                runs[side].append(run(commits[side], Path(folder)))
            print(
                number + 1,
                side,
                {step: [round(s) for s in spent] for step, spent in runs[side][-1].items()},
                flush=True,
            )
    footer = (
        f"Medians of {options.rounds} rounds in turns: old is {commits['old']}, new is {commits['new']}. "
        f"{os.cpu_count()} processors, load {os.getloadavg()[2]:.0f}. Made by `python -m bench.system.first_minute "
        f"{commits['old']} --rounds {options.rounds}`."
    )
    text = table(runs, footer)
    options.into.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
