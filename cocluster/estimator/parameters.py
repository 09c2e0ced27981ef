"""Checks the parameters of the estimator."""

from typing import Any, TypeAlias, get_args

import numpy as np

from cocluster.engine.weights import Cost
from cocluster.equations.incidence import Binarize

ClusterNumbers: TypeAlias = int | tuple[int | None, int | None] | None
"""How many clusters both sides have, or documents and tags; None for the best number."""


def cluster_numbers(n_clusters: Any) -> tuple[int | None, int | None]:
    """How many clusters of documents and of tags are wanted; None for the best number.

    Raises:
        ValueError: this is neither None, nor a whole number, nor a pair of these.
    """
    pair = tuple(n_clusters) if isinstance(n_clusters, tuple | list) else (n_clusters, n_clusters)
    if len(pair) != 2 or not all(each is None or _whole(each, 1) for each in pair):
        raise ValueError(
            "n_clusters must be None, a whole number ≥ 1, or a pair of these for documents and tags, "
            f"not {n_clusters!r}"
        )
    return pair


def check_parameters(
    *,
    teleport: float,
    critical_size: Any,
    cost: str,
    max_exact: int,
    micro_clusters: int,
    max_memory: int | None,
    binarize: str,
    n_clusters: Any,
) -> None:
    """Raise a ValueError that names the first parameter out of range, with its value."""
    if not 0 < teleport < 1:
        raise ValueError(f"teleport must lie strictly between 0 and 1, not {teleport}")
    if critical_size != "auto" and not _whole(critical_size, 0):
        raise ValueError(f'critical_size must be "auto" or a whole number ≥ 0, not {critical_size!r}')
    if cost not in get_args(Cost):
        raise ValueError(f"cost must be one of {', '.join(get_args(Cost))}, not {cost!r}")
    if not _whole(max_exact, 0):
        raise ValueError(f"max_exact must be a whole number, at least 0, not {max_exact!r}")
    if not _whole(micro_clusters, 2):
        raise ValueError(f"micro_clusters must be a whole number, at least 2, not {micro_clusters!r}")
    if max_memory is not None and not max_memory >= 0:
        raise ValueError(f"max_memory must be a number of bytes, at least 0, or None, not {max_memory!r}")
    if binarize not in get_args(Binarize):
        raise ValueError(f"binarize must be one of {', '.join(get_args(Binarize))}, not {binarize!r}")
    cluster_numbers(n_clusters)


def _whole(value: Any, least: int) -> bool:
    """Whether this is a whole number of at least `least`."""
    return isinstance(value, int | np.integer) and bool(value >= least)
