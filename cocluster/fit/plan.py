"""Chooses how to cluster a corpus, exactly or by micro-clusters, by its size and memory alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from cocluster.equations.duplicates import Distinct
from cocluster.equations.incidence import row_counts
from cocluster.fit.memory import estimate_memory, estimate_micro_memory

Name: TypeAlias = Literal["exact", "micro"]

TAGS_PER_CLUSTER = 4
"""Tags are pre-merged into so many times `micro_clusters` groups, where there are more than `max_exact`."""


@dataclass(frozen=True)
class Plan:
    """How a corpus was clustered.

    Attributes:
        name: "exact", or "micro": micro-clusters by divergence were agglomerated.
        reason: why, in words.
        documents: different documents.
        tags: different tags.
        micro_clusters: groups of documents that were agglomerated.
        micro_tags: groups of tags that were agglomerated.
        memory: the estimated peak in bytes.
        leaves: the most leaves a tree of documents may have; above that, identical documents share one.
        information_kept: the share of the information of M* that was left to agglomerate.

    >>> from cocluster import CoClustering
    >>> CoClustering.from_tags([["tomato", "basil"], ["basil", "garlic"], ["flour", "sugar"]]).plan_.name
    'exact'
    """

    name: Name
    reason: str
    documents: int
    tags: int
    micro_clusters: int
    micro_tags: int
    memory: int
    leaves: int
    information_kept: float = 1.0


def choose_plan(distinct: Distinct, max_exact: int, micro_clusters: int, max_memory: int | None) -> Plan:
    """An exact plan if neither side has more than `max_exact` different items and it fits in memory.

    Raises:
        ValueError: neither plan fits in `max_memory`; the message has both estimates.
    """
    n, m = distinct.matrix.shape
    exact = estimate_memory(n, m)
    rows, tags = min(n, micro_clusters), m if m <= max_exact else min(m, TAGS_PER_CLUSTER * micro_clusters)
    micro = estimate_micro_memory(n, m, entries=distinct.matrix.nnz, pairs=pairs_of(distinct), rows=rows, tags=tags)
    room = float("inf") if max_memory is None else max_memory
    if max(n, m) <= max_exact and exact <= room:
        return Plan("exact", f"{n} × {m} different documents and tags fit", n, m, n, m, exact, max_exact)
    if micro > room:
        raise ValueError(
            f"{n} different documents × {m} tags need about {exact / 1e6:.0f} MB, or {micro / 1e6:.0f} MB as "
            f"{rows} × {tags} micro-clusters, more than max_memory={max_memory} bytes"
        )
    if max(n, m) > max_exact:
        side, items = ("documents", n) if n > max_exact else ("tags", m)
        reason = f"{items} different {side} are more than max_exact={max_exact}"
    else:
        reason = f"exactly it would take about {exact / 1e6:.0f} MB, more than max_memory={max_memory} bytes"
    return Plan("micro", reason, n, m, rows, tags, micro, rows)


def pairs_of(distinct: Distinct) -> int:
    """An upper bound of the pairs of tags that occur together: the entries of sparse m×m matrices."""
    lengths = row_counts(distinct.matrix)
    return int(min(distinct.matrix.shape[1] ** 2, np.sum(lengths * lengths)))
