"""What does smoothing do to a checkerboard? python -m bench.cocluster.paper smoothing"""

from functools import partial

import numpy as np
from matplotlib.colors import PowerNorm

from bench.cocluster.paper.boards import Board, boards, smooth
from bench.cocluster.paper.corpora import demo
from bench.cocluster.paper.style import figure, save
from bench.cocluster.paper.workspace import Workspace, markdown
from cocluster.equations.arrays import Floats, Ints


def run(workspace: Workspace) -> str:
    board = boards(workspace.scale, workspace.scale.shown_k)[0]
    draw(workspace, board)
    figures = workspace.measured("smoothing", str(board), partial(measured, board))
    documents = workspace.scale.documents
    real = workspace.measured("smoothing", f"demo documents={documents or 'all'}", partial(measured_demo, documents))
    return markdown(
        ["", "M", "M*"],
        [
            ["entries above 1 % of the largest", *(f"{share:.1%}" for share in figures["filled"])],
            ["variance between tiles, of all", *(f"{share:.1%}" for share in figures["between"])],
            ["rows whose nearest row is of their cluster", *(f"{share:.1%}" for share in figures["neighbours"])],
            ["demo corpus: heaviest tag, of the median tag", *(f"{ratio:.1f} ×" for ratio in real["heaviest"])],
            ["demo corpus: Gini coefficient of the tags' masses", *(f"{gini:.2f}" for gini in real["gini"])],
        ],
    )


def draw(workspace: Workspace, board: Board) -> None:
    X, rows, columns = board.draw()
    random = np.random.default_rng(board.seed)
    shuffled = np.ix_(random.permutation(len(rows)), random.permutation(len(columns)))
    picture = figure(7.4, 7.6)
    grid = picture.subplots(2, 2)
    M, smoothed = X.toarray(), smooth(X)
    panels = [
        ("M, shuffled", M[shuffled]),
        ("M*, shuffled the same way", smoothed[shuffled]),
        ("M, ordered by true cluster", M),
        ("M*, ordered by true cluster", smoothed),
    ]
    for axes, (title, matrix) in zip(grid.flat, panels, strict=True):
        # The root of each value: tiles differ in rate by more than the eye tells apart.
        axes.imshow(matrix, cmap="Blues", norm=PowerNorm(0.5, 0, np.quantile(matrix, 0.999)), aspect="auto")
        axes.set_title(title)
        axes.set_axis_off()
    save(picture, workspace.image("smoothing"))


def measured(board: Board) -> dict[str, list[float]]:
    """Each figure for M and for M*."""
    X, rows, columns = board.draw()
    matrices = (X.toarray(), smooth(X))
    return {
        "filled": [float(np.mean(matrix > 0.01 * matrix.max())) for matrix in matrices],
        "between": [between_tiles(matrix, rows, columns) for matrix in matrices],
        "neighbours": [neighbours_alike(matrix, rows) for matrix in matrices],
    }


def measured_demo(documents: int | None) -> dict[str, list[float]]:
    """How unequal the tags of the demo are, in M and in M*."""
    X = demo(documents).kept.matrix
    masses = [np.sort(matrix.sum(axis=0)) for matrix in (X.toarray(), smooth(X))]
    return {
        "heaviest": [float(mass[-1] / np.median(mass)) for mass in masses],
        "gini": [gini(mass) for mass in masses],
    }


def gini(rising: Floats) -> float:
    """0 when all are equal, near 1 when one has all; of values in rising order."""
    n = len(rising)
    return float(np.sum((2 * np.arange(1, n + 1) - n - 1) * rising) / (n * rising.sum()))


def between_tiles(matrix: Floats, rows: Ints, columns: Ints) -> float:
    """The share of the variance of the entries that the true tiles explain."""
    row = np.unique(rows, return_inverse=True)[1]
    column = np.unique(columns, return_inverse=True)[1]
    of_rows, of_columns = np.eye(row.max() + 1)[row], np.eye(column.max() + 1)[column]
    means = (of_rows.T @ matrix @ of_columns) / np.outer(of_rows.sum(axis=0), of_columns.sum(axis=0))
    return float(np.var(means[np.ix_(row, column)]) / np.var(matrix))


def neighbours_alike(matrix: Floats, rows: Ints) -> float:
    """The share of rows whose nearest other row, by cosine, is of the same true cluster."""
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, -1)
    return float(np.mean(rows[similarity.argmax(axis=1)] == rows))
