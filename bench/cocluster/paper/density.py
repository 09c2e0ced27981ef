"""Does smoothing help DBSCAN too? python -m bench.cocluster.paper density"""

from dataclasses import asdict, dataclass
from functools import partial
from statistics import fmean

import numpy as np
from sklearn.cluster import DBSCAN

from bench.cocluster.paper.boards import Board, boards, sides, smooth
from bench.cocluster.paper.style import BLUE, GREY, ORANGE, by_k, figure, save
from bench.cocluster.paper.workspace import Workspace, markdown
from cocluster import v_measure
from cocluster.equations.arrays import Floats, Ints

MIN_SAMPLES = 5
RADII = np.geomspace(1e-4, 0.5, 40)
"""Tried as quantiles of the distances of all pairs, so that M and M* get the same chance."""


@dataclass(frozen=True)
class Clustering:
    """What DBSCAN found at its best radius: V-measure with the noise as one cluster, clusters, share of noise."""

    v: float
    clusters: int
    noise: float


def run(workspace: Workspace) -> str:
    ks = workspace.scale.ks
    found = {name: [both_sides(workspace, k, name) for k in ks] for name in ("plain", "smoothed")}
    ours = [fmean(side.chosen for side in sides(workspace, k)) for k in ks]
    draw(workspace, found, ours)
    rows: list[list[object]] = []
    for name, matrix in (("plain", "M"), ("smoothed", "M*")):
        rows += [
            [f"DBSCAN on {matrix}: best V", *(f"{fmean(side.v for side in sides):.3f}" for sides in found[name])],
            ["clusters it found", *(f"{fmean(side.clusters for side in sides):.1f}" for sides in found[name])],
            ["left as noise", *(f"{fmean(side.noise for side in sides):.0%}" for sides in found[name])],
        ]
    rows.append(["co-clustering at its own k̂: V", *(f"{v:.3f}" for v in ours)])
    return markdown(["k", *map(str, ks)], rows)


def draw(workspace: Workspace, found: dict[str, list[list[Clustering]]], ours: list[float]) -> None:
    ks = workspace.scale.ks
    picture = figure(8.6, 3.4)
    quality, noise = picture.subplots(1, 2)
    quality.plot(ks, ours, ":", color=BLUE, label="co-clustering, k not told")
    for name, label, ink in (("smoothed", "DBSCAN on M*", ORANGE), ("plain", "DBSCAN on M", GREY)):
        quality.plot(ks, [fmean(side.v for side in sides) for sides in found[name]], "o-", color=ink, label=label)
        noise.plot(ks, [fmean(side.noise for side in sides) for sides in found[name]], "o-", color=ink, label=label)
    quality.set(ylabel="V-measure", ylim=(0, 1.02), title="V-measure at the best radius")
    quality.legend(loc="lower left")
    noise.set(ylabel="share of items", ylim=(0, 1.02), title="Left as noise there")
    for axes in (quality, noise):
        by_k(axes, ks)
    save(picture, workspace.image("density"))


def both_sides(workspace: Workspace, k: int, name: str) -> list[Clustering]:
    """Rows and columns of every trial with k clusters."""
    found = []
    for board in boards(workspace.scale, k):
        record = workspace.measured("density", str(board), partial(trial, board))
        found += [Clustering(**side) for side in record[name]]
    return found


def trial(board: Board) -> dict[str, list[dict[str, object]]]:
    """DBSCAN on the rows and on the columns, of M and of M*."""
    X, rows, columns = board.draw()
    return {
        name: [asdict(best(matrix, rows)), asdict(best(matrix.T, columns))]
        for name, matrix in (("plain", X.toarray()), ("smoothed", smooth(X)))
    }


def best(matrix: Floats, truth: Ints) -> Clustering:
    """The radius that scores best against the truth: more than DBSCAN could know, on M and on M* alike."""
    distances = cosine_distances(matrix)
    radii = np.quantile(distances[np.triu_indices_from(distances, 1)], RADII)
    found = (clustering(distances, truth, radius) for radius in np.unique(radii[radii > 0]))
    return max(found, key=lambda clustering: clustering.v)


def clustering(distances: Floats, truth: Ints, radius: float) -> Clustering:
    labels = DBSCAN(eps=radius, min_samples=MIN_SAMPLES, metric="precomputed").fit_predict(distances)
    clusters = len(np.unique(labels[labels >= 0]))
    return Clustering(round(v_measure(truth, labels), 4), clusters, round(float(np.mean(labels < 0)), 4))


def cosine_distances(matrix: Floats) -> Floats:
    """1 − cosine of each pair of rows."""
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    distances: Floats = np.maximum(0.0, 1.0 - unit @ unit.T)
    np.fill_diagonal(distances, 0.0)
    return distances
