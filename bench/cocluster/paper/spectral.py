"""Agglomerative or spectral co-clustering, when k is known? python -m bench.cocluster.paper spectral"""

from functools import partial
from itertools import chain
from statistics import fmean

import numpy as np
from sklearn.cluster import SpectralCoclustering

from bench.cocluster.paper.boards import Board, boards, sides
from bench.cocluster.paper.style import BLUE, GREY, by_k, figure, save
from bench.cocluster.paper.workspace import Workspace, compared, markdown
from cocluster import v_measure

ALPHAS = (0.2, 0.4)


def run(workspace: Workspace) -> str:
    ks = workspace.scale.ks
    means: dict[str, dict[float, list[float]]] = {"ours": {}, "theirs": {}}
    rows: list[list[str]] = []
    for alpha in ALPHAS:
        trials = [sides(workspace, k, alpha=alpha) for k in ks]
        ours = [[side.exact for side in of_k] for of_k in trials]
        theirs = [spectral_sides(workspace, k, alpha) for k in ks]
        misses = [fmean(side.miss() for side in of_k) for of_k in trials]
        means["ours"][alpha], means["theirs"][alpha] = list(map(fmean, ours)), list(map(fmean, theirs))
        rows += [
            [f"α = {alpha}: agglomerative", *(f"{v:.3f}" for v in with_mean(means["ours"][alpha]))],
            [f"α = {alpha}: spectral", *(f"{v:.3f}" for v in with_mean(means["theirs"][alpha]))],
            [
                "agglomerative higher/equal/lower",
                *map(compared, ours, theirs),
                compared(list(chain(*ours)), list(chain(*theirs))),
            ],
            ["\\|k̂ − k\\| when k is not told", *(f"{miss:.1f}" for miss in with_mean(misses))],
        ]
    draw(workspace, means["ours"], means["theirs"])
    return markdown(["V at the true k, k =", *map(str, ks), "all"], rows)


def with_mean(values: list[float]) -> list[float]:
    return [*values, fmean(values)]


def draw(workspace: Workspace, ours: dict[float, list[float]], theirs: dict[float, list[float]]) -> None:
    ks = workspace.scale.ks
    picture = figure(8.6, 3.4)
    for axes, alpha in zip(picture.subplots(1, 2, sharey=True), ALPHAS, strict=True):
        axes.plot(ks, ours[alpha], "o-", color=BLUE, label="agglomerative (composite, joint)")
        axes.plot(ks, theirs[alpha], "s-", color=GREY, label="spectral co-clustering (scikit-learn)")
        axes.set(title=f"{alpha:.0%} of the tiles filled", ylim=(0, 1.02))
        by_k(axes, ks)
    picture.axes[0].set_ylabel("V-measure at the true k")
    picture.axes[0].legend(loc="lower left")
    save(picture, workspace.image("spectral"))


def spectral_sides(workspace: Workspace, k: int, alpha: float) -> list[float]:
    """V-measures of rows and columns of every trial with k clusters."""
    found: list[float] = []
    for board in boards(workspace.scale, k, alpha):
        found += workspace.measured("spectral", str(board), partial(trial, board))
    return found


def trial(board: Board) -> list[float]:
    """V-measures of rows and columns; spectral co-clustering knows one k, so it gets the larger of the two sides'."""
    X, rows, columns = board.draw()
    k = max(len(np.unique(rows)), len(np.unique(columns)))
    model = SpectralCoclustering(n_clusters=k, random_state=board.seed).fit(X)
    return [round(v_measure(rows, model.row_labels_), 4), round(v_measure(columns, model.column_labels_), 4)]
