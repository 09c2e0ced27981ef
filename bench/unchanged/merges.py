"""Every merge of the engine in this checkout beside another one: the same sides and clusters, costs within 1e-11.

    git worktree add --detach ../old COMMIT
    python -m bench.unchanged.merges ../old                       # all cases; writes bench/results/merges.md
    python -m bench.unchanged.merges ../old board:1000:1000:15    # cases as in bench.cocluster.scale

Each checkout agglomerates the same M* in a process of its own. Fails if a merge differs.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.cocluster.scale.cases import case
from bench.places import RESULTS, ROOT
from bench.unchanged.__main__ import commit
from cocluster.pipeline import smoothed

CASES: Final = (
    "board:1000:1000:15",
    "board:5000:1000:20",
    "tabler_icons",
    "emoji_en",
    "dblp_v12_fos",
    "debtags:5000",
    "whatscooking:5000",
    "citeulike_a:5000",
    "lastfm_artists",
    "identity:300",
)
CLOSE: Final = 1e-11

PROGRAM: Final = """
import sys, time
from pathlib import Path
import numpy as np
import cocluster
from cocluster.engine import agglomerate, warm
if not Path(cocluster.__file__).resolve().is_relative_to(Path(sys.argv[1]).resolve()):
    raise SystemExit(f"cocluster was loaded from {cocluster.__file__}, not from {sys.argv[1]}")
warm()
N = np.load(sys.argv[2])
began = time.process_time()
m = agglomerate(N)
seconds = time.process_time() - began
np.savez(sys.argv[3], side=m.side, a=m.a, b=m.b, cost=m.cost, seconds=seconds)
"""
"""Agglomerates a matrix with the checkout that is first on the path."""


def matrix_of(name: str) -> Any:
    """M* of a case, or an identity matrix, in which all pairs are tied."""
    kind, *numbers = name.split(":")
    if kind == "identity":
        return np.eye(int(numbers[0])) + 1e-6
    return smoothed(case(name).matrix, 1e-6, lambda *_: None).matrix


def merges_of(checkout: Path, matrix: Path, into: Path) -> Any:
    """The merges, as arrays by name, and the seconds of processor time."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-c", PROGRAM, str(checkout), str(matrix), str(into)]
    subprocess.run(command, env=environment, cwd=into.parent, check=True)
    return np.load(into)


def compare(name: str, old: Path, folder: Path) -> str:
    """The row of one case; SystemExit if a merge differs."""
    N = matrix_of(name)
    matrix = folder / "N.npy"
    np.save(matrix, N)
    before, after = merges_of(old, matrix, folder / "old.npz"), merges_of(ROOT, matrix, folder / "new.npz")
    for column in ("side", "a", "b"):
        if not np.array_equal(before[column], after[column]):
            first = int(np.flatnonzero(before[column] != after[column])[0])
            raise SystemExit(f"{name}: merge {first} differs in {column}")
    apart = np.abs(after["cost"] - before["cost"]) / np.maximum(np.abs(before["cost"]), np.finfo(float).tiny)
    if apart.max() > CLOSE:
        raise SystemExit(f"{name}: a cost differs by {apart.max():.1e}")
    seconds = float(before["seconds"]), float(after["seconds"])
    size = f"{N.shape[0]:,} × {N.shape[1]:,}"
    return (
        f"| {name} | {size} | {len(before['side']):,} | {apart.max():.0e} | {seconds[0]:.2f} | {seconds[1]:.2f} "
        f"| {seconds[1] / seconds[0]:.2f} |"
    )


def main() -> None:
    """Compare all cases, or those named."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.unchanged.merges",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("old", type=Path, help="the folder of the other checkout")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--into", type=Path, default=RESULTS / "merges.md", help="the file of the table")
    options = parser.parse_args()
    old = options.old.resolve()
    if not (old / "cocluster" / "__init__.py").is_file():
        parser.error(f"{options.old} is no checkout of Cotag: it has no package cocluster")
    lines = [
        "| | documents × tags | merges, all the same | costs apart, at most | old, s | new, s | new of old |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        for name in options.cases or CASES:
            lines.append(compare(name, old, Path(folder)))
            print(lines[-1], flush=True)
    footer = (
        f"Processor seconds of the engine alone, one run. Old is {commit(old)}, new is {commit(ROOT)}. Made by "
        "`python -m bench.unchanged.merges OLD`, where OLD is a checkout of the old commit."
    )
    options.into.write_text("\n".join([*lines, "", footer]) + "\n")


if __name__ == "__main__":
    main()
