"""The documents that micro-clusters begin with."""

import numpy as np
from scipy.sparse import block_diag, csr_array

from cocluster import LocalTasks
from cocluster.micro import documents
from cocluster.micro.documents import micro_clusters
from cocluster.micro.seeding import best_scores, scores_alone, seeds
from tests.cocluster.matrices import sample
from tests.cocluster.micro.products import board, every_row, product_of, silent
from tests.cocluster.reference import kl_divergence


def test_seeds_are_different_documents_and_the_same_every_time(form):
    smoothed = product_of(board())
    masses = seeds(smoothed, 50)
    assert masses.tobytes() == seeds(smoothed, 50).tobytes()
    N = every_row(smoothed)
    which = [int(np.argmin(np.abs(N - seed).sum(axis=1))) for seed in masses]
    np.testing.assert_allclose(masses, N[which], rtol=1e-9)
    assert len(set(which)) == 50


def test_clusters_that_begin_with_them_lose_less_than_those_that_begin_with_any_documents(monkeypatch):
    smoothed = product_of(sample("whatscooking", 1000))
    fit = micro_clusters(smoothed, 200, LocalTasks(), silent).fits[-1]
    for seed in range(5):
        drawn = np.random.default_rng(seed).choice(smoothed.rows.shape[0], 200, replace=False)
        uniform = smoothed.G.aggregate(csr_array(smoothed.rows[drawn]))
        monkeypatch.setattr(documents, "seeds", lambda *_, uniform=uniform: uniform)
        assert fit > micro_clusters(smoothed, 200, LocalTasks(), silent).fits[-1]


def test_a_component_that_stands_alone_gets_a_seed_however_small_it_is():
    components = [np.triu(np.ones((size, size))) for size in (60, 40, 30, 20, 10, 5, 4, 3, 3, 3)]
    smoothed = product_of(csr_array(block_diag(components)))
    ends = np.cumsum([0, *map(len, components)])
    heaviest = seeds(smoothed, 30).argmax(axis=1)
    assert set(np.searchsorted(ends, heaviest, side="right")) == set(range(1, len(components) + 1))


def test_what_a_document_loses_in_the_nearest_cluster_is_its_mass_times_the_divergence(form):
    smoothed = product_of(board(n=60, m=40, k=4))
    N, v = every_row(smoothed), smoothed.column_sizes
    lost = scores_alone(smoothed, smoothed.rows) - best_scores(
        smoothed, smoothed.rows, csr_array(smoothed.rows[[3, 17]])
    )
    P = N * v / (N @ v)[:, None]
    least = [min(kl_divergence(row, P[3]), kl_divergence(row, P[17])) for row in P]
    np.testing.assert_allclose(lost, least * (N @ v), atol=1e-6 * np.max(lost))


def test_fewer_documents_than_steps_are_enough():
    smoothed = product_of(board(n=60, m=40, k=4))
    assert len(seeds(smoothed, 3)) == 3
