from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse import csr_array

from cocluster.suggestions.cooccurrence import Floats32, Sparse32

NEAREST: Final = 64
COMMONEST: Final = 128
LARGEST: Final = 1024
"""A neighbourhood beyond this is cut to its nearest tags: its regression costs the cube of its size."""


def neighbourhoods(G: Sparse32, penalty: float) -> Sparse32:
    """For each tag (row) the tags it is regressed on: nearest by cosine either way, and the commonest of all.

    Without the commonest the weights against a tag are lost: those of tags that it hardly ever stands beside.
    """
    m = G.shape[0]
    norm = (G.diagonal() + penalty) ** -0.5
    data = G.data * np.repeat(norm, np.diff(G.indptr)) * norm[G.indices]
    cosine: Sparse32 = csr_array((data.astype(np.float32), G.indices, G.indptr), shape=G.shape, copy=True)
    cosine.setdiag(0.0)
    cosine.eliminate_zeros()
    nearest = _largest(cosine, NEAREST)
    both = _largest(csr_array(nearest.maximum(nearest.T)), LARGEST)
    common = np.argsort(-G.diagonal(), kind="stable")[:COMMONEST]
    everywhere = csr_array(
        (np.ones(m * len(common), np.float32), (np.repeat(np.arange(m), len(common)), np.tile(common, m))), shape=(m, m)
    )
    found: Sparse32 = csr_array(both + everywhere)
    found.setdiag(0.0)
    found.eliminate_zeros()
    found.sort_indices()
    return found


def local_ridge(G: Sparse32, near: Sparse32, penalty: float, dropout: float = 0.0) -> Sparse32:
    """B of `ridge`, each tag regressed on its neighbourhood only: no m×m matrix, and no inverse of one."""
    values = np.empty(near.nnz, dtype=np.float32)
    diagonal = ((1.0 + dropout) * G.diagonal() + penalty).astype(np.float32)
    for tag, members, block in _blocks(G, near):
        span = slice(near.indptr[tag], near.indptr[tag + 1])
        if not len(members):
            continue
        target = block[:, -1].copy()
        system = np.asfortranarray(block[:, :-1])
        np.fill_diagonal(system, diagonal[members])
        _, solution, wrong = lapack.sposv(system, target, lower=1, overwrite_a=1)
        if wrong:
            raise ValueError("the tags' regression is singular in float32: the penalty is too small for this corpus")
        values[span] = (1.0 + dropout) * solution
    by_target: Sparse32 = csr_array((values, near.indices, near.indptr), shape=near.shape)
    return by_target.T.tocsr()


def _blocks(G: Sparse32, near: Sparse32) -> Iterator[tuple[int, NDArray[np.int32], Floats32]]:
    """For each tag its neighbours N and [G_NN | G_N,tag], dense."""
    place = np.full(G.shape[0], -1, dtype=np.int64)
    for tag in range(G.shape[0]):
        members = near.indices[near.indptr[tag] : near.indptr[tag + 1]]
        size = len(members)
        place[members] = np.arange(size)
        place[tag] = size
        rows = G[members]
        columns = place[rows.indices]
        inside = columns >= 0
        block = np.zeros((size, size + 1), dtype=np.float32)
        block[np.repeat(np.arange(size), np.diff(rows.indptr))[inside], columns[inside]] = rows.data[inside]
        place[members] = -1
        place[tag] = -1
        yield tag, members, block


def _largest(matrix: Sparse32, count: int) -> Sparse32:
    """The largest `count` entries of each row; of equals, the first."""
    order = np.lexsort((matrix.indices, -matrix.data, np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))))
    rank = np.arange(matrix.nnz) - np.repeat(matrix.indptr[:-1], np.diff(matrix.indptr))
    chosen = np.sort(order[rank < count])
    sizes = np.minimum(np.diff(matrix.indptr), count)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return csr_array((matrix.data[chosen], matrix.indices[chosen], starts), shape=matrix.shape)
