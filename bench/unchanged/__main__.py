"""Processor time of engine and service in this checkout beside another one, in turns.

    git worktree add --detach ../old COMMIT
    python -m bench.unchanged ../old                # writes bench/results/unchanged.md
    python -m bench.unchanged ../old --rounds 3

Each side runs in a process of its own, which has that checkout first on its path, and serves the demo as its own worker
clusters it. The first round compiles the kernels and does not count. In the others the sides take turns, and each is
first in every second one. The ratio of a round is that of two neighbours in time.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final
from urllib.parse import quote

import numpy as np
from scipy.sparse import save_npz

import demo
from bench.document_files import documents_of, gather
from bench.places import RESULTS, ROOT
from cocluster import checkerboard, incidence
from cotag.launcher.store_server import server_binary, server_command, wait_for_store

DEMO: Final = Path(demo.__file__).parent / "tabler_icons.jsonl.gz"
SIDE: Final = Path(__file__).with_name("side.py")
ASKED: Final = 200
"""How many of the commonest tags are asked about; quick questions several times, so that a turn is long enough."""

LEAVES: Final = range(10, 60)
"""How many leaves of the tree /explore is asked for, one after the other."""

OLD, NEW = "old", "new"

Task = Mapping[str, Any]
Turns = Mapping[str, Sequence[float]]
"""Seconds of every round, by side."""


def tasks(folder: Path) -> dict[str, Task]:
    """What is measured, by name; the matrices are written to files, so that both sides fit the same ones."""
    tagged = gather(documents_of(DEMO))
    kept = incidence(tagged.matrix, 5)
    board, _, _ = checkerboard(n=1000, m=1000, k=20)
    icons, squares = folder / "tabler_icons.npz", folder / "board.npz"
    save_npz(icons, kept.matrix)
    save_npz(squares, board)
    common = np.argsort(-np.asarray(kept.matrix.sum(axis=0)).ravel(), kind="stable")[:ASKED]
    tags = [quote(tagged.names[kept.columns[place]]) for place in common.tolist()]
    related, clouds = ([f"/v1/corpora/demo/{question}?tag={tag}" for tag in tags] for question in ("related", "cloud"))
    return {
        "fit of tabler_icons": {"matrix": str(icons), "times": 1},
        "fit of a board of 1,000 × 1,000": {"matrix": str(squares), "times": 6},
        "related, computed": {"app": "computed", "addresses": related * 10},
        "related, from the answer cache": {"app": "cached", "addresses": related * 100},
        "cloud, computed": {"app": "computed", "addresses": clouds * 5},
        "cloud, from the answer cache": {"app": "cached", "addresses": clouds * 100},
        "the search page, /?q=": {"app": "cached", "addresses": [f"/?q={tag}" for tag in tags] * 2},
        "/explore": {"app": "cached", "addresses": [f"/explore?leaves={leaves}" for leaves in LEAVES] * 2},
    }


class Side:
    """A checkout that is measured, in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], checkout: Path) -> None:
        self._process = process
        self._checkout = checkout

    def measure(self, task: Task) -> float:
        """Seconds of processor time."""
        print(json.dumps(task), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline() if self._process.stdout else ""
        if not answer:
            raise SystemExit(f"{self._checkout} could not be measured; its process says why above")
        return float(json.loads(answer))


@contextmanager
def running(checkout: Path, folder: Path) -> Iterator[Side]:
    """A side with a store of its own: the sides may store snapshots differently."""
    folder.mkdir()
    socket = folder / "store.sock"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COTAG_")}
    with ExitStack() as stack:
        store = stack.enter_context(subprocess.Popen(server_command(server_binary(), folder, socket)))
        stack.callback(store.terminate)
        wait_for_store(f"unix://{socket}")
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-P", str(SIDE), str(checkout), str(DEMO), f"unix://{socket}"],
                env={**clean, "PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1"},
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        stack.callback(process.kill)
        yield Side(process, checkout)


def compare(sides: Mapping[str, Side], measured: Mapping[str, Task], rounds: int) -> dict[str, Turns]:
    """The seconds of every task in every round; the round that warms up is left out."""
    turns: dict[str, dict[str, list[float]]] = {name: {who: [] for who in sides} for name in measured}
    for number in range(-1, rounds):
        for name, task in measured.items():
            for who in list(sides) if number % 2 == 0 else reversed(list(sides)):
                seconds = sides[who].measure(task)
                if number >= 0:
                    turns[name][who].append(seconds)
        print(f"round {number + 1} of {rounds}" + (" (warming up)" if number < 0 else ""), flush=True)
    return {name: dict(by_side) for name, by_side in turns.items()}


def table(measured: Mapping[str, Turns], footer: str) -> str:
    """The least of each side, which other work on the machine disturbs least, and the ratios of the rounds."""
    lines = [
        "| | old, ms | new, ms | new of old | by rounds: median | least | most |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, turns in measured.items():
        ratios = [new / old for old, new in zip(turns[OLD], turns[NEW], strict=True)]
        old, new = min(turns[OLD]), min(turns[NEW])
        figures = f"{_milliseconds(old)} | {_milliseconds(new)} | {new / old:.3f}"
        lines.append(f"| {name} | {figures} | {median(ratios):.3f} | {min(ratios):.3f} | {max(ratios):.3f} |")
    return "\n".join([*lines, "", footer])


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.0f}" if seconds >= 0.1 else f"{1000 * seconds:.3f}"


def commit(checkout: Path) -> str:
    """What git calls the state of a checkout."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=checkout, capture_output=True, text=True, check=False
    )
    return described.stdout.strip() or "a folder without git"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both sides, write the table and print it."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.unchanged", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path, help="the folder of the other checkout")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--into", type=Path, default=RESULTS / "unchanged.md", help="the file of the table")
    options = parser.parse_args(arguments)
    old = options.old.resolve()
    if not (old / "cocluster" / "__init__.py").is_file():
        parser.error(f"{options.old} is no checkout of Cotag: it has no package cocluster")
    with tempfile.TemporaryDirectory(prefix="cotag-") as name, ExitStack() as stack:
        folder = Path(name)
        measured = tasks(folder)
        checkouts = {OLD: old, NEW: ROOT}
        sides = {who: stack.enter_context(running(path, folder / who)) for who, path in checkouts.items()}
        turns = compare(sides, measured, options.rounds)
    footer = (
        f"Processor time, the least of {options.rounds} rounds: of a fit with all its threads, or of a request, as the "
        f"mean of {ASKED} with different tags or of {len(LEAVES)} of /explore. Old is {commit(old)}, new is "
        f"{commit(ROOT)}. Python {platform.python_version()}, {os.cpu_count()} processors, "
        f"load {os.getloadavg()[0]:.1f}. Made by `python -m bench.unchanged OLD --rounds {options.rounds}`, "
        "where OLD is a checkout of the old commit."
    )
    text = table(turns, footer)
    options.into.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
