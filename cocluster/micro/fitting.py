"""The way by micro-clusters, whole: product, inheritance, micro-clusters of both sides, agglomeration."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from scipy.sparse import csr_array

from cocluster.arrays import Ints
from cocluster.continuity import Marks
from cocluster.duplicates import first_of
from cocluster.engine import Merges, agglomerate
from cocluster.history import COLUMNS, history
from cocluster.information import information
from cocluster.micro import gathering
from cocluster.micro.documents import MicroClusters, masses_of, micro_clusters
from cocluster.micro.gathering import Factored, factored, over_groups
from cocluster.micro.inheriting import inherited
from cocluster.micro.scores import log_shares, written_rows
from cocluster.micro.tags import micro_tags, premerged, summed_columns
from cocluster.micro.tasks import Tasks
from cocluster.pipeline import Method, Progress, Transitions, require_positive
from cocluster.result import Result
from cocluster.ways import Way

SAMPLE, SMALL_SAMPLE = 2048, 256
"""Documents on which the information lost by micro-clusters is estimated; the fewer where G is not written out."""

ROUGH_CLUSTERS, ROUGH_ROUNDS, ROUGH_TAGS = 64, 2, 1000
"""Clusters of documents, and rounds, by which a great many tags are first put into so many groups."""


def fit_by_micro_clusters(
    made: Transitions,
    way: Way,
    method: Method,
    marks: Marks | None,
    tasks: Tasks,
    *,
    progress: Progress,
) -> Result:
    """Every merge of micro-clusters of documents, and of tags.  math.md (13)

    Raises:
        ValueError: the teleport is so small that entries of M* are still 0.
    """
    progress("smoothing", 0, 1)
    plain = factored(made, method.teleport)
    progress("smoothing", 1, 1)
    whole = plain if marks is None else inherited(plain, marks, tasks)
    groups = document_groups(whole, way.micro_clusters, tasks, progress)
    require_positive(groups.masses, method.teleport, made.folded)
    v = made.folded.column_sizes
    tags = micro_tags(groups.masses, v, way.micro_tags, tasks, lambda done, total: progress("micro-tags", done, total))
    N = summed_columns(groups.masses * v, tags.leaf)
    merges = agglomerate(
        N,
        cost=method.cost,
        joint=method.joint,
        row_sizes=groups.sizes,
        column_sizes=tags.sizes,
        progress=lambda done, total: progress("agglomeration", done, total),
    )
    before = premerged(groups.masses, made.folded.column_of, tags.leaf, method.cost == "composite")
    first = first_of(tags.leaf[made.folded.column_of])
    past = history(
        joined(before, merges, first), groups.sizes, np.ones(len(made.folded.column_of), np.int64), joint=method.joint
    )
    start = information(groups.masses * v) + estimated_loss(whole, groups)
    kept = information(N) / start if start > 0 else 1.0
    found = replace(way, micro_clusters=len(N), micro_tags=N.shape[1], information_kept=kept)
    return Result(past, groups.labels[made.folded.row_of], whole, found, plain)


def document_groups(whole: Factored, count: int, tasks: Tasks, progress: Progress) -> MicroClusters:
    """Micro-clusters of documents; where there are too many tags to write G out, seen through groups of tags.

    Such groups come from a few rounds with few clusters of documents. They only tell which cluster is nearest:
    adding features together lowers a divergence a little; the masses of the clusters are those over all tags.
    """

    def report(done: int, total: int) -> None:
        progress("micro-clusters", done, total)

    if whole.rows.shape[0] <= count or len(whole.column_sizes) <= gathering.DENSE_TAGS:
        return micro_clusters(whole, count, tasks, report)
    first = micro_clusters(whole, ROUGH_CLUSTERS, tasks, report, rounds=ROUGH_ROUNDS)
    rough = micro_tags(first.masses, whole.column_sizes, ROUGH_TAGS, tasks, report)
    found = micro_clusters(over_groups(whole, rough.leaf), count, tasks, report)
    return replace(found, masses=masses_of(whole, found.labels))


def joined(before: Merges, merges: Merges, first: Ints) -> Merges:
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


def estimated_loss(whole: Factored, groups: MicroClusters) -> float:
    """Bits that M* loses when documents become micro-clusters: Σ (mass of x) · KL(x ‖ its cluster).  math.md (13)

    On a sample of the documents, drawn by their masses with a fixed seed; rows of M* are made a few at a time.
    """
    v = whole.column_sizes
    mass = whole.row_sizes * whole.row_sums
    rows = np.arange(len(mass))
    sample = SAMPLE if len(v) <= gathering.DENSE_TAGS else SMALL_SAMPLE
    if len(rows) > sample:
        rows = np.sort(np.random.default_rng(0).choice(len(mass), sample, p=mass / mass.sum()))
        weight = np.full(len(rows), 1.0 / len(rows))
    else:
        weight = mass / mass.sum()
    clusters = log_shares(groups.masses, v)
    lost = 0.0
    for part, _, logs in written_rows(whole, csr_array(whole.rows[rows])):
        divergence = np.sum(np.exp2(logs) * v * (logs - clusters[groups.labels[rows[part]]]), axis=1)
        lost += float(weight[part] @ divergence)
    return max(lost, 0.0)
