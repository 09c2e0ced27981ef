"""The critical size: fixed entropies, and the average that "auto" takes over a range of sizes."""

import numpy as np
import pytest
from hypothesis import given

from cocluster import CoClustering, checkerboard
from cocluster.equations.critical_size import SizeRange, averaged_entropy, fixed_entropy, share_below
from cocluster.equations.entropy import restricted_entropy
from cocluster.equations.incidence import binary
from cocluster.pipeline import agglomerated, smoothed
from tests.cocluster.matrices import examples, incidences, sample


def silent(stage, done, total):
    pass


def trees(X):
    history = agglomerated(smoothed(X, 1e-6, silent).matrix, "composite", joint=True, progress=silent)
    return history.rows.tree, history.columns.tree


@pytest.mark.parametrize("over", [SizeRange(), SizeRange(least=2, spread=3.0, low=0.2, high=1.5, penalty=1.0)])
def test_auto_is_the_mean_over_critical_sizes_times_the_share_that_counts_to_its_power(over):
    X, _, _ = checkerboard(n=80, m=60, k=5, alpha=0.4, beta=0.4, seed=0)
    tree = trees(X)[0]
    averaged = averaged_entropy(tree, over)
    n = tree.items
    centre = max(min(over.least, n / 8), over.share * n)
    u = (np.arange(4000) + 0.5) / 4000
    absolute = centre / over.spread * over.spread ** (2 * u)
    model = CoClustering().fit(X)
    for k in (2, 3, 5, 9, 17, 40):
        critical = np.maximum(absolute, n / k * over.low * (over.high / over.low) ** u)
        sizes = np.bincount(model.row_labels(k))
        mean = np.mean([restricted_entropy(sizes, r) for r in critical])
        counted = np.mean(sizes[:, None] > critical[None, :])
        assert averaged[k - 1] == pytest.approx(mean * counted**over.penalty, abs=2e-3)


@examples
@given(incidences(most=14))
def test_auto_never_exceeds_the_whole_entropy(M):
    for tree in trees(binary(M)):
        assert (averaged_entropy(tree) <= fixed_entropy(tree, 0) + 1e-12).all()


def test_a_cluster_counts_from_not_at_all_to_fully_as_its_size_goes_through_the_range():
    shares = share_below(np.array([1, 2, 4, 8, 9]), 2.0, 8.0)
    np.testing.assert_allclose(shares, [0, 0, 0.5, 1, 1])


@pytest.mark.parametrize(("n", "k"), [(600, 20), (800, 40)])
def test_auto_finds_the_clusters_of_checkerboards_it_was_not_tuned_on(n, k):
    X, rows, columns = checkerboard(n=n, m=n, k=k, seed=4242)
    model = CoClustering().fit(X)
    for clusters, truth in ((model.n_row_clusters_, rows), (model.n_column_clusters_, columns)):
        assert abs(clusters - len(set(truth))) <= 0.15 * k


def test_auto_gives_tens_of_clusters_on_a_real_corpus():
    model = CoClustering().fit(sample("tabler_icons", 1500))
    assert 20 <= model.n_row_clusters_ <= 100
    assert 20 <= model.n_column_clusters_ <= 100
