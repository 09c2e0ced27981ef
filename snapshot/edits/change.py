"""Checks a change of the edits of a corpus before it is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from snapshot.edits.conflicts import Conflict, conflicts
from snapshot.edits.edit import Edit
from snapshot.edits.state import EditState


class EditRefused(Exception):
    """A change of the edits cannot be made; the message says why."""


class UnknownEdit(EditRefused):
    """There is no edit with this id."""


class DeclaredEdit(EditRefused):
    """The edit is declared in the corpora file, and can be removed only there."""

    def __init__(self, edit: Edit) -> None:
        super().__init__(f"{edit}: remove it in the corpora file")
        self.edit = edit


class Contradiction(EditRefused):
    """New edits contradict others, or each other."""

    def __init__(self, found: Sequence[Conflict]) -> None:
        more = f"; and {len(found) - 1} more contradictions" if len(found) > 1 else ""
        super().__init__(f"{found[0].detail}{more}")
        self.conflicts = tuple(found)


@dataclass(frozen=True, eq=False)
class EditChange:
    """A change that can be made: what it adds and removes, and the edits after it."""

    added: tuple[Edit, ...]
    removed: tuple[Edit, ...]
    state: EditState

    @property
    def needs_run(self) -> int:
        """How many of them take effect with the next run only."""
        return sum(edit.needs_run for edit in (*self.added, *self.removed))


def check_change(state: EditState, add: Sequence[Edit] = (), remove: Sequence[str] = ()) -> EditChange:
    """The change that adds and removes edits; what is there already is not added again.

    Raises:
        UnknownEdit, DeclaredEdit: one of the edits to remove is not there, or stands in the corpora file.
        Contradiction: the edits would contradict each other.
    """
    stored = {edit.id: edit for edit in state.stored}
    declared = {edit.id: edit for edit in state.declared or ()}
    for name in remove:
        if name not in stored:
            raise DeclaredEdit(declared[name]) if name in declared else UnknownEdit(f"there is no edit {name!r}")
    left = [edit for edit in state.stored if edit.id not in set(remove)]
    known = {*declared, *(edit.id for edit in left)}
    added = tuple({edit.id: edit for edit in add if edit.id not in known}.values())
    new = {edit.id for edit in added}
    holding = [edit for edit in state.holding if edit.id in known]
    found = [each for each in conflicts([*holding, *added]) if {each.edit.id, each.other.id} & new] if added else []
    if found:
        raise Contradiction(found)
    after = EditState(state.revision, (*left, *added), state.declared)
    return EditChange(added, tuple(stored[name] for name in dict.fromkeys(remove)), after)
