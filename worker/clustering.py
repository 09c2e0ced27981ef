"""Clusters one corpus, from documents to snapshot. The job publishes the result, `cotag cluster` prints it."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final

import numpy as np
from redis import Redis

from cocluster import CoClustering, Incidence, Plan, Tasks
from cocluster import incidence as filtered_matrix
from snapshot import Documents, Snapshot, version_at
from worker.classifier import document_classifier, with_labels
from worker.concepts import FittedModel, build_concepts, cluster_documents, cut_model, tag_counts, with_lasting_ids
from worker.corpora import Corpus
from worker.document_table import document_table
from worker.errors import CorpusError
from worker.inheritance import PreviousVersion, inheritance
from worker.picture import pictures
from worker.quality import quality
from worker.sources.declarations import FileSource
from worker.sources.document import Tally
from worker.sources.reading import documents, with_progress
from worker.sources.shards import read_in_shards, worth_sharding
from worker.stages import STAGE_OF, Stages
from worker.suggestions import suggestions
from worker.tag_corpus import TagCorpus, build_corpus, read_entries

log = logging.getLogger(__name__)
"""Not structlog's, which writes to stdout: `cotag cluster` prints its result there."""


METHOD: Final = 7
"""Grows when the same documents and settings give another snapshot, so that the next run does not skip them."""


def load(corpus: Corpus, stages: Stages, redis: Redis | None = None) -> tuple[TagCorpus, dict[str, int]]:
    """The documents of a corpus, and the counts of lines, bad lines and replaced documents. `redis` has pushed ones."""
    tally, source = Tally(), corpus.document_source

    def report() -> None:
        stages.enter("load", tally.done, tally.total)

    if isinstance(source, FileSource) and corpus.path is not None and worth_sharding(corpus.path):
        entries = read_in_shards(source, corpus.path, tally, report, cards=corpus.documents)
    else:
        entries = read_entries(with_progress(documents(corpus, tally, redis), report), pairs=source.parser.pairs)
    tagged = build_corpus(entries, corpus.vocabulary)
    tally.check(corpus.name, corpus.bad_lines)
    if not tagged.ids:
        raise CorpusError(f"{corpus.path or corpus.name}: no documents")
    if tally.bad:
        log.warning("%s: %s and were passed over: %s", corpus.name, tally.summary(), tally.details())
    if tagged.replaced:
        log.warning("%s: %d documents were replaced by later ones with the same id", corpus.name, tagged.replaced)
    return tagged, {"lines": tally.lines, "bad_lines": tally.bad, "replaced": tagged.replaced}


def cluster(
    corpus: Corpus,
    tagged: TagCorpus,
    now: datetime,
    stages: Stages,
    *,
    previous: PreviousVersion | None = None,
    fresh: bool = False,
    notes: Mapping[str, Any],
    tasks: Tasks | None = None,
) -> tuple[Snapshot, Documents]:
    """Matrix, smoothing, agglomeration, cut, labels and related tags of the loaded documents.

    The classifier assigns every document to its nearest cluster, as it does for new documents. A run inherits from the
    previous version. If a fresh start is requested or due, the run also tries one, and takes it only if it keeps more
    information, by the declared margin.
    """
    stages.enter("matrix")
    incidence = _matrix(corpus, tagged)
    ids = tuple(tagged.ids[row] for row in incidence.rows)
    names = tuple(tagged.names[column] for column in incidence.columns)
    keys = tuple(tagged.keys[column] for column in incidence.columns)
    ancestor = previous if corpus.inertia > 0 else None
    fitted = _fit(corpus, incidence, stages, previous=ancestor, ids=ids, keys=keys, tasks=tasks)
    runs = ancestor.snapshot.lineage.runs_since_fresh + 1 if ancestor else 0
    if ancestor and (fresh or 0 < corpus.fresh_every <= runs):
        fresh_start = _fit(corpus, incidence, stages, previous=None, ids=ids, keys=keys, tasks=tasks)
        if fresh_start.information_at(fitted) >= (1.0 + corpus.fresh_margin) * fitted.information_at(fitted):
            fitted, runs = fresh_start, 0
    fitted, lineage = with_lasting_ids(fitted, keys, previous.snapshot if previous else None)
    stages.enter("place")
    classifier = document_classifier(fitted, incidence.matrix)
    assigned = classifier.classify(incidence.matrix.indptr, incidence.matrix.indices)
    belongs = fitted.model.concepts(fitted.tags.labels)
    stages.enter("label")
    concepts = build_concepts(names, keys, incidence, fitted, edited_labels=corpus.labels)
    stages.enter("relate")
    tag_suggestions = suggestions(incidence, corpus.min_count, lambda done, total: stages.enter("relate", done, total))
    stages.enter("index")
    table = document_table(tagged, incidence, belongs, assigned.clusters) if corpus.documents else None
    model = fitted.model
    figures = quality(
        model,
        incidence.matrix,
        assigned.clusters,
        fitted.tags.labels,
        [tagged.labels[row] for row in incidence.rows],
        entropy=float(model.column_curve_.entropy[len(concepts.clusters) - 1]),
    )
    stages.close()
    snapshot = Snapshot(
        corpus=corpus.name,
        version=version_at(now),
        created=now,
        title=corpus.title or corpus.name,
        fingerprint=tagged.fingerprint,
        document_count=len(ids),
        tag_count=len(names),
        names=names,
        keys=keys,
        counts=tag_counts(incidence),
        breadth=concepts.breadth,
        broad=concepts.broad,
        partition=concepts.partition,
        tree=model.column_dendrogram_,
        clusters=concepts.clusters,
        cluster_documents=cluster_documents(belongs, concepts.partition),
        related=tag_suggestions.related,
        tag_curve=model.column_curve_,
        document_curve=model.row_curve_,
        parameters={
            **corpus.parameters(),
            **notes,
            "documents_read": len(tagged.ids),
            "plan": _plan_record(model.plan_),
            "declaration": corpus.digest(),
            "method": METHOD,
        },
        timings=stages.timings,
        quality=figures,
        suggestions=tag_suggestions.record,
        lineage=replace(lineage, runs_since_fresh=runs),
        picture=pictures(incidence.matrix, model),
        classifier=with_labels(classifier, incidence.matrix, assigned, names),
    )
    leaves = model.row_leaves_.astype(np.int32)
    return snapshot, Documents(ids, assigned.clusters, leaves, model.row_dendrogram_, table)


def _fit(
    corpus: Corpus,
    incidence: Incidence,
    stages: Stages,
    *,
    previous: PreviousVersion | None,
    ids: tuple[str, ...],
    keys: tuple[str, ...],
    tasks: Tasks | None,
) -> FittedModel:
    """The dendrograms of both sides and their cut; with `previous`, they inherit from it."""
    model = CoClustering(
        teleport=corpus.teleport,
        critical_size=corpus.critical_size,
        max_exact=corpus.max_exact,
        micro_clusters=corpus.micro_clusters,
        max_memory=corpus.memory_limit_bytes,
        tasks=tasks,
    )
    try:
        model.fit(
            incidence,
            progress=lambda stage, done, total: stages.enter(STAGE_OF[stage], done, total),
            previous=inheritance(previous, ids, keys) if previous else None,
            inertia=corpus.inertia,
        )
    except ValueError as error:
        raise CorpusError(f"{corpus.name}: {error}") from error
    return cut_model(model, previous)


def _plan_record(plan: Plan) -> dict[str, object]:
    """The plan of a run, for the parameters of the snapshot."""
    return {**asdict(plan), "information_kept": round(plan.information_kept, 6)}


def _matrix(corpus: Corpus, tagged: TagCorpus) -> Incidence:
    """The filtered matrix, of a uniform sample of the documents if the corpus declares `sample`."""
    rows = np.arange(len(tagged.ids))
    if corpus.sample is not None and corpus.sample < len(rows):
        rows = np.sort(np.random.default_rng(0).choice(len(rows), corpus.sample, replace=False))
    try:
        filtered = filtered_matrix(tagged.matrix[rows], corpus.min_count)
    except ValueError as error:
        raise CorpusError(f"{corpus.name}: {error}") from error
    return Incidence(filtered.matrix, rows[filtered.rows], filtered.columns)
