"""Draws a fitted model with matplotlib: the dendrograms, the matrix before and after smoothing, the criterion.

Each function draws into the axes it is given, or into new ones, and returns them. This module and `cocluster.files` are
the only ones of the package that are not pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
from scipy.cluster.hierarchy import dendrogram as draw_dendrogram

from cocluster.estimator.blocks import block_densities
from cocluster.estimator.model import CoClustering

try:
    from matplotlib import pyplot as plt
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("cocluster.plot needs matplotlib: pip install 'cotag[plot]'") from error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:
    Axes = Any

Side: TypeAlias = Literal["tags", "documents"]

BLOCKS: Final = 256
"""Blocks of the matrix that are drawn in each direction, at most."""

FULL: Final = 0.995
"""Blocks from this quantile of the non-empty ones on get the darkest shade."""


def dendrogram(model: CoClustering, k: int | None = None, *, side: Side = "tags", ax: Axes | None = None) -> Axes:
    """The dendrogram of one side above a cut into k, by default the automatic one; a leaf is a cluster.

    Clusters of tags have their labels, clusters of documents their numbers.

    Raises:
        ValueError: k is not between 2 and the number of leaves.
    """
    tree = model.column_dendrogram_ if side == "tags" else model.row_dendrogram_
    clusters = k or (model.n_column_clusters_ if side == "tags" else model.n_row_clusters_)
    if not 2 <= clusters <= tree.leaves:
        raise ValueError(f"k must be between 2 and {tree.leaves} to draw a dendrogram, not {clusters}")
    nodes = tree.nodes_at(clusters)
    sizes = [int(tree.node_sizes[node]) for node in nodes]
    names = [f"documents of cluster {place}" for place in range(clusters)]
    if side == "tags":
        names = [cluster.name for cluster in model.tag_clusters(clusters)]
    axes = ax or plt.subplots(figsize=(9, 1.5 + 0.25 * clusters), layout="constrained")[1]
    draw_dendrogram(
        np.array(tree.branches(nodes).merges, dtype=np.float64),
        labels=[f"{name} ({size})" for name, size in zip(names, sizes, strict=True)],
        orientation="left",
        leaf_font_size=9,
        color_threshold=0,
        above_threshold_color="C0",
        ax=axes,
    )
    axes.set_xlabel("bits of information lost")
    axes.spines[["top", "right", "left"]].set_visible(False)
    return axes


def matrix(model: CoClustering, *, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """The matrix before and after smoothing, documents and tags in the order of their dendrograms: two pictures."""
    pair = axes if axes is not None else plt.subplots(1, 2, figsize=(9, 4.8), layout="constrained")[1]
    densities = block_densities(model.matrix_, model, BLOCKS)
    for each, values, title in zip(pair, densities, ("before smoothing", "after smoothing"), strict=True):
        # Few blocks are dense and many nearly empty: square roots show both.
        each.imshow(np.sqrt(values), cmap="Greys", vmin=0, vmax=np.quantile(np.sqrt(values[values > 0]), FULL))
        each.set_aspect("auto")
        each.set(title=title, xlabel="tags", ylabel="documents", xticks=[], yticks=[])
    return pair


def criterion(model: CoClustering, *, side: Side = "tags", ax: Axes | None = None) -> Axes:
    """The criterion for every number of clusters of one side, and where it is largest: the automatic cut."""
    curve = model.column_curve_ if side == "tags" else model.row_curve_
    axes = ax or plt.subplots(figsize=(7, 4), layout="constrained")[1]
    axes.plot(curve.k, curve.criterion)
    axes.axvline(curve.best_k, color="C1", linestyle="--", label=f"k = {curve.best_k}")
    axes.set(xscale="log", xlabel=f"clusters of {side}", ylabel="restricted entropy × information (bits)")
    axes.legend()
    return axes
