"""One corpus from file to snapshot, without any store: what the job publishes and `cotag cluster` prints."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np
from redis import Redis

from cocluster import CoClustering, Incidence, Tasks, Way, incidence
from cocluster.information import information
from snapshot import Documents, Snapshot, nearest, version_at
from worker.building import Partitions, by_size, concepts, curve, tag_counts
from worker.corpora import Corpus
from worker.corpus import TagCorpus, assembled, entries_of
from worker.errors import CorpusError
from worker.heritage import heritage, steady_cut
from worker.lineage import record
from worker.picture import pictures
from worker.placing import described, placing
from worker.quality import quality
from worker.sources.declared import FileSource
from worker.sources.document import Tally
from worker.sources.reading import documents, watched
from worker.sources.shards import read_in_shards, worth_sharding
from worker.stages import STAGE_OF, Stages
from worker.suggestions import suggestions

log = logging.getLogger(__name__)
"""Not structlog's: `cotag cluster` prints its result to stdout, and what is logged there goes to stderr."""


METHOD: Final = 5
"""Grows when the same documents and settings give another snapshot, so that the next run makes it."""


def load(corpus: Corpus, stages: Stages, redis: Redis | None = None) -> tuple[TagCorpus, dict[str, int]]:
    """The documents of a corpus, and how many lines were read and passed over. Pushed documents are in the store."""
    tally, source = Tally(), corpus.documents

    def look() -> None:
        stages.enter("load", tally.done, tally.total)

    if isinstance(source, FileSource) and corpus.path is not None and worth_sharding(corpus.path):
        entries = read_in_shards(source, corpus.path, tally, look)
    else:
        entries = entries_of(watched(documents(corpus, tally, redis), look), pairs=source.shape.pairs)
    tagged = assembled(entries, corpus.vocabulary)
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


def cluster(
    corpus: Corpus,
    tagged: TagCorpus,
    now: datetime,
    stages: Stages,
    *,
    before: Before | None = None,
    fresh: bool = False,
    notes: Mapping[str, Any],
    tasks: Tasks | None = None,
) -> tuple[Snapshot, Documents]:
    """Matrix, smoothing, agglomeration, cut, labels and related tags of the loaded documents.

    Documents are published in the cluster of the cut that is nearest to them, found as for any other document. A run
    inherits from the version before it. A fresh start is tried as well when it is asked for or due, and taken only if
    it keeps more information by the declared margin.
    """
    stages.enter("matrix")
    kept = _matrix(corpus, tagged)
    ids = tuple(tagged.ids[row] for row in kept.rows)
    names = tuple(tagged.names[column] for column in kept.columns)
    keys = tuple(tagged.keys[column] for column in kept.columns)
    found = _fit(corpus, kept, stages, before=before, ids=ids, keys=keys, tasks=tasks)
    inherits = before is not None and corpus.inertia > 0
    runs = int(before.snapshot.lineage.get("runs_since_fresh", 0)) + 1 if inherits and before else 0
    if inherits and (fresh or 0 < corpus.fresh_every <= runs):
        rival = _fit(corpus, kept, stages, before=None, ids=ids, keys=keys, tasks=tasks)
        if _kept_at(rival, found.cut) >= (1.0 + corpus.fresh_margin) * _kept_at(found, found.cut):
            found, runs = rival, 0
    stages.enter("place")
    places = placing(found.model, kept.matrix, found.cut)
    placed = nearest(kept.matrix.indptr, kept.matrix.indices, places)
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
    suggested = suggestions(kept.matrix, corpus.min_count, lambda done, total: stages.enter("relate", done, total))
    tag_curve = curve(found.model.column_curve_)
    figures = quality(
        found.model,
        placed.clusters,
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
        related=suggested.related,
        tag_curve=tag_curve,
        document_curve=curve(found.model.row_curve_),
        parameters={
            **corpus.parameters(),
            **notes,
            "documents_read": len(tagged.ids),
            "way": _told(found.model.way_),
            "declaration": corpus.digest(),
            "method": METHOD,
        },
        timings=stages.timings,
        quality=figures,
        suggestions=suggested.record,
        lineage=record(
            meaning.lineage,
            previous=before.snapshot.version if before else None,
            runs_since_fresh=runs,
        ),
        picture=pictures(kept.matrix, found.model),
        placing=described(places, np.argsort(meaning.lineage.ids), kept.matrix, placed, names),
    )
    alone = len(found.model.row_linkage_) + 1 == len(ids)
    leaves = None if alone else found.model.row_leaves_.astype(np.int32)
    return snapshot, Documents(ids, placed.clusters, found.model.row_linkage_, leaves)


def _fit(
    corpus: Corpus,
    kept: Incidence,
    stages: Stages,
    *,
    before: Before | None,
    ids: tuple[str, ...],
    keys: tuple[str, ...],
    tasks: Tasks | None,
) -> Clustered:
    """The trees of both sides and their cut, inheriting from the version before if there is one."""
    model = CoClustering(
        teleport=corpus.teleport,
        critical_size=corpus.critical_size,
        max_exact=corpus.max_exact,
        micro_clusters=corpus.micro_clusters,
        max_memory=corpus.memory_limit_bytes,
        tasks=tasks,
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
    rows_before = int(before.documents.clusters.max()) + 1 if inherited and before else None
    tags_before = len(before.snapshot.clusters) if inherited and before else None
    row_k = steady_cut(curve(model.row_curve_), model.n_row_clusters_, rows_before)
    column_k = steady_cut(curve(model.column_curve_), model.n_column_clusters_, tags_before)
    cut = Partitions(by_size(model.row_labels(row_k)), by_size(model.column_labels(column_k)))
    return Clustered(model, cut)


def _told(way: Way) -> dict[str, object]:
    """The way a run went, as the snapshot tells it."""
    told = asdict(way)
    return {**told, "information_kept": round(way.information_kept, 6)}


def _kept_at(found: Clustered, like: Partitions) -> float:
    """Information kept when the trees are cut into as many clusters as another result has."""
    rows = by_size(found.model.row_labels(int(like.documents.max()) + 1))
    columns = by_size(found.model.column_labels(int(like.tags.max()) + 1))
    return information(found.model.aggregated(rows, columns))


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
