"""Draws a fitted model with matplotlib: the dendrograms, the matrix before and after smoothing, the criterion.

Each function draws into the axes it is given, or into new ones, and returns them. This module and `cocluster.files` are
the only ones of the package that are not pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
from scipy.cluster.hierarchy import cophenet
from scipy.cluster.hierarchy import dendrogram as draw_dendrogram
from scipy.spatial.distance import squareform
from scipy.stats import rankdata

from cocluster.equations.arrays import Floats
from cocluster.equations.incidence import column_counts
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

GOLDEN: Final = np.pi * (3 - np.sqrt(5))
"""The angle between one point and the next of a group, as in a sunflower: no two lie in one direction."""

ROUNDS: Final = 500
"""At most so often are groups that overlap pushed apart."""

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


def scatter(model: CoClustering, k: int | None = None, *, ax: Axes | None = None) -> Axes:
    """The tags as points, in groups of a cut into k, by default that of the fit, each with the label of its cluster.

    Groups that join early in the dendrogram lie near each other. Points are larger for tags of more documents; the
    leading tags of a group are in its middle.

    Raises:
        ValueError: k is not between 2 and the number of tags.
    """
    tree = model.column_dendrogram_
    count = k or model.n_column_clusters_
    if not 2 <= count <= tree.leaves:
        raise ValueError(f"k must be between 2 and {tree.leaves} to draw groups, not {count}")
    table = dict(zip(*_tag_counts(model), strict=True))
    clusters, members = model.tag_clusters(count), model.cluster_tags(count)
    axes = ax or plt.subplots(figsize=(9, 7), layout="constrained")[1]
    radii = np.sqrt([cluster.size for cluster in clusters])
    distances = squareform(cophenet(np.array(tree.branches(tree.nodes_at(count)).merges, dtype=np.float64)))
    for place, radius, cluster, tags in zip(_group_places(distances, radii), radii, clusters, members, strict=True):
        turns = np.arange(len(tags)) * GOLDEN
        out = 0.85 * radius * np.sqrt((np.arange(len(tags)) + 0.5) / len(tags))
        sizes = 8 + 60 * np.sqrt([table[tag] / max(table.values()) for tag in tags])
        axes.scatter(place[0] + out * np.cos(turns), place[1] + out * np.sin(turns), sizes, alpha=0.7, linewidths=0)
        label = cluster.name.replace(", ", ",\n")
        axes.annotate(label, (place[0], place[1] + radius), ha="center", va="bottom", fontsize=8, linespacing=0.95)
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.spines[:].set_visible(False)
    axes.margins(0.12)
    return axes


def _group_places(distances: Floats, radii: Floats) -> Floats:
    """Places of circles that do not overlap and keep about these distances: classical scaling, then pushed apart."""
    ranks = rankdata(distances).reshape(distances.shape)
    np.fill_diagonal(ranks, 0.0)
    centring = np.eye(len(radii)) - 1 / len(radii)
    values, vectors = np.linalg.eigh(-0.5 * centring @ ranks**2 @ centring)
    places: Floats = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    places += 1e-3 * np.column_stack([np.cos(np.arange(len(radii)) * GOLDEN), np.sin(np.arange(len(radii)) * GOLDEN)])
    places *= 1.2 * radii.sum() / np.sqrt(len(radii)) / max(np.abs(places).max(), 1e-12)
    needed = radii[:, None] + radii + 1.5 * radii.mean()  # room for the label
    for _ in range(ROUNDS):
        gaps = places[:, None] - places
        lengths = np.maximum(np.linalg.norm(gaps, axis=2), 1e-9)
        overlap = np.maximum(needed - lengths, 0.0)
        np.fill_diagonal(overlap, 0.0)
        places += 0.5 * (gaps * (overlap / lengths)[:, :, None]).sum(axis=1) / max(1.0, (overlap > 0).sum(axis=1).max())
        if not overlap.any():
            break
    return places


def _tag_counts(model: CoClustering) -> tuple[list[str], list[int]]:
    names = [f"x{tag}" for tag in range(model.n_features_in_)]
    known = getattr(model, "feature_names_in_", None)
    return (names if known is None else list(known)), column_counts(model.matrix_).tolist()


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
