"""Clusters one corpus, from documents to snapshot. The job publishes the result, `cotag cluster` prints it."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from redis import Redis

from cocluster import CoClustering, Plan, Tasks
from cocluster.text import Learnt
from snapshot import (
    Documents,
    DocumentTable,
    MapRegion,
    PushedDocuments,
    Snapshot,
    version_at,
)
from tagmodel import Cluster, Company, Partition
from worker.clustering.concepts import FittedModel, documents_per_cluster, tag_counts
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.continuity.series import series_of
from worker.clustering.documents.document_table import document_table, image_origins
from worker.clustering.documents.filtered import Filtered, filtered
from worker.clustering.documents.placement import Placement, placement
from worker.clustering.drawing.map_layout import concept_hues, map_regions
from worker.clustering.drawing.picture import pictures
from worker.clustering.fit import fitted_concepts
from worker.clustering.labels import label_clusters
from worker.clustering.quality import quality
from worker.clustering.shards import read_in_shards, worth_sharding
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.corpora.reader import document_blocks, with_progress
from worker.errors import CorpusError
from worker.proposals import propose
from worker.proposals.text import TextLikeness
from worker.sources.declarations import FileSource, PushedSource
from worker.sources.document import Tally
from worker.suggestions import NO_TEXT, Suggestions, learn_from_text, suggestions
from worker.vocabulary.aliases import shadowed_synonyms, with_known_keys
from worker.vocabulary.breadth import BROAD, breadth
from worker.vocabulary.staging import NONE_STAGED, StagedTags, stage_new_tags
from worker.vocabulary.tag_corpus import TagCorpus, build_corpus, read_entries

log = logging.getLogger(__name__)
"""Not structlog's, which writes to stdout: `cotag cluster` prints its result there."""


METHOD: Final = 14
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


@dataclass(frozen=True, eq=False)
class Naming:
    """How often and how broadly each tag is used, and the labelled concepts."""

    counts: NDArray[np.int32]
    breadth: NDArray[np.float32]
    broad: NDArray[np.bool_]
    clusters: tuple[Cluster, ...]


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
    tagged, staged = _staged(corpus, tagged, previous)
    data = filtered(corpus, tagged)
    fitted, lineage = fitted_concepts(corpus, data, stages, previous=previous, fresh=fresh, tasks=tasks)
    stages.enter("place")
    placed = placement(data, fitted, previous.snapshot if previous and corpus.inertia > 0 else None)
    stages.enter("relate")
    advice = suggestions(data.incidence, corpus.min_count, lambda done, total: stages.enter("relate", done, total))
    text = learn_from_text(tagged, data.incidence, data.whole, data.aliases, advice) if corpus.documents else NO_TEXT
    stages.enter("label")
    naming = _named(corpus, data, fitted, advice)
    stages.enter("propose")
    proposals = propose(
        tagged,
        data.incidence,
        naming.breadth,
        corpus.vocabulary.folding,
        staged,
        concepts=fitted.tags.labels,
        nested=corpus.nested,
        texts=TextLikeness(tagged, data.whole, text.model) if text.model.knows_words else None,
    )
    stages.enter("index")
    regions = _regions(fitted, placed.documents, previous) if corpus.documents else ()
    table = _table(data, placed, regions, text) if corpus.documents else None
    figures = quality(
        fitted.model,
        data.incidence.matrix,
        placed.assigned.clusters,
        fitted.tags.labels,
        [tagged.labels[row] for row in data.incidence.rows],
        entropy=float(fitted.model.column_curve_.entropy[len(naming.clusters) - 1]),
        moved=fitted.moved,
    )
    stages.close()
    snapshot = _snapshot(
        corpus,
        data,
        now,
        placed,
        naming,
        model=fitted.model,
        regions=regions,
        hues=_hues(fitted, previous),
        related=advice.related,
        parameters=_parameters(corpus, data, fitted, notes),
        partition=fitted.tags,
        timings=stages.timings,
        quality=figures | {name: value for name, value in text.record.items() if "recall" in name},
        suggestions=advice.record | ({"text": text.record} if text.record else {}),
        lineage=lineage,
        proposals=proposals,
        moved_by_refinement=fitted.moved,
        series=series_of(
            table,
            fitted.tags.ids,
            data.keys + placed.tail.keys,
            len(data.keys),
            lineage=lineage,
            aliases=data.aliases,
            previous=previous.snapshot if previous and "pushed_revision" not in notes else None,
        ),
    )
    leaves = fitted.model.row_leaves_.astype(np.int32)
    return snapshot, Documents(data.ids, placed.assigned.clusters, leaves, fitted.model.row_dendrogram_, table)


def _named(corpus: Corpus, data: Filtered, fitted: FittedModel, advice: Suggestions) -> Naming:
    """The labels of the concepts, and what they come from."""
    counts, breadths = tag_counts(data.incidence), breadth(data.incidence.matrix, fitted.documents.labels)
    broad = breadths >= BROAD
    company = Company.of(advice.related, fitted.tags.labels, broad)
    edited = with_known_keys(corpus.edited_labels, data.aliases)
    clusters = label_clusters(company, fitted.tags, counts, data.names, data.keys, edited=edited)
    return Naming(counts, breadths, broad, clusters)


def _snapshot(
    corpus: Corpus,
    data: Filtered,
    now: datetime,
    placed: Placement,
    naming: Naming,
    *,
    model: CoClustering,
    partition: Partition,
    **others: Any,
) -> Snapshot:
    """The version, with the other fields as they are given."""
    return Snapshot(
        corpus=corpus.name,
        version=version_at(now),
        created=now,
        title=corpus.title or corpus.name,
        fingerprint=data.tagged.fingerprint,
        document_count=len(data.ids),
        tag_count=len(data.names),
        tail_document_count=len(data.whole.rows) - len(data.ids),
        tail_tag_count=len(placed.tail),
        names=data.names,
        keys=data.keys,
        counts=naming.counts,
        breadth=naming.breadth,
        broad=naming.broad,
        clusters=naming.clusters,
        cluster_documents=documents_per_cluster(placed.documents, partition),
        partition=partition,
        tree=model.column_dendrogram_,
        tag_curve=model.column_curve_,
        document_curve=model.row_curve_,
        picture=pictures(data.incidence.matrix, model),
        classifier=placed.classifier,
        aliases=data.aliases,
        tail=placed.tail,
        **others,
    )


def _table(data: Filtered, placed: Placement, regions: tuple[MapRegion, ...], text: Learnt) -> DocumentTable:
    """All documents, for the services."""
    return document_table(
        data.tagged,
        data.incidence,
        data.whole,
        placed.documents,
        placed.assigned.clusters,
        cluster_count=len(placed.classifier.table[0]),
        tag_concepts=placed.tags,
        regions=regions,
        text=text.model,
    )


def _parameters(corpus: Corpus, data: Filtered, fitted: FittedModel, notes: Mapping[str, Any]) -> dict[str, Any]:
    """How the version came about."""
    origins = image_origins(data.tagged, data.whole) if corpus.documents else []
    if origins:
        log.info("%s: its images come from %s", corpus.name, ", ".join(origins))
    return {
        **corpus.parameters(),
        **notes,
        "image_origins": origins,
        "documents_read": len(data.tagged.ids),
        "tags_read": len(data.tagged.keys),
        "plan": _plan_record(fitted.model.plan_),
        "declaration": corpus.digest(),
        "method": METHOD,
    }


def _staged(corpus: Corpus, tagged: TagCorpus, previous: PreviousVersion | None) -> tuple[TagCorpus, StagedTags]:
    """The corpus without new tags that wait, and those; all tags are served unless the corpus stages them."""
    if corpus.new_tags == "open":
        return tagged, NONE_STAGED
    before = None if previous is None else previous.snapshot
    admitted = [corpus.clean.clean(tag) for tag in corpus.admit]
    tagged, staged = stage_new_tags(tagged, min_new=corpus.min_new, admitted=admitted, previous=before)
    if staged.keys:
        log.info("%s: %s new tags wait until %d documents have them", corpus.name, len(staged.keys), corpus.min_new)
    return tagged, staged


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


def _plan_record(plan: Plan) -> dict[str, object]:
    """The plan of a run, for the parameters of the snapshot."""
    return {**asdict(plan), "information_kept": round(plan.information_kept, 6)}
