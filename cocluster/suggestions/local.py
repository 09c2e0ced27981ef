"""Ridge regressions of each tag on its neighbours, for many tags."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse import csr_array

from cocluster.equations.neighbours import largest
from cocluster.suggestions.cooccurrence import Floats32, Sparse32
from cocluster.suggestions.kernels.selection import fill_block
from cocluster.suggestions.ridge import SingularRegressionError

NEAREST: Final = 64
COMMONEST: Final = 128
LARGEST: Final = 1024
"""A neighbourhood beyond this is cut to its nearest tags: its regression costs the cube of its size."""


def neighbourhoods(G: Sparse32, penalty: float) -> Sparse32:
    """For each tag (row) the tags it is regressed on: nearest by cosine either way, and the commonest of all.

    Without the commonest the negative weights are lost: those of tags that hardly ever occur together.
    """
    m = G.shape[0]
    norm = (G.diagonal() + penalty) ** -0.5
    data = G.data * np.repeat(norm, np.diff(G.indptr)) * norm[G.indices]
    cosine: Sparse32 = csr_array((data.astype(np.float32), G.indices, G.indptr), shape=G.shape, copy=True)
    cosine.setdiag(0.0)
    cosine.eliminate_zeros()
    nearest = largest(cosine, NEAREST)
    both = largest(csr_array(nearest.maximum(nearest.T)), LARGEST)
    common = np.argsort(-G.diagonal(), kind="stable")[:COMMONEST]
    everywhere = csr_array(
        (np.ones(m * len(common), np.float32), (np.repeat(np.arange(m), len(common)), np.tile(common, m))), shape=(m, m)
    )
    neighbours: Sparse32 = csr_array(both + everywhere)
    neighbours.setdiag(0.0)
    neighbours.eliminate_zeros()
    neighbours.sort_indices()
    return neighbours


def local_ridge(G: Sparse32, near: Sparse32, penalty: float) -> Sparse32:
    """B of `ridge`, each tag regressed on its neighbourhood only: no m×m matrix or inverse."""
    values = np.zeros(near.nnz, dtype=np.float32)
    diagonal = G.diagonal().astype(np.float64)
    for span, members, block in _blocks(G, near):
        system = np.asfortranarray(block[:, :-1])
        np.fill_diagonal(system, diagonal[members] + penalty)
        _, solution, wrong = lapack.sposv(system, block[:, -1].copy(), lower=1, overwrite_a=1)
        if wrong:
            raise SingularRegressionError
        values[span] = solution
    by_target: Sparse32 = csr_array((values, near.indices, near.indptr), shape=near.shape)
    return csr_array(by_target.T)


def _blocks(G: Sparse32, near: Sparse32) -> Iterator[tuple[slice, NDArray[np.int32], Floats32]]:
    """For each tag: the span of its neighbours N in `near`, N, and [G_NN | G_N,tag] dense."""
    place = np.full(G.shape[0], -1, dtype=np.int64)
    common = np.argsort(-G.diagonal(), kind="stable")[:COMMONEST]
    common_row = np.full(G.shape[0], -1, dtype=np.int64)
    common_row[common] = np.arange(len(common))
    dense = G[common].toarray()
    for target in range(G.shape[0]):
        span = slice(near.indptr[target], near.indptr[target + 1])
        members = near.indices[span]
        if len(members):
            block = np.empty((len(members), len(members) + 1), dtype=np.float32)
            fill_block(G.indptr, G.indices, G.data, dense, common_row, members, target, place, block)
            yield span, members, block
