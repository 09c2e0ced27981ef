"""Which critical size finds the number of clusters? python -m bench.cocluster.paper restricted"""

from statistics import fmean

import numpy as np
from matplotlib import colormaps

from bench.cocluster.critical_size.boards import counted_leaves
from bench.cocluster.paper.boards import CRITICAL_SIZES, boards, clustered, sides
from bench.cocluster.paper.style import RED, by_k, clusters_left, count_axis, figure, save
from bench.cocluster.paper.workspace import Workspace, markdown
from cocluster.equations.criterion import criterion_curves
from cocluster.equations.critical_size import CriticalSize


def run(workspace: Workspace) -> str:
    ks = workspace.scale.ks
    misses = {size: [[side.miss(size) for side in sides(workspace, k)] for k in ks] for size in CRITICAL_SIZES}
    draw(workspace, {size: [fmean(of_k) for of_k in each] for size, each in misses.items()})
    rows = [
        [_named(size), *(f"{fmean(of_k):.1f}" for of_k in each), f"{fmean(map(fmean, each)):.1f}", max(map(max, each))]
        for size, each in misses.items()
    ]
    alone = [[side.miss_by_entropy() for side in sides(workspace, k)] for k in ks]
    rows.append(
        [
            "auto, H* alone",
            *(f"{fmean(of_k):.1f}" for of_k in alone),
            f"{fmean(map(fmean, alone)):.1f}",
            max(map(max, alone)),
        ]
    )
    return markdown(["mean \\|k̂ − k\\|, k =", *map(str, ks), "mean", "largest"], rows)


def draw(workspace: Workspace, misses: dict[CriticalSize, list[float]]) -> None:
    ks = workspace.scale.ks
    board = boards(workspace.scale, workspace.scale.shown_k)[0]
    X, _, _ = board.draw()
    history, counted = clustered(X), counted_leaves(X)
    shades = dict(
        zip(CRITICAL_SIZES, colormaps["viridis"](np.linspace(0.9, 0.15, len(CRITICAL_SIZES) - 1)), strict=False)
    )
    picture = figure(8.6, 3.7)
    curves, found = picture.subplots(1, 2)
    for size in CRITICAL_SIZES:
        ink = shades.get(size, RED)
        _, curve = criterion_curves(history, size, *counted)
        curves.plot(curve.k[1:], curve.entropy[1:], color=ink, label=_named(size))
        found.plot(ks, misses[size], "o-", color=ink, label=_named(size))
    curves.axvline(board.k, color="grey", linewidth=0.9, linestyle=":")
    curves.annotate(f"true k = {board.k}", (board.k, 0.04), (4, 0), textcoords="offset points", color="grey")
    clusters_left(curves)
    curves.set(ylabel="H*rel (C; r)", title=f"Restricted entropy of one tree, k = {board.k}")
    count_axis(found)
    found.set_title("Clusters found by H* × I")
    found.legend(loc="upper left", title="critical size", ncols=2)
    by_k(found, ks)
    save(picture, workspace.image("restricted"))


def _named(size: CriticalSize) -> str:
    return "auto" if size == "auto" else f"r = {size}"
