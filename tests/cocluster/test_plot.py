"""The drawings of a model show its clusters, its matrix and its criterion, in given axes or in new ones."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

from cocluster import CoClustering
from tests.conftest import topic_documents

mpl.use("agg")

from matplotlib import pyplot as plt

from cocluster import plot


@pytest.fixture(scope="module")
def model():
    return CoClustering.from_tags([document["tags"] for document in topic_documents(120)])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts(ticks):
    return [tick.get_text() for tick in ticks]


def test_a_dendrogram_has_a_leaf_for_each_cluster_with_label_and_size(model):
    axes = plot.dendrogram(model, 4)
    labels = [f"{cluster.name} ({cluster.size})" for cluster in model.tag_clusters(4)]
    assert sorted(texts(axes.get_yticklabels())) == sorted(labels)
    tree = model.column_dendrogram_
    heights = {round(merge.height, 6) for merge in tree.branches(tree.nodes_at(4)).merges}
    points = np.concatenate([path.vertices for part in axes.collections for path in part.get_paths()])
    assert heights <= set(points[:, 0].round(6).tolist())


def test_a_dendrogram_is_cut_automatically_and_of_either_side(model):
    axes = plot.dendrogram(model)
    assert len(axes.get_yticklabels()) == model.n_column_clusters_
    documents = plot.dendrogram(model, 3, side="documents")
    sizes = np.bincount(model.row_labels(3))
    assert sorted(texts(documents.get_yticklabels())) == [f"documents of cluster {a} ({sizes[a]})" for a in range(3)]


@pytest.mark.parametrize("k", [1, 33])
def test_a_dendrogram_that_cannot_be_drawn_is_refused(model, k):
    with pytest.raises(ValueError, match=f"k must be between 2 and 32 to draw a dendrogram, not {k}"):
        plot.dendrogram(model, k)


def test_a_scatter_has_a_point_for_each_tag_and_the_label_of_each_group_and_groups_do_not_overlap(model):
    axes = plot.scatter(model, 4)
    assert [len(points.get_offsets()) for points in axes.collections] == [each.size for each in model.tag_clusters(4)]
    labels = [text.get_text().replace("\n", " ") for text in axes.texts]
    assert labels == [cluster.name for cluster in model.tag_clusters(4)]
    groups = [np.asarray(points.get_offsets()) for points in axes.collections]
    centres = [group.mean(axis=0) for group in groups]
    for number, group in enumerate(groups):
        nearest = [int(np.argmin([np.hypot(*(point - centre)) for centre in centres])) for point in group]
        assert set(nearest) == {number}
    with pytest.raises(ValueError, match="to draw groups, not 1"):
        plot.scatter(model, 1)


def test_the_matrix_is_drawn_before_and_after_smoothing(model):
    before, after = (axes.images[0].get_array() for axes in plot.matrix(model))
    assert before.shape == after.shape == (120, 32)
    np.testing.assert_allclose((before**2).sum(), model.matrix_.sum())
    assert (before == 0).mean() > 0.5
    assert (after == 0).mean() == 0


def test_the_criterion_is_drawn_with_the_automatic_cut(model):
    axes = plot.criterion(model, side="documents")
    line, cut = axes.get_lines()
    np.testing.assert_array_equal(line.get_ydata(), model.row_curve_.criterion)
    assert cut.get_xdata()[0] == model.n_row_clusters_


def test_drawings_go_into_the_axes_of_the_caller(model):
    figure, axes = plt.subplots(2, 2)
    assert plot.dendrogram(model, 3, ax=axes[0, 0]) is axes[0, 0]
    assert plot.criterion(model, ax=axes[0, 1]) is axes[0, 1]
    assert plot.matrix(model, axes=axes[1])[1] is axes[1, 1]
    assert plt.get_fignums() == [figure.number]


def test_without_matplotlib_the_error_names_the_extra():
    code = "import sys; sys.modules['matplotlib'] = None; import cocluster.plot"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stderr.endswith("cocluster.plot needs matplotlib: pip install 'cotag[plot]'\n")
