"""M* as a product, of small boards."""

from scipy.sparse import csr_array, eye_array

from cocluster import checkerboard
from cocluster.equations.duplicates import deduplicate
from cocluster.equations.incidence import binary
from cocluster.equations.transition import transitions
from cocluster.fit.factored import factored_matrix

RATE = 1e-6


def silent(*_):
    pass


def transitions_of(X):
    return transitions(deduplicate(binary(X)), silent)


def product_of(X):
    return factored_matrix(transitions_of(X), RATE)


def board(n=400, m=120, k=6, seed=1):
    return checkerboard(n=n, m=m, k=k, alpha=0.4, beta=0.3, seed=seed)[0]


def every_row(smoothed):
    return smoothed.sum_rows(csr_array(eye_array(smoothed.rows.shape[0])))
