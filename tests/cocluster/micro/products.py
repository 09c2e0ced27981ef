"""M* as a product, of small boards."""

from scipy.sparse import csr_array, eye_array

from cocluster import checkerboard
from cocluster.duplicates import fold
from cocluster.incidence import binary
from cocluster.micro.gathering import factored
from cocluster.pipeline import transitions

RATE = 1e-6


def silent(*_):
    pass


def made_of(X):
    return transitions(fold(binary(X)), silent)


def product_of(X):
    return factored(made_of(X), RATE)


def board(n=400, m=120, k=6, seed=1):
    return checkerboard(n=n, m=m, k=k, alpha=0.4, beta=0.3, seed=seed)[0]


def every_row(whole):
    return whole.summed(csr_array(eye_array(whole.rows.shape[0])))
