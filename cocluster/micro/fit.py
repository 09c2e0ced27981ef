"""The fit by micro-clusters: product, inheritance, micro-clusters of both sides, agglomeration."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from scipy.sparse import csr_array

from cocluster.engine import Merges, agglomerate
from cocluster.engine.method import Method
from cocluster.equations.arrays import Ints
from cocluster.equations.continuity import PreviousLabels
from cocluster.equations.duplicates import first_items
from cocluster.equations.history import COLUMNS, history_of
from cocluster.equations.information import information
from cocluster.equations.smoothing import require_positive
from cocluster.equations.transition import Progress, Transitions
from cocluster.fit import factored as products
from cocluster.fit.factored import FactoredMatrix, factored_matrix, over_groups
from cocluster.fit.plan import Plan
from cocluster.fit.result import FitResult
from cocluster.micro.documents import MicroClusters, masses_of, micro_clusters
from cocluster.micro.inheritance import inherit_factored
from cocluster.micro.scores import log_shares, rows_in_chunks
from cocluster.micro.tags import merges_within_groups, micro_tags, summed_columns, weighted
from cocluster.tasks import Tasks

SAMPLE, SMALL_SAMPLE = 2048, 256
"""Documents on which the information lost by micro-clusters is estimated; the fewer if G is not written out."""

ROUGH_CLUSTERS, ROUGH_ROUNDS, ROUGH_TAGS = 64, 2, 1000
"""For very many tags: document clusters, rounds and tag groups of a rough first clustering."""


def fit_by_micro_clusters(
    transitions: Transitions,
    plan: Plan,
    method: Method,
    previous: PreviousLabels | None,
    tasks: Tasks,
    *,
    progress: Progress,
) -> FitResult:
    """Every merge of micro-clusters of documents, and of tags.  math.md (13)

    Raises:
        ValueError: the teleport is so small that entries of M* are still 0.
    """
    progress("smoothing", 0, 1)
    plain = factored_matrix(transitions, method.teleport)
    progress("smoothing", 1, 1)
    smoothed = plain if previous is None else inherit_factored(plain, previous, tasks)
    distinct = transitions.distinct
    groups = document_groups(smoothed, plan.micro_clusters, tasks, progress)
    require_positive(groups.masses, method.teleport, (len(distinct.row_of), len(distinct.column_of)))
    v = distinct.column_sizes
    tags = micro_tags(groups.masses, v, plan.micro_tags, tasks, lambda done, total: progress("micro-tags", done, total))
    N = summed_columns(weighted(groups.masses, v), tags.leaf)
    merges = agglomerate(
        N,
        cost=method.cost,
        joint=method.joint,
        row_sizes=groups.sizes,
        column_sizes=tags.sizes,
        progress=lambda done, total: progress("agglomeration", done, total),
    )
    before = merges_within_groups(groups.masses, distinct.column_of, tags.leaf, method.cost)
    first = first_items(tags.leaf[distinct.column_of])
    history = history_of(
        concatenate_merges(before, merges, first),
        groups.sizes,
        np.ones(len(distinct.column_of), np.int64),
        joint=method.joint,
    )
    start = information(weighted(groups.masses, v)) + estimated_loss(smoothed, groups)
    share = information(N) / start if start > 0 else 1.0
    plan = replace(plan, micro_clusters=len(N), micro_tags=N.shape[1], information_kept=share)
    return FitResult(history, groups.labels[distinct.row_of], smoothed, plan, plain)


def document_groups(smoothed: FactoredMatrix, count: int, tasks: Tasks, progress: Progress) -> MicroClusters:
    """Micro-clusters of documents; with too many tags to write G out, compared over groups of tags.

    Such groups come from a few rounds with few clusters of documents. They only decide which cluster is nearest:
    adding features together lowers a divergence a little; the masses of the clusters are those over all tags.
    """

    def report(done: int, total: int) -> None:
        progress("micro-clusters", done, total)

    if smoothed.rows.shape[0] <= count or len(smoothed.column_sizes) <= products.DENSE_TAGS:
        return micro_clusters(smoothed, count, tasks, report)
    first = micro_clusters(smoothed, ROUGH_CLUSTERS, tasks, report, rounds=ROUGH_ROUNDS)
    rough = micro_tags(first.masses, smoothed.column_sizes, ROUGH_TAGS, tasks, report)
    clusters = micro_clusters(over_groups(smoothed, rough.leaf), count, tasks, report)
    return replace(clusters, masses=masses_of(smoothed, clusters.labels))


def concatenate_merges(before: Merges, merges: Merges, first: Ints) -> Merges:
    """The merges of tags into groups, then those of the groups, named by their first tags."""
    tags = merges.side == COLUMNS
    named = replace(
        merges,
        a=np.where(tags, first[np.where(tags, merges.a, 0)], merges.a).astype(np.int32),
        b=np.where(tags, first[np.where(tags, merges.b, 0)], merges.b).astype(np.int32),
    )
    return Merges(
        *(np.concatenate([getattr(before, field.name), getattr(named, field.name)]) for field in fields(Merges))
    )


def estimated_loss(smoothed: FactoredMatrix, groups: MicroClusters) -> float:
    """Bits that M* loses when documents become micro-clusters: Σ (mass of x) · KL(x ‖ its cluster).  math.md (13)

    On a sample of the documents, drawn by their masses with a fixed seed; a few rows of M* are computed at a time.
    """
    v = smoothed.column_sizes
    mass = smoothed.row_sizes * smoothed.row_sums
    rows = np.arange(len(mass))
    sample = SAMPLE if len(v) <= products.DENSE_TAGS else SMALL_SAMPLE
    if len(rows) > sample:
        rows = np.sort(np.random.default_rng(0).choice(len(mass), sample, p=mass / mass.sum()))
        weight = np.full(len(rows), 1.0 / len(rows))
    else:
        weight = mass / mass.sum()
    clusters = log_shares(groups.masses, v)
    lost = 0.0
    for part, _, logs in rows_in_chunks(smoothed, csr_array(smoothed.rows[rows])):
        divergence = np.sum(np.exp2(logs) * v * (logs - clusters[groups.labels[rows[part]]]), axis=1)
        lost += float(weight[part] @ divergence)
    return max(lost, 0.0)
