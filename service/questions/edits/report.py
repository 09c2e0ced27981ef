"""What a change of the edits would do to the version that is served, without making it."""

from typing import Final

import numpy as np

from service.answers import ChangedConcept, ChangedCount, ConceptState, EditReport, Figure, MovedTag
from service.questions.text.narrower import documents_with
from service.view.view import View
from snapshot.edits import EditChange
from tagmodel.prediction import predicted_bits

LISTED: Final = 100


def edit_report(view: View, change: EditChange) -> EditReport:
    """The tags and concepts that a change moves and renames, and the figures before and after."""
    after = view.with_edits(change.state)
    moved = [tag for tag in view.listed if view.cluster_of[tag] != after.cluster_of[tag]]
    concepts = _changed(view, after, moved)
    recall = view.snapshot.suggestions.get("recall")
    return EditReport(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        tags_moved=len(moved),
        concepts_changed=len(concepts),
        recall=Figure(recall, recall),
        bits=_bits(view, after),
        moved=[MovedTag(view.tag_names[tag], view.cluster_of[tag], after.cluster_of[tag]) for tag in moved[:LISTED]],
        concepts=concepts[:LISTED],
        documents=_documents(view, after, change),
    )


def _documents(view: View, after: View, change: EditChange) -> list[ChangedCount]:
    """The broader tags of a change and all above them, with the documents that have each or a narrower one."""
    if not view.has_documents:
        return []
    named = [view.names.tag(edit.to) for edit in (*change.added, *change.removed) if edit.kind == "broader"]
    tags = dict.fromkeys(tag for tag in named if tag is not None)
    above = (each for tag in tags for side in (view, after) for each in side.relations.all_broader(tag))
    listed: list[ChangedCount] = []
    for tag in dict.fromkeys([*tags, *above]):
        before, now = (int(np.count_nonzero(documents_with(side, tag))) for side in (view, after))
        if before != now and len(listed) < LISTED:
            listed.append(ChangedCount(view.tag_names[tag], before, now))
    return listed


def _changed(view: View, after: View, moved: list[int]) -> list[ChangedConcept]:
    touched = {each for tag in moved for each in (view.cluster_of[tag], after.cluster_of[tag])}
    renamed = {
        number for number in {*view.clusters, *after.clusters} if view.labels.get(number) != after.labels.get(number)
    }
    return [ChangedConcept(number, _state(view, number), _state(after, number)) for number in sorted(touched | renamed)]


def _state(view: View, number: int) -> ConceptState | None:
    cluster = view.clusters.get(number)
    return None if cluster is None else ConceptState(cluster.name, cluster.size)


def _bits(view: View, after: View) -> Figure:
    """Both measured in the same way on the documents that this process has."""
    if not view.has_documents:
        return Figure(None, None)
    index = view.documents.index
    positions = index.positions()
    starts = np.concatenate([[0], np.cumsum(index.sizes_of(positions), dtype=np.int64)])
    tags = index.tags_of_all(positions)
    before, now = (
        predicted_bits(starts, tags, clusters, index.tag_count) for clusters in (view.cluster_of, after.cluster_of)
    )
    return Figure(round(before, 6), round(now, 6))
