"""One corpus from file to snapshot, without any store: what the job publishes and `cotag cluster` prints."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from redis import Redis

from cocluster import CoClustering, Incidence, incidence
from snapshot import Documents, Snapshot, version_at
from worker.building import Partitions, by_size, concepts, curve, tag_counts
from worker.corpora import Corpus
from worker.corpus import TagCorpus, gather
from worker.errors import CorpusError
from worker.heritage import heritage, steady_cut
from worker.lineage import record
from worker.picture import pictures
from worker.quality import information_of, quality
from worker.related import related
from worker.sources.document import Tally
from worker.sources.reading import documents, watched
from worker.stages import STAGE_OF, Stages

log = logging.getLogger(__name__)
"""Not structlog's: `cotag cluster` prints its result to stdout, and what is logged there goes to stderr."""


def load(corpus: Corpus, stages: Stages, redis: Redis | None = None) -> tuple[TagCorpus, dict[str, int]]:
    """The documents of a corpus, and how many lines were read and passed over. Pushed documents are in the store."""
    tally = Tally()
    tagged = gather(
        watched(documents(corpus, tally, redis), lambda: stages.enter("load", tally.done, tally.total)),
        corpus.vocabulary,
        pairs=corpus.documents.shape.pairs,
    )
    tally.check(corpus.name, corpus.bad_lines)
    if not tagged.ids:
        raise CorpusError(f"{corpus.path or corpus.name}: no documents")
    if tally.bad:
        log.warning("%s: %s and were passed over: %s", corpus.name, tally.described(), tally.listed())
    if tagged.replaced:
        log.warning("%s: %d documents were replaced by later ones with the same id", corpus.name, tagged.replaced)
    return tagged, {"lines": tally.lines, "bad_lines": tally.bad, "replaced": tagged.replaced}


@dataclass(frozen=True, eq=False)
class Before:
    """The version that is served, from which a run inherits."""

    snapshot: Snapshot
    documents: Documents


@dataclass(frozen=True, eq=False)
class Clustered:
    """A fitted model and where its trees are cut."""

    model: CoClustering
    cut: Partitions
    smoothed: NDArray[np.float64]


def cluster(
    corpus: Corpus,
    tagged: TagCorpus,
    now: datetime,
    stages: Stages,
    *,
    before: Before | None = None,
    fresh: bool = False,
    notes: Mapping[str, Any],
) -> tuple[Snapshot, Documents]:
    """Matrix, smoothing, agglomeration, cut, labels and related tags of the loaded documents.

    A run inherits from the version before it. A fresh start is tried as well when it is asked for or due, and taken
    only if it keeps more information by the declared margin.
    """
    stages.enter("matrix")
    kept = _matrix(corpus, tagged)
    ids = tuple(tagged.ids[row] for row in kept.rows)
    names = tuple(tagged.names[column] for column in kept.columns)
    keys = tuple(tagged.keys[column] for column in kept.columns)
    found = _fit(corpus, kept, stages, before=before, ids=ids, keys=keys)
    inherits = before is not None and corpus.inertia > 0
    runs = int(before.snapshot.lineage.get("runs_since_fresh", 0)) + 1 if inherits and before else 0
    if inherits and (fresh or 0 < corpus.fresh_every <= runs):
        rival = _fit(corpus, kept, stages, before=None, ids=ids, keys=keys)
        if _kept_at(rival, found.cut) >= (1.0 + corpus.fresh_margin) * _kept_at(found, found.cut):
            found, runs = rival, 0
    stages.enter("label")
    meaning = concepts(
        names,
        keys,
        kept,
        found.model,
        cut=found.cut,
        previous=before.snapshot if before else None,
        overrides=corpus.labels,
    )
    stages.enter("relate")
    relations = related(found.model.column_transition_, tag_counts(kept))
    tag_curve = curve(found.model.column_curve_)
    figures = quality(
        found.smoothed,
        found.cut.documents,
        found.cut.tags,
        [tagged.labels[row] for row in kept.rows],
        entropy=float(tag_curve.entropy[len(meaning.clusters) - 1]),
    )
    stages.close()
    snapshot = Snapshot(
        corpus=corpus.name,
        version=version_at(now),
        created=now,
        title=corpus.title or corpus.name,
        fingerprint=tagged.fingerprint,
        document_count=len(ids),
        names=names,
        keys=keys,
        counts=tag_counts(kept),
        breadth=meaning.breadth,
        broad=meaning.broad,
        tag_cluster=meaning.tag_cluster,
        tag_linkage=found.model.column_linkage_,
        clusters=meaning.clusters,
        related=relations,
        tag_curve=tag_curve,
        document_curve=curve(found.model.row_curve_),
        parameters={
            **corpus.parameters(),
            **notes,
            "documents_read": len(tagged.ids),
            "declaration": corpus.digest(),
        },
        timings=stages.timings,
        quality=figures,
        lineage=record(
            meaning.lineage,
            previous=before.snapshot.version if before else None,
            runs_since_fresh=runs,
        ),
        picture=pictures(kept.matrix, found.model),
    )
    return snapshot, Documents(ids, found.cut.documents, found.model.row_linkage_)


def _fit(
    corpus: Corpus,
    kept: Incidence,
    stages: Stages,
    *,
    before: Before | None,
    ids: tuple[str, ...],
    keys: tuple[str, ...],
) -> Clustered:
    """The trees of both sides and their cut, inheriting from the version before if there is one."""
    model = CoClustering(
        teleport=corpus.teleport,
        critical_size=corpus.critical_size,
        keep_smoothed=True,
        max_memory=corpus.memory_limit_bytes,
    )
    inherited = before is not None and corpus.inertia > 0
    try:
        model.fit(
            kept.matrix,
            progress=lambda stage, done, total: stages.enter(STAGE_OF[stage], done, total),
            previous=heritage(before.snapshot, before.documents, ids, keys) if inherited and before else None,
            inertia=corpus.inertia,
        )
    except ValueError as error:
        raise CorpusError(f"{corpus.name}: {error}") from error
    if model.smoothed_ is None:
        raise TypeError("keep_smoothed was asked for")
    rows_before = int(before.documents.clusters.max()) + 1 if inherited and before else None
    tags_before = len(before.snapshot.clusters) if inherited and before else None
    row_k = steady_cut(curve(model.row_curve_), model.n_row_clusters_, rows_before)
    column_k = steady_cut(curve(model.column_curve_), model.n_column_clusters_, tags_before)
    cut = Partitions(by_size(model.row_labels(row_k)), by_size(model.column_labels(column_k)))
    return Clustered(model, cut, model.smoothed_)


def _kept_at(found: Clustered, like: Partitions) -> float:
    """Information kept when the trees are cut into as many clusters as another result has."""
    rows = by_size(found.model.row_labels(int(like.documents.max()) + 1))
    columns = by_size(found.model.column_labels(int(like.tags.max()) + 1))
    return information_of(found.smoothed, rows, columns)


def _matrix(corpus: Corpus, tagged: TagCorpus) -> Incidence:
    """The filtered matrix, of a uniform sample of the documents if the corpus asks for one."""
    rows = np.arange(len(tagged.ids))
    if corpus.sample is not None and corpus.sample < len(rows):
        rows = np.sort(np.random.default_rng(0).choice(len(rows), corpus.sample, replace=False))
    try:
        kept = incidence(tagged.matrix[rows], corpus.min_count)
    except ValueError as error:
        raise CorpusError(f"{corpus.name}: {error}") from error
    return Incidence(kept.matrix, rows[kept.rows], kept.columns)
