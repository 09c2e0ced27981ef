"""What rare tags cost: this checkout beside an older one, in turns, and autocomplete among 100,000 names."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np

from service.view.autocomplete import Autocomplete

ROOT: Final = Path(__file__).parents[3]
SIDE: Final = Path(__file__).with_name("side.py")
NAMES: Final = 100_000
ROUNDS: Final = 5
SYLLABLES: Final = ("ka", "ri", "to", "men", "sa", "lo", "ve", "du", "shi", "ba", "no", "re")


def cost(older: Path, file: Path) -> dict[str, tuple[float, float]]:
    """Each figure before and after: one run of each side, then ROUNDS services of each in turns, and their medians."""
    with tempfile.TemporaryDirectory() as folder:
        stored = {older: Path(folder) / "before", ROOT: Path(folder) / "after"}
        runs = {checkout: _asked(checkout, "run", file, out) for checkout, out in stored.items()}
        served: dict[Path, list[dict[str, float]]] = {checkout: [] for checkout in stored}
        for _ in range(ROUNDS):
            for checkout, out in stored.items():
                served[checkout].append(_asked(checkout, "serve", out))
    sides = []
    for checkout, run in runs.items():
        medians = {name: median(each[name] for each in served[checkout]) for name in served[checkout][0]}
        sides.append(run | medians)
    before, after = sides
    return {name: (before[name], after[name]) for name in before}


def completion_seconds() -> dict[str, float]:
    """Processor time of one look-up among NAMES names of one to three words, by the length of what is typed."""
    random = np.random.default_rng(0)
    names: dict[str, None] = {}
    while len(names) < NAMES:
        words = ["".join(random.choice(SYLLABLES, random.integers(1, 5))) for _ in range(random.integers(1, 4))]
        names[" ".join(words)] = None
    completion = Autocomplete(list(names))
    found = {}
    for typed in ("k", "ka", "karo", "kari to"):
        began = time.process_time()
        for _ in range(100):
            completion.beginning(typed)
            completion.later_word(typed)
        found[f"typed {typed!r}"] = (time.process_time() - began) / 100
    return found


def _asked(checkout: Path, *words: object) -> dict[str, float]:
    command = [sys.executable, str(SIDE), *map(str, words)]
    # One thread for linear algebra: on a busy machine, others wait in loops that count as processor time.
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    answer = subprocess.run(command, env=environment, cwd=checkout, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return figures
