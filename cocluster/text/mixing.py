"""Learns how much each kind of evidence counts, by a logistic regression on documents held out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tagmodel.language.text import FEATURES

ROUNDS: Final = 30
PENALTY: Final = 1.0
CLOSE: Final = 1e-6


@dataclass(frozen=True, eq=False)
class Case:
    """The candidates of one document: their features, a row each, and which of them are right."""

    features: NDArray[np.float64]
    right: NDArray[np.bool_]


def learn_mix(cases: Sequence[Case]) -> NDArray[np.float64]:
    """The weight of each feature and a constant, that best tell right from wrong candidates; Newton's method.

    The features are scaled for the penalty; the weights are for features as they are.
    """
    X = np.concatenate([case.features for case in cases] or [np.zeros((0, FEATURES))])
    y = np.concatenate([case.right for case in cases] or [np.zeros(0, dtype=np.bool_)]).astype(np.float64)
    if not y.any() or y.all():
        return np.zeros(FEATURES + 1)
    mean, scale = X.mean(axis=0), X.std(axis=0)
    scale = np.where(scale > CLOSE, scale, np.inf)
    A = np.concatenate([(X - mean) / scale, np.ones((len(X), 1))], axis=1)
    penalties = np.full(FEATURES + 1, PENALTY)
    penalties[-1] = 0.0
    weights = np.zeros(FEATURES + 1)
    for _ in range(ROUNDS):
        p = 1.0 / (1.0 + np.exp(-(A @ weights)))
        gradient = A.T @ (y - p) - penalties * weights
        hessian = (A * (p * (1.0 - p))[:, None]).T @ A + np.diag(penalties + CLOSE)
        step = np.linalg.solve(hessian, gradient)
        weights += step
        if np.abs(step).max() < CLOSE:
            break
    mixed = weights[:-1] / scale
    return np.append(mixed, weights[-1] - mixed @ mean)
