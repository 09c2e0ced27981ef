"""Labels of clusters: scores how well tags represent their cluster, and chooses the best."""

from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

LABEL_TAGS = 3
ALIKE = 0.8


def cohesion(transition: csr_array[np.float64, tuple[int, int]], clusters: NDArray[np.int32]) -> NDArray[np.float64]:
    """Share of each tag's transitions to other tags that stay within its own cluster."""
    moves = transition.tocoo()
    others = moves.row != moves.col
    inside = others & (clusters[moves.row] == clusters[moves.col])
    leaving = np.bincount(moves.row[others], weights=moves.data[others], minlength=len(clusters))
    staying = np.bincount(moves.row[inside], weights=moves.data[inside], minlength=len(clusters))
    return np.divide(staying, leaving, out=np.zeros(len(clusters)), where=leaving > 0)


def label_order(
    counts: NDArray[np.int32], cohesive: NDArray[np.float64], broad: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """How well a tag represents its cluster: √count × cohesion; broad tags come last."""
    return np.sqrt(counts) * (cohesive + 1e-9) * np.where(broad, 1e-6, 1.0)


def choose_label(members: list[int], names: tuple[str, ...], scores: NDArray[np.float64]) -> tuple[str, ...]:
    """The best few members, without near-duplicates of those already chosen (singular and plural)."""
    chosen: list[str] = []
    for tag in sorted(members, key=lambda tag: (-scores[tag], tag)):
        if len(chosen) == LABEL_TAGS:
            break
        if not any(alike(names[tag], other) for other in chosen):
            chosen.append(names[tag])
    return tuple(chosen)


def alike(one: str, other: str) -> bool:
    """Near-duplicates: one begins with the other, or they share most of their letters in order."""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return long.startswith(short) or SequenceMatcher(None, short, long, autojunk=False).ratio() >= ALIKE
