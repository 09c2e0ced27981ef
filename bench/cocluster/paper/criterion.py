"""Does entropy × information peak at the true number of clusters? python -m bench.cocluster.paper criterion"""

from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from bench.cocluster.critical_size.boards import counted_leaves
from bench.cocluster.paper.boards import Board, boards, clustered
from bench.cocluster.paper.corpora import demo
from bench.cocluster.paper.style import BLUE, GREY, ORANGE, RED, clusters_left, figure, save
from bench.cocluster.paper.workspace import Workspace, markdown
from cocluster.equations.arrays import Sparse
from cocluster.equations.criterion import criterion_curves
from cocluster.equations.history import History
from tagmodel import CriterionCurve

SHOWN = 400
"""Numbers of clusters drawn: beyond them the criterion only falls."""


@dataclass(frozen=True)
class SideCurve:
    """The criterion of one side for k = 1…SHOWN, and where it and the entropy alone are largest, over all k."""

    side: str
    truth: int | None
    entropy: list[float]
    information: list[float]
    found: int
    by_entropy: int


def run(workspace: Workspace) -> str:
    scale = workspace.scale
    board = boards(scale, scale.shown_k)[0]
    subjects = [
        (f"checkerboard, k = {board.k}", str(board), partial(of_board, board)),
        ("demo corpus", f"demo documents={scale.documents or 'all'}", partial(of_demo, scale.documents)),
    ]
    picture = figure(8.6, 6.2)
    rows: list[list[object]] = []
    for line, (title, trial, compute) in zip(picture.subplots(2, 2), subjects, strict=True):
        for axes, record in zip(line, workspace.measured("criterion", trial, compute), strict=True):
            curve = SideCurve(**record)
            draw(axes, curve, f"{title}: {curve.side}")
            rows.append([f"{title}: {curve.side}", curve.truth or "unknown", curve.found, curve.by_entropy])
    picture.legend(*picture.axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    save(picture, workspace.image("criterion"))
    return markdown(["", "true k", "k̂ by H* × I", "k̂ by H* alone"], rows)


def of_board(board: Board) -> list[dict[str, object]]:
    X, rows, columns = board.draw()
    return side_curves(X, clustered(X), (len(np.unique(rows)), len(np.unique(columns))))


def of_demo(documents: int | None) -> list[dict[str, object]]:
    X = demo(documents).kept.matrix
    return side_curves(X, clustered(X), (None, None))


def side_curves(X: Sparse, history: History, truths: tuple[int | None, int | None]) -> list[dict[str, object]]:
    rows, columns = criterion_curves(history, "auto", *counted_leaves(X))
    return [asdict(side_curve("documents", rows, truths[0])), asdict(side_curve("tags", columns, truths[1]))]


def side_curve(side: str, curve: CriterionCurve, truth: int | None) -> SideCurve:
    return SideCurve(
        side,
        truth,
        np.round(curve.entropy[:SHOWN], 5).tolist(),
        np.round(curve.information[:SHOWN], 5).tolist(),
        found=curve.best_k,
        by_entropy=int(curve.k[np.argmax(curve.entropy)]),
    )


def draw(axes: Axes, curve: SideCurve, title: str) -> None:
    """All three curves as shares of their maximum, so that their peaks can be compared."""
    entropy, information = np.array(curve.entropy), np.array(curve.information)
    k = np.arange(1, len(entropy) + 1)
    for values, ink, label in (
        (information, GREY, "I"),
        (entropy, ORANGE, "H* alone"),
        (entropy * information, BLUE, "H* × I"),
    ):
        axes.plot(k[1:], values[1:] / values.max(), color=ink, label=label)
    axes.axvline(curve.found, color=BLUE, linewidth=0.9, linestyle=":")
    axes.annotate(f"k̂ = {curve.found}", (curve.found, 0.16), (4, 0), textcoords="offset points", color=BLUE)
    if curve.truth:
        axes.plot(curve.truth, 0, "^", color=RED, ms=7, clip_on=False)
        axes.annotate(f"true k = {curve.truth}", (curve.truth, 0.04), (8, 0), textcoords="offset points", color=RED)
    clusters_left(axes)
    axes.set(ylabel="share of the maximum", title=title, ylim=(0, 1.05))
