"""Edits as answers list them, and what only a served version can say about them."""

from collections.abc import Iterable

from service.answers import EditedAnswer, EditsAnswer
from service.answers.edits import edit_answer
from service.api.parameters.edits import EditsQuery
from service.view.edit_states import Force
from service.view.view import View
from snapshot.edits import Conflict, Edit, EditChange, EditState

NOT_SERVED: Force = ("inactive", "no version is served yet")


def edit_answers(corpus: str, view: View | None, state: EditState, query: EditsQuery, stale: bool) -> EditsAnswer:
    """One page of the edits, newest first; those of the corpora file come last."""
    forces = {} if view is None else view.edit_forces
    own = {edit.id for edit in state.declared or ()}
    ordered = [*(edit for edit in reversed(state.edits) if edit.id not in own), *(state.declared or ())]
    listed = [
        edit
        for edit in ordered
        if query.kind in {None, edit.kind} and query.state in {None, forces.get(edit.id, NOT_SERVED)[0]}
    ]
    counts = {"active": 0, "waiting": 0, "inactive": 0}
    for edit in ordered:
        counts[forces.get(edit.id, NOT_SERVED)[0]] += 1
    return EditsAnswer(
        corpus=corpus,
        version=None if view is None else view.snapshot.version,
        revision=state.revision,
        total=len(listed),
        offset=query.offset,
        stale=stale,
        **counts,
        edits=[
            edit_answer(edit, forces.get(edit.id, NOT_SERVED))
            for edit in listed[query.offset : query.offset + query.limit]
        ],
    )


def edited_answer(corpus: str, view: View | None, change: EditChange, revision: int) -> EditedAnswer:
    """What a change added and removed."""
    forces = {} if view is None else view.edit_forces
    count = change.needs_run
    edits = "1 of these edits takes" if count == 1 else f"{count} of these edits take"
    return EditedAnswer(
        corpus=corpus,
        version=None if view is None else view.snapshot.version,
        revision=revision,
        added=[edit_answer(edit, forces.get(edit.id, NOT_SERVED)) for edit in change.added],
        removed=[edit_answer(edit, ("inactive", "it was removed")) for edit in change.removed],
        needs_run=count > 0,
        detail=f"{edits} effect with the next run: POST /v1/corpora/{corpus}/jobs" if count else "",
    )


def label_conflicts(view: View, change: EditChange) -> list[Conflict]:
    """New labels for a concept of the served version that has another label by an edit already."""
    after = view.with_edits(change.state)
    labels: dict[int, list[Edit]] = {}
    for edit in change.state.holding:
        found = view.names.find(edit.tag) if edit.kind == "label" else None
        if found is not None:
            labels.setdefault(after.cluster_of[found[0]], []).append(edit)
    return [conflict for edits in labels.values() for conflict in _different_labels(edits, change.added)]


def _different_labels(edits: list[Edit], added: Iterable[Edit]) -> list[Conflict]:
    new = {edit.id for edit in added}
    return [
        Conflict(f"one concept cannot have two labels: {edit} and {other}", edit, other)
        for number, edit in enumerate(edits)
        if edit.id in new
        for other in edits[:number]
        if other.label != edit.label
    ]
