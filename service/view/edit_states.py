"""Says of each edit whether it is in force in a version, waits for the next run, or has no effect, and why."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final, Literal

from snapshot import Snapshot, distinct_pairs, normalise
from snapshot.edits import NEEDS_RUN, Edit, EditState

EditForce = Literal["active", "waiting", "inactive"]
Force = tuple[EditForce, str | None]
ACTIVE: Final[Force] = ("active", None)
WAITING: Final[Force] = ("waiting", None)


def edit_forces(snapshot: Snapshot, inactive: Mapping[str, str], edits: EditState) -> dict[str, Force]:
    """The state of every edit, by id, with the reason if it is inactive in this version."""
    vocabulary = RunVocabulary(snapshot.parameters)
    forces: dict[str, Force] = {edit.id: ACTIVE for edit in edits.edits}
    forces.update((edit.id, WAITING) for edit in edits.edits if edit.kind in NEEDS_RUN and not vocabulary.knows(edit))
    for reasons in (inactive, edits.contradicted):
        forces.update((name, ("inactive", why)) for name, why in reasons.items())
    return forces


def edit_counts(snapshot: Snapshot, inactive: Mapping[str, str], edits: EditState) -> dict[str, int]:
    """How many edits are in each state, without a record for each."""
    vocabulary = RunVocabulary(snapshot.parameters)
    without_effect = {*inactive, *edits.contradicted}
    waiting = sum(
        edit.kind in NEEDS_RUN and edit.id not in without_effect and not vocabulary.knows(edit) for edit in edits.edits
    )
    active = len(edits.edits) - waiting - len(without_effect)
    return {"active": active, "waiting": waiting, "inactive": len(without_effect)}


class RunVocabulary:
    """The synonyms, bans, different tags and implications that the run of a version knew."""

    def __init__(self, parameters: Any) -> None:
        self._synonyms = {normalise(tag): normalise(to) for tag, to in parameters.get("synonyms", {}).items()}
        self._bans = frozenset(normalise(tag) for tag in parameters.get("ban", ()))
        self._distinct = distinct_pairs(parameters.get("distinct", ()))
        self._implied_as_written = frozenset((tag, to) for tag, to in parameters.get("implies", ()))

    @cached_property
    def _implied(self) -> frozenset[tuple[str, ...]]:
        return frozenset((normalise(tag), normalise(to)) for tag, to in self._implied_as_written)

    def knows(self, edit: Edit) -> bool:
        """Whether the run did what an edit says."""
        if edit.kind == "synonym":
            return bool(self._synonyms) and self._synonyms.get(edit.forms[0]) == edit.forms[1]
        if edit.kind == "ban":
            return bool(self._bans) and edit.forms[0] in self._bans
        if edit.kind == "implies":
            written = self._implied_as_written
            return (edit.tag, edit.to) in written or (bool(written) and edit.forms in self._implied)
        return bool(self._distinct) and all(pair in self._distinct for pair in _pairs(edit.forms))


def _pairs(forms: tuple[str, ...]) -> Iterator[frozenset[str]]:
    return (frozenset((one, other)) for one in forms for other in forms if one < other)
