"""Makes a view of a version and the documents that changed since: the version itself stays as it is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.view.changes import ChangedDocument, Changes
from service.view.document_store import DocumentStore
from service.view.overlaid_documents import OverlaidDocuments
from service.view.view import View
from snapshot import NO_CONCEPT, Snapshot, TailTags
from tagmodel import DocumentIndex, OverlaidIndex

Positions = NDArray[np.int64]


def overlaid_view(base: View, changes: Changes, last: View | None = None) -> View | None:
    """The version of `base` with the changes; None if no document is left. `base` has no edits, nor has the result.

    `last` is the result for earlier changes: if the tags are the same, only counts are made anew. A corpus without its
    documents stays as it is, and only notes what was deleted.
    """
    if not base.has_documents:
        return None if changes.cleared and not changes.fresh else base.with_changes(changes)
    documents = base.documents
    fresh = sorted((each for each in changes.documents.values() if each.exists), key=lambda each: each.key)
    new_tags = sorted({key for each in fresh for key in each.new_tags})
    index = _index(documents, changes, fresh, new_tags)
    if not index.document_count:
        return None
    snapshot = base.snapshot
    clusters = len(snapshot.clusters)
    labels = _tag_labels(snapshot)
    rows = np.repeat(np.arange(len(fresh)), index.fresh.sizes)
    known = index.fresh.tags < len(labels)
    concepts = _most_common(rows[known], labels[index.fresh.tags[known]], len(fresh), clusters)
    placed = _most_common(index.fresh.tags[~known] - len(labels), concepts[rows[~known]], len(new_tags), clusters)
    dead = _dead(documents, changes)
    with_head = _documents_with_head(base, index, dead)
    derived = replace(
        snapshot,
        counts=index.counts()[: base.head_count].astype(np.int32),
        tail=_tail(snapshot, index, fresh, new_tags, placed),
        tail_tag_count=snapshot.tail_tag_count + len(new_tags),
        cluster_documents=_cluster_documents(snapshot, documents.concept_positions(dead), concepts),
        document_count=with_head,
        tail_document_count=index.document_count - with_head,
    )
    table = OverlaidDocuments(documents, derived, index, fresh, concepts)
    if last is not None and last.snapshot.tail.keys == derived.tail.keys and last.has_same_living(derived):
        return last.with_counts(derived, table, changes)
    return View(derived, base.answers.capacity, table, base=base, changes=changes)


def _dead(documents: DocumentStore, changes: Changes) -> Positions:
    """The positions of the documents of the version that were deleted or replaced."""
    if changes.cleared:
        return np.arange(documents.index.position_count)
    positions = (each.position for each in changes.documents.values())
    return np.array(sorted(position for position in positions if position is not None), dtype=np.int64)


def _index(
    documents: DocumentStore, changes: Changes, fresh: Sequence[ChangedDocument], new_tags: Sequence[str]
) -> OverlaidIndex:
    base = documents.version_index
    dead = _dead(documents, changes)
    living = None
    if len(dead):
        living = np.ones(base.document_count, dtype=np.bool_)
        living[dead] = False
    number = {key: base.tag_count + place for place, key in enumerate(new_tags)}
    tags = [sorted((*each.tags, *(number[key] for key in each.new_tags))) for each in fresh]
    return OverlaidIndex(
        base=base,
        living=living,
        dead_counts=np.bincount(base.tags_of_all(dead), minlength=base.tag_count).astype(np.int64),
        fresh=_small_index(tags, base.tag_count + len(new_tags)),
        places=np.array([each.place for each in fresh], dtype=np.int64),
    )


def _small_index(tags_of: Sequence[Sequence[int]], tag_count: int) -> DocumentIndex:
    """The documents with these tags both ways, without neighbours."""
    sizes = np.array([len(tags) for tags in tags_of], dtype=np.int64)
    tags = np.array([tag for tags in tags_of for tag in tags], dtype=np.uint32)
    rows = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    order = np.argsort(tags, kind="stable")
    starts: Any = np.concatenate([[0], np.cumsum(np.bincount(tags, minlength=tag_count))])
    return DocumentIndex(
        tag_starts=starts.astype(np.int64),
        documents=rows[order],
        document_starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        tags=tags,
        sizes=sizes,
        neighbour_starts=np.zeros(1, dtype=np.int64),
        neighbours=np.empty(0, dtype=np.uint32),
        lifts=np.empty(0, dtype=np.float32),
        profiles=np.empty((0, 0), dtype=np.float16),
        mean_profile=np.empty(0, dtype=np.float32),
    )


def _tag_labels(snapshot: Snapshot) -> Positions:
    """The position of the cluster of each tag, head and tail; the number of clusters for one that has none."""
    position = {cluster: place for place, cluster in enumerate(snapshot.partition.ids)}
    none = len(snapshot.clusters)
    tail = [position.get(concept, none) for concept in snapshot.tail.concepts.tolist()]
    return np.concatenate([snapshot.partition.labels, np.array(tail, dtype=np.int64)]).astype(np.int64)


def _most_common(rows: NDArray[Any], labels: Positions, row_count: int, none: int) -> Positions:
    """For each row, the commonest of its labels, at equal counts the first; `none` if it has none but `none`."""
    found = np.full(row_count, none, dtype=np.int64)
    counted = labels < none
    pairs, counts = np.unique(rows[counted].astype(np.int64) * none + labels[counted], return_counts=True)
    order = np.lexsort((-pairs, counts))  # the best of a row comes last, so it stays
    found[pairs[order] // none] = pairs[order] % none
    return found


def _tail(
    snapshot: Snapshot,
    index: OverlaidIndex,
    fresh: Sequence[ChangedDocument],
    new_tags: Sequence[str],
    placed: Positions,
) -> TailTags:
    names: dict[str, str] = {}
    for each in fresh:
        for key, name in each.new_tags.items():
            names.setdefault(key, name)
    ids = np.array([*snapshot.partition.ids, NO_CONCEPT], dtype=np.int32)
    tail = snapshot.tail
    return TailTags(
        names=(*tail.names, *(names[key] for key in new_tags)),
        keys=(*tail.keys, *new_tags),
        counts=index.counts()[len(snapshot.names) :].astype(np.int32),
        concepts=np.concatenate([tail.concepts, ids[placed]]).astype(np.int32),
    )


def _cluster_documents(snapshot: Snapshot, dead: Positions, fresh: Positions) -> tuple[int, ...]:
    if not snapshot.cluster_documents:
        return ()
    none = len(snapshot.clusters)
    change = np.bincount(fresh, minlength=none + 1) - np.bincount(dead, minlength=none + 1)
    counts: list[int] = (np.array(snapshot.cluster_documents) + change[:none]).tolist()
    return tuple(counts)


def _documents_with_head(base: View, index: OverlaidIndex, dead: Positions) -> int:
    """How many documents have a tag of the tree."""
    lost = int(_with_head(index.base, dead, base.head_count).sum())
    come = int(_with_head(index.fresh, index.fresh.positions(), base.head_count).sum())
    return base.snapshot.document_count - lost + come


def _with_head(index: DocumentIndex, documents: Positions, head: int) -> NDArray[np.bool_]:
    """For each document, whether it has a head tag: tags rise, so its first one tells."""
    found = np.zeros(len(documents), dtype=np.bool_)
    tagged = index.sizes_of(documents) > 0
    found[tagged] = index.tags[index.document_starts[documents[tagged]]] < head
    return found
