"""The procedure straight from docs/explanation/math.md: dense, slow, every cost of both sides each round."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TIE = 1e-11  # relative: closer costs are equal (8)
NOTHING = 1e-24  # a KL^J below this is the rounding of equal rows


@dataclass(frozen=True)
class Merge:
    """Two clusters as sorted members (the one with the smallest item first), and what merging them did."""

    side: Literal["documents", "tags"]
    a: tuple[int, ...]
    b: tuple[int, ...]
    cost: float
    divergence: float
    information: float


def similarity(M: Floats) -> Floats:
    """S^X of (1), all of it; S^Y is similarity(M.T)."""
    weighted = M / M.sum(axis=0)
    norm = np.sqrt(weighted.sum(axis=1))
    return weighted @ M.T / norm[:, None] / norm[None, :]


def transition(S: Floats) -> Floats:
    """T of (2): until no step makes the row sums better."""
    d, error = np.ones(len(S)), np.inf
    while (now := np.abs(d * (S @ d) - 1).max()) < error:
        best, error = d, now
        d = d / np.sqrt(d * (S @ d))
    return best[:, None] * S * best[None, :]


def smooth(M: Floats, rate: float = 1e-6) -> Floats:
    """M* of (3), after the teleport of (4)."""
    N = transition(similarity(M)) @ M @ transition(similarity(M.T))
    return (1 - rate) * N + rate * np.outer(N.sum(axis=1), N.sum(axis=0)) / N.sum()


def weights(sizes: NDArray[np.int64], cost: str = "composite") -> Floats:
    """W of (6) for all pairs of clusters."""
    k = len(sizes)
    if cost == "divergence":
        return np.ones((k, k))
    p = sizes / sizes.sum()
    own = p * np.log2(p)
    both = (sizes[:, None] + sizes[None, :]) / sizes.sum()
    after = np.log2(k - 1) if k > 2 else np.log2(k)
    return np.maximum(0.0, both * np.log2(both) / after - (own[:, None] + own[None, :]) / np.log2(k))


def kl_divergence(p: Floats, q: Floats) -> float:
    """KL(p‖q) = Σ p log₂(p/q), in bits, with 0·log 0 = 0; infinite if p > 0 where q = 0."""
    positive = p > 0
    if np.any(q[positive] == 0):
        return float("inf")
    return float(np.sum(p[positive] * np.log2(p[positive] / q[positive])))


def divergences(N: Floats) -> Floats:
    """KL^J of (7) for all pairs of rows, by one product: fast, but only to about 1e-14."""
    P = N / N.sum(axis=1, keepdims=True)
    cross = P @ np.log2(P).T
    own = np.diag(cross)
    return 0.5 * (own[:, None] + own[None, :] - cross - cross.T)


def divergence(a: Floats, b: Floats) -> float:
    """KL^J of (7) for one pair, exactly."""
    a, b = a / a.sum(), b / b.sum()
    value = 0.5 * float(np.sum((a - b) * (np.log2(a) - np.log2(b))))
    return value if value > NOTHING else 0.0


def information(N: Floats) -> float:
    """I of (9)."""
    P = N / N.sum()
    return float(np.sum(P * np.log2(P / np.outer(P.sum(axis=1), P.sum(axis=0)))))


def candidates(N: Floats, sizes: NDArray[np.int64], cost: str) -> list[tuple[float, float, int, int]]:
    """(cost, KL^J, i, j) of every pair of rows that may be the cheapest of its side."""
    if len(N) < 2:
        return []
    i, j = np.triu_indices(len(N), 1)
    W = weights(sizes, cost)[i, j]
    D = divergences(N)[i, j]
    slack = 1e-12
    limit = np.min((D + slack) * W) * (1 + 2 * TIE)
    near = np.flatnonzero((D - slack) * W <= limit)
    return [(divergence(N[i[x]], N[j[x]]) * W[x], divergence(N[i[x]], N[j[x]]), i[x], j[x]) for x in near]


def choose(found: list[list[tuple[float, float, int, int]]]) -> tuple[int, tuple[float, float, int, int]]:
    """The rule of (8): of the least costs documents before tags, then smaller KL^J, then lowest ids."""
    least = min(pair[0] for pairs in found for pair in pairs)
    for side, pairs in enumerate(found):
        cheap = [pair for pair in pairs if pair[0] <= least * (1 + TIE)]
        if cheap:
            close = min(pair[1] for pair in cheap)
            return side, min((pair for pair in cheap if pair[1] <= close * (1 + TIE)), key=lambda pair: pair[2:])
    raise AssertionError("unreachable: the least cost belongs to a pair")


def agglomerate(N: Floats, *, cost: str = "composite", joint: bool = True) -> list[Merge]:
    """Every merge of (8), in order. N's rows and columns stay in the order of their clusters' smallest items.

    For joint=False each side keeps its own copy of N and `information` is that side's.
    """
    views = [N.copy(), N.T.copy()]
    members = [[(i,) for i in range(size)] for size in N.shape]
    merges: list[Merge] = []

    def merge(side: int, cost: float, klj: float, i: int, j: int) -> None:
        view = views[side]
        view[i] += view[j]
        views[side] = np.delete(view, j, axis=0)
        if joint:
            views[1 - side] = views[side].T.copy()
        a, b = members[side][i], members[side].pop(j)
        members[side][i] = tuple(sorted(a + b))
        name: Literal["documents", "tags"] = "tags" if side else "documents"
        merges.append(Merge(name, a, b, cost, klj, information(views[side])))

    for side in (0, 1):
        # Identical items first: zero divergence, whatever the weights.
        i = 0
        while i < len(members[side]):
            j = i + 1
            while j < len(members[side]):
                if divergence(views[side][i], views[side][j]) == 0.0:
                    merge(side, 0.0, 0.0, i, j)
                else:
                    j += 1
            i += 1
    while any(len(names) > 1 for names in members):
        sizes = [np.array([len(names) for names in side]) for side in members]
        found = [candidates(view, size, cost) for view, size in zip(views, sizes, strict=True)]
        side, pair = choose(found)
        merge(side, *pair)
    return merges


def divergence_drop(a: Floats, b: Floats, i: int, j: int) -> float:
    """What KL^J of rows of masses a and b loses when their features i and j become one.  math.md (7)

    ½[(q_i,a−q_i,b)(α_a−α_b) + (q_j,a−q_j,b)(β_a−β_b)] with α = log θ, β = log(1−θ), θ the share of i in i∪j.
    """
    p, q = a / a.sum(), b / b.sum()
    alpha = np.log2(p[i] / (p[i] + p[j])) - np.log2(q[i] / (q[i] + q[j]))
    beta = np.log2(p[j] / (p[i] + p[j])) - np.log2(q[j] / (q[i] + q[j]))
    return 0.5 * float((p[i] - q[i]) * alpha + (p[j] - q[j]) * beta)
