"""Clusters one corpus, from documents to snapshot. The job publishes the result, `cotag cluster` prints it."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from redis import Redis

from cocluster import CoClustering, Incidence, Plan, Tasks
from cocluster import incidence as filtered_matrix
from snapshot import Documents, MapRegion, PushedDocuments, Snapshot, version_at
from tagmodel import Company
from worker.clustering.classifier import document_classifier, with_labels
from worker.clustering.concepts import FittedModel, cut_model, documents_per_cluster, tag_counts, with_lasting_ids
from worker.clustering.document_table import all_concepts, all_tag_concepts, document_table, image_origins
from worker.clustering.inheritance import PreviousVersion, inheritance
from worker.clustering.labels import label_clusters
from worker.clustering.map_layout import concept_hues, map_regions
from worker.clustering.picture import pictures
from worker.clustering.quality import quality
from worker.clustering.shards import read_in_shards, worth_sharding
from worker.clustering.stages import STAGE_OF, Stages
from worker.clustering.tail import tail_tags, whole_corpus
from worker.corpora.declaration import Corpus
from worker.corpora.reader import document_blocks, with_progress
from worker.errors import CorpusError
from worker.proposals import propose
from worker.sources.declarations import FileSource, PushedSource
from worker.sources.document import Tally
from worker.suggestions import NO_TEXT, learn_from_text, suggestions
from worker.vocabulary.aliases import former_keys, served_aliases, shadowed_synonyms, with_known_keys
from worker.vocabulary.breadth import BROAD, breadth
from worker.vocabulary.left_out import LeftOut, left_out
from worker.vocabulary.tag_corpus import TagCorpus, build_corpus, read_entries

log = logging.getLogger(__name__)
"""Not structlog's, which writes to stdout: `cotag cluster` prints its result there."""


METHOD: Final = 13
"""Grows when the same documents and settings give another snapshot, so that the next run does not skip them."""


def load_documents(corpus: Corpus, stages: Stages, redis: Redis | None = None) -> tuple[TagCorpus, dict[str, int]]:
    """The documents of a corpus, and the counts of lines, bad lines and replaced documents. `redis` has pushed ones."""
    tally, source = Tally(), corpus.document_source
    notes: dict[str, int] = {}
    if isinstance(source, PushedSource) and redis is not None:
        # Read first: what changes while the documents are read has a later revision, and services add it again.
        notes["pushed_revision"] = PushedDocuments(redis, corpus.name).revision()

    def report() -> None:
        stages.enter("load", tally.done, tally.total)

    if isinstance(source, FileSource) and corpus.path is not None and worth_sharding(corpus.path):
        entries = read_in_shards(source, corpus.path, tally, report, cards=corpus.documents)
    else:
        entries = read_entries(
            with_progress(document_blocks(corpus, tally, redis), report),
            pairs=source.parser.pairs,
            weighted=source.parser.weighted,
        )
    tagged = build_corpus(entries, corpus.vocabulary, corpus.clean)
    tally.check(corpus.name, corpus.bad_lines)
    if not tagged.ids:
        raise CorpusError(f"{corpus.path or corpus.name}: no documents")
    if tally.bad:
        log.warning("%s: %s and were passed over: %s", corpus.name, tally.summary(), tally.details())
    if tally.dropped:
        log.warning(
            "%s: %d values cannot be shown and were left out: %s", corpus.name, tally.dropped, tally.dropped_example
        )
    if tagged.replaced:
        log.warning("%s: %d documents were replaced by later ones with the same id", corpus.name, tagged.replaced)
    for remark in shadowed_synonyms(tagged.aliases, tagged.keys):
        log.warning("%s: %s", corpus.name, remark)
    return tagged, {**notes, "lines": tally.lines, "bad_lines": tally.bad, "replaced": tagged.replaced}


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
    left = left_out(tagged, corpus.min_count)
    log.info("%s: %s", corpus.name, left.description)
    rows = _rows(corpus, tagged)
    incidence = _matrix(corpus, tagged, rows, left)
    ids = tuple(tagged.ids[row] for row in incidence.rows)
    names = tuple(tagged.names[column] for column in incidence.columns)
    keys = tuple(tagged.keys[column] for column in incidence.columns)
    whole = whole_corpus(tagged, incidence, rows, corpus.vocabulary_limit)
    if whole.limited:
        log.warning("%s: vocabulary_limit leaves out %s of the rarest tags", corpus.name, f"{whole.limited:,}")
    aliases = served_aliases(tagged.aliases, (tagged.keys[column] for column in whole.columns))
    old_keys = former_keys(keys, aliases, previous.snapshot.keys if previous else ())
    ancestor = previous if corpus.inertia > 0 else None
    fitted = _fit(corpus, incidence, stages, previous=ancestor, ids=ids, keys=old_keys, tasks=tasks)
    runs = ancestor.snapshot.lineage.runs_since_fresh + 1 if ancestor else 0
    if ancestor and (fresh or 0 < corpus.fresh_every <= runs):
        fresh_start = _fit(corpus, incidence, stages, previous=None, ids=ids, keys=old_keys, tasks=tasks)
        if fresh_start.information_at(fitted) >= (1.0 + corpus.fresh_margin) * fitted.information_at(fitted):
            fitted, runs = fresh_start, 0
    fitted, lineage = with_lasting_ids(fitted, old_keys, previous.snapshot if previous else None)
    stages.enter("place")
    classifier = document_classifier(fitted, incidence.matrix)
    assigned = classifier.classify(incidence.matrix.indptr, incidence.matrix.indices)
    tail = tail_tags(
        tagged,
        incidence,
        whole,
        fitted.tags,
        aliases=aliases,
        previous=ancestor.snapshot if ancestor else None,
    )
    belongs = all_concepts(
        whole, fitted.model.concepts(fitted.tags.labels), fitted.tags, all_tag_concepts(fitted.tags, tail)
    )
    stages.enter("relate")
    tag_suggestions = suggestions(incidence, corpus.min_count, lambda done, total: stages.enter("relate", done, total))
    from_text = learn_from_text(tagged, incidence, whole, aliases, tag_suggestions) if corpus.documents else NO_TEXT
    stages.enter("label")
    counts, partition, related = tag_counts(incidence), fitted.tags, tag_suggestions.related
    breadths = breadth(incidence.matrix, fitted.documents.labels)
    broad = breadths >= BROAD
    company = Company.of(related, partition.labels, broad)
    edited = with_known_keys(corpus.edited_labels, aliases)
    clusters = label_clusters(company, partition, counts, names, keys, edited=edited)
    stages.enter("propose")
    proposed = propose(tagged, incidence, breadths, corpus.vocabulary.folding)
    stages.enter("index")
    regions = _regions(fitted, belongs, previous) if corpus.documents else ()
    table = (
        document_table(
            tagged,
            incidence,
            whole,
            belongs,
            assigned.clusters,
            cluster_count=len(classifier.table[0]),
            tag_concepts=all_tag_concepts(fitted.tags, tail),
            regions=regions,
            text=from_text.model,
        )
        if corpus.documents
        else None
    )
    origins = image_origins(tagged, whole) if corpus.documents else []
    if origins:
        log.info("%s: its images come from %s", corpus.name, ", ".join(origins))
    model = fitted.model
    figures = quality(
        model,
        incidence.matrix,
        assigned.clusters,
        fitted.tags.labels,
        [tagged.labels[row] for row in incidence.rows],
        entropy=float(model.column_curve_.entropy[len(clusters) - 1]),
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
        tail_document_count=len(whole.rows) - len(ids),
        tail_tag_count=len(tail),
        names=names,
        keys=keys,
        counts=counts,
        breadth=breadths,
        broad=broad,
        partition=partition,
        tree=model.column_dendrogram_,
        clusters=clusters,
        cluster_documents=documents_per_cluster(belongs, partition),
        regions=regions,
        hues=_hues(fitted, previous),
        related=related,
        tag_curve=model.column_curve_,
        document_curve=model.row_curve_,
        parameters={
            **corpus.parameters(),
            **notes,
            "image_origins": origins,
            "documents_read": len(tagged.ids),
            "tags_read": len(tagged.keys),
            "plan": _plan_record(model.plan_),
            "declaration": corpus.digest(),
            "method": METHOD,
        },
        timings=stages.timings,
        quality=figures | {name: value for name, value in from_text.record.items() if "recall" in name},
        suggestions=tag_suggestions.record | ({"text": from_text.record} if from_text.record else {}),
        lineage=replace(lineage, runs_since_fresh=runs),
        picture=pictures(incidence.matrix, model),
        classifier=with_labels(classifier, incidence.matrix, assigned, names, keys),
        aliases=aliases,
        proposals=proposed,
        tail=tail,
    )
    leaves = model.row_leaves_.astype(np.int32)
    return snapshot, Documents(ids, assigned.clusters, leaves, model.row_dendrogram_, table)


def _regions(
    fitted: FittedModel, belongs: NDArray[np.int64], previous: PreviousVersion | None
) -> tuple[MapRegion, ...]:
    """Where the concepts lie on the map; those that last stay where they were."""
    before = previous.snapshot if previous is not None else None
    known: dict[int, MapRegion] = {}
    if before is not None and len(before.regions) == len(before.clusters):
        known = {each.id: region for each, region in zip(before.clusters, before.regions, strict=True)}
    counts = documents_per_cluster(belongs, fitted.tags)
    return map_regions(fitted.model.column_dendrogram_, fitted.tags, counts, known)


def _hues(fitted: FittedModel, previous: PreviousVersion | None) -> tuple[int, ...]:
    """The colours of the concepts along the tree; those that last keep theirs."""
    before = previous.snapshot if previous is not None else None
    known: dict[int, int] = {}
    if before is not None and len(before.hues) == len(before.clusters):
        known = {each.id: hue for each, hue in zip(before.clusters, before.hues, strict=True)}
    return concept_hues(fitted.model.column_dendrogram_, fitted.tags, known)


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


def _rows(corpus: Corpus, tagged: TagCorpus) -> NDArray[np.int64]:
    """All documents, or a uniform sample of them if the corpus declares `sample`."""
    rows = np.arange(len(tagged.ids))
    if corpus.sample is not None and corpus.sample < len(rows):
        rows = np.sort(np.random.default_rng(0).choice(len(rows), corpus.sample, replace=False))
    return rows


def _matrix(corpus: Corpus, tagged: TagCorpus, rows: NDArray[np.int64], left: LeftOut) -> Incidence:
    """The filtered matrix of these documents."""
    try:
        filtered = filtered_matrix(tagged.matrix[rows], corpus.min_count)
    except ValueError as error:
        raise CorpusError("; ".join(filter(None, (f"{corpus.name}: {error}", left.advice)))) from error
    return Incidence(filtered.matrix, rows[filtered.rows], filtered.columns)
