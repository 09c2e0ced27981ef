"""The engine beside the direct procedure and beside peers: time, V-measure, peak memory, growth.

    python -m bench.cocluster.engine            everything, about ten minutes; writes bench/results/engine.md
    python -m bench.cocluster.engine --quick    the direct procedure is extrapolated everywhere, fewer sizes

Each figure comes from a process of its own, one after the other, after one small run that compiles or loads.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.cocluster.peers import Labels, Run, distances_given, linkage, louvain, paris, spectral, timed
from bench.cocluster.scale.cases import case as shared_case
from bench.places import CORPORA, RESULTS, ROOT
from cocluster import CoClustering, checkerboard, incidence, v_measure
from cocluster.engine import agglomerate, warm
from cocluster.pipeline import smoothed

TABLE = RESULTS / "engine.md"
TABLER = [
    ROOT / "demo" / "tabler_icons.jsonl.gz",
    CORPORA / "tabler_icons.jsonl.gz",
]

Case = tuple[Any, NDArray[np.int64] | None, NDArray[np.int64] | None, int]  # X, row labels, column labels, k


def tabler() -> Case:
    """All icons × keywords in at least five of them, with their categories."""
    path = next((p for p in TABLER if p.exists()), None)
    if path is None:
        raise FileNotFoundError(f"no corpus at {' or '.join(map(str, TABLER))}")
    with gzip.open(path, "rt") as lines:
        records = [json.loads(line) for line in lines]
    names = sorted({tag for record in records for tag in record["tags"]})
    number = {name: i for i, name in enumerate(names)}
    pairs = sorted({(i, number[tag]) for i, record in enumerate(records) for tag in record["tags"]})
    rows, columns = np.array(pairs).T
    M = incidence(csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(records), len(names))))
    labels = np.unique([records[i].get("label", "") for i in M.rows], return_inverse=True)[1]
    return M.matrix, labels, None, int(labels.max()) + 1


def case(name: str) -> Case:
    """tabler_icons, a checkerboard n×m×k, or a part of a shared corpus, `corpus:documents`."""
    if name == "tabler_icons":
        return tabler()
    if ":" in name:
        return tuple(shared_case(name))
    n, m, k = (int(number) for number in name.split("x"))
    return *checkerboard(n=n, m=m, k=k, seed=0), k


def engine(X: Any, _k: int) -> Run:
    """The agglomeration alone, M* given."""
    N = smoothed(X, 1e-6, lambda *_: None).matrix

    def make() -> Labels:
        agglomerate(N)
        return None, None

    return timed(make)


def pipeline(X: Any, k: int) -> Run:
    """Smoothing, agglomeration, trees and cut."""

    def make() -> Labels:
        model = CoClustering().fit(X)
        return model.row_labels(min(k, X.shape[0])), model.column_labels(min(k, X.shape[1]))

    return timed(make)


def round_of_costs(N: NDArray[np.float64], sizes: NDArray[np.int64]) -> tuple[float, int, int]:
    """The cheapest pair of rows from the full matrix of costs: what the direct procedure does each round, a side."""
    k = len(N)
    P = N / N.sum(axis=1, keepdims=True)
    cross = P @ np.log2(P).T
    own = np.diag(cross)
    D = 0.5 * (own[:, None] + own[None, :] - cross - cross.T)
    p = sizes / sizes.sum()
    x = p * np.log2(p)
    both = p[:, None] + p[None, :]
    W = both * np.log2(both) / (np.log2(k - 1) if k > 2 else 1.0) - (x[:, None] + x[None, :]) / np.log2(k)
    cost = D * np.maximum(W, 0.0)
    np.fill_diagonal(cost, np.inf)
    i, j = np.unravel_index(np.argmin(cost), cost.shape)
    return float(cost[i, j]), int(min(i, j)), int(max(i, j))


def seconds_of_round(N: NDArray[np.float64]) -> NDArray[np.float64]:
    """How long one such round takes, by the clock and of processors."""
    started, spent = time.perf_counter(), time.process_time()
    round_of_costs(N, np.ones(len(N), np.int64))
    return np.array([time.perf_counter() - started, time.process_time() - spent])


def direct(X: Any, _k: int) -> Run:
    """The direct procedure: all costs of both sides anew for every merge."""
    N = smoothed(X, 1e-6, lambda *_: None).matrix

    def make() -> Labels:
        A, sizes = N.copy(), [np.ones(size, np.int64) for size in N.shape]
        while max(A.shape) > 1:
            found = [
                round_of_costs(V, s) if len(V) > 1 else (np.inf, 0, 0) for V, s in zip((A, A.T), sizes, strict=True)
            ]
            side = int(found[1][0] < found[0][0])
            _, i, j = found[side]
            V = A.T if side else A
            V[i] += V[j]
            sizes[side][i] += sizes[side][j]
            A = np.delete(A, j, axis=side)
            sizes[side] = np.delete(sizes[side], j)
        return None, None

    return timed(make)


def direct_extrapolated(X: Any, _k: int) -> Run:
    """The direct procedure from single rounds: both sides shrunk in proportion, time summed over the merges."""
    N = smoothed(X, 1e-6, lambda *_: None).matrix
    shares = [1.0, 0.75, 0.5, 0.25, 0.1, 0.02]
    seconds = np.zeros((len(shares), 2))
    for number, share in enumerate(shares):
        A = np.ascontiguousarray(N[: max(int(share * len(N)), 3), : max(int(share * N.shape[1]), 3)])
        for V in (A, A.T):
            seconds[number] += np.minimum(seconds_of_round(V), seconds_of_round(V))
    clock, processors = (float(np.trapezoid(each, shares[::-1])) * (sum(N.shape) - 2) for each in seconds[::-1].T)
    return clock, processors, (None, None)


METHODS: dict[str, tuple[str, Callable[[Any, int], Run]]] = {
    "direct": ("direct NumPy procedure", direct),
    "extrapolated": ("direct NumPy procedure, extrapolated from its rounds", direct_extrapolated),
    "engine": ("cocluster.engine", engine),
    "pipeline": ("CoClustering().fit, whole pipeline", pipeline),
    "average": ("fastcluster average, documents alone", linkage("average")),
    "given": ("fastcluster average, given the distances of one matrix product", distances_given),
    "ward": ("fastcluster Ward, documents alone", linkage("ward")),
    "spectral": ("scikit-learn SpectralCoclustering", spectral),
    "louvain": ("scikit-network Louvain", louvain),
    "paris": ("scikit-network Paris", paris),
}


def one(method: str, name: str, repeat: int) -> dict[str, Any]:
    """In a process of its own: best seconds, V-measures against the labels, peak memory."""
    X, rows, columns, k = case(name)
    if method in {"engine", "pipeline"}:
        warm()
    runs = [METHODS[method][1](X, k) for _ in range(repeat)]
    seconds, processor = min(run[0] for run in runs), min(run[1] for run in runs)
    found = runs[0][2]
    scores = [  # Paris leaves items out of its trees where the graph falls apart: no score then
        None if truth is None or labels is None or len(labels) != len(truth) else v_measure(truth, np.asarray(labels))
        for truth, labels in zip((rows, columns), found, strict=True)
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "shape": list(X.shape),
        "seconds": seconds,
        "processor": processor,
        "v_rows": scores[0],
        "v_columns": scores[1],
        "peak": peak,
    }


def measure(method: str, name: str, repeat: int) -> dict[str, Any]:
    """`one` in a subprocess."""
    command = [sys.executable, "-m", "bench.cocluster.engine", "--one", method, name, str(repeat)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    answer: dict[str, Any] = json.loads(out.splitlines()[-1])
    return answer


def score(value: float | None) -> str:
    """Three places, or a dash."""
    return "–" if value is None else f"{value:.3f}"


def comparison(name: str, methods: list[str]) -> list[str]:
    """One table: every method on one matrix, and its processor time beside the engine's."""
    found = {method: measure(method, name, 3 if method in {"engine", "pipeline"} else 1) for method in methods}
    shape = found["engine"]["shape"]
    lines = [
        f"### {name}: {shape[0]} × {shape[1]}",
        "",
        "| | seconds | processor seconds | V documents | V tags | peak MB | processor seconds ÷ the engine's |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for method, f in found.items():
        ratio = f["processor"] / found["engine"]["processor"]
        times = [f"{f['seconds']:.2f}", f"{f['processor']:.2f}"]
        cells = [METHODS[method][0], *times, score(f["v_rows"]), score(f["v_columns"]), f"{f['peak']:.0f}"]
        lines.append(f"| {' | '.join(cells)} | {ratio:,.1f} |")
    print("\n".join(lines), flush=True)
    return [*lines, ""]


def growth(label: str, names: list[str], sizes: list[int]) -> str:
    """The engine's processor seconds over sizes, and the exponent fitted to them."""
    seconds = [measure("engine", name, 3)["processor"] for name in names]
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    line = f"| {label} | {', '.join(map(str, sizes))} | {', '.join(f'{s:.2f}' for s in seconds)} | {exponent:.2f} |"
    print(line, flush=True)
    return line


def machine() -> str:
    """What the figures were measured on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = f"{len(models)} × {models[0]}" if models else cpu
    load = Path("/proc/loadavg")
    busy = f"; load average at the start {load.read_text().split()[0]}" if load.exists() else ""
    import numba  # noqa: PLC0415

    versions = f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    return f"{cpu}, {platform.system()}, {versions}{busy}"


def main() -> None:
    """The whole comparison, or one figure of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--one", nargs=3, metavar=("METHOD", "CASE", "REPEAT"))
    options = parser.parse_args()
    if options.one:
        method, name, repeat = options.one
        print(json.dumps(one(method, name, int(repeat))))
        return
    lines = [
        "# The engine, measured",
        "",
        f"Made by `python -m bench.cocluster.engine{' --quick' if options.quick else ''}` on {machine()}.",
        "",
    ]
    peers = ["engine", "pipeline", "average", "given", "ward", "spectral", "louvain", "paris"]
    lines += comparison("1000x1000x15", ["extrapolated" if options.quick else "direct", *peers])
    lines += comparison("5000x1000x20", ["extrapolated", *peers])
    if any(path.exists() for path in TABLER):
        lines += comparison("tabler_icons", peers)
    if (shared := CORPORA.is_dir()) and not options.quick:
        lines += comparison("whatscooking:5000", ["engine", "pipeline", "average", "given"])
        lines += comparison("citeulike_a:5000", ["engine", "pipeline", "average", "given"])
    scales = [500, 1000, 2000] if options.quick else [500, 1000, 2000, 4000]
    lines += ["### Growth of the engine", "", "| | sizes | processor seconds | exponent |", "|---|---|---|--:|"]
    lines.append(growth("documents, 1,000 tags", [f"{n}x1000x20" for n in scales], scales))
    lines.append(growth("tags, 1,000 documents", [f"1000x{m}x20" for m in scales], scales))
    lines.append(growth("both", [f"{n}x{n}x20" for n in scales[:3]], scales[:3]))
    if shared:
        recipes = [1250, 2500, 5000]
        lines.append(growth("recipes, with their tags", [f"whatscooking:{n}" for n in recipes], recipes))
    RESULTS.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n")
    print(f"\nwritten to {TABLE}")


if __name__ == "__main__":
    main()
