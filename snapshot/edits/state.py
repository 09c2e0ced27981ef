"""All edits of a corpus at one revision: those of the corpora file and those made since."""

from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter
from typing import Any, Final

import orjson

from snapshot.edits.conflicts import without_conflicts
from snapshot.edits.edit import FIELDS, Edit


@dataclass(frozen=True, eq=False)
class EditState:
    """The edits of a corpus. `revision` grows with every change.

    Attributes:
        stored: made over HTTP or by a command, oldest first.
        declared: those of the corpora file; None as long as no scheduler has read it.
    """

    revision: int = 0
    stored: tuple[Edit, ...] = ()
    declared: tuple[Edit, ...] | None = None

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """All of them, those of the file first. What both say counts as the file's."""
        declared = self.declared or ()
        if not declared:
            return self.stored
        known = {edit.id for edit in declared}
        return (*declared, *(edit for edit in self.stored if edit.id not in known))

    @cached_property
    def _holding(self) -> tuple[tuple[Edit, ...], dict[str, str]]:
        if not self.declared:  # what is stored was checked before it was stored
            return self.edits, {}
        holding, refused = without_conflicts(self.edits)
        return tuple(holding), refused

    @property
    def holding(self) -> tuple[Edit, ...]:
        """The edits that the corpora file does not contradict."""
        return self._holding[0]

    @property
    def contradicted(self) -> dict[str, str]:
        """Why each of the others does not hold, by id."""
        return self._holding[1]


NO_EDITS: Final = EditState()
UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError)
"""What decoding raises for a record that is no edit."""


def encode_edit(edit: Edit) -> bytes:
    """The stored form of an edit: JSON, without fields that are empty, and with its id, which takes time to make."""
    return orjson.dumps({"id": edit.id, **_record(edit)})


def _record(edit: Edit) -> dict[str, Any]:
    return {each.name: value for each in fields(Edit) if (value := getattr(edit, each.name)) not in ("", (), None)}


def decode_edit(record: Any) -> Edit:
    """The edit of a stored JSON object; one of UNREADABLE if it is none.

    Sets all fields at once, for thousands; those that the record lacks have the defaults of the class.
    """
    if record["kind"] not in FIELDS:
        raise ValueError(f"{record['kind']!r} is no kind of edit")
    for field in FIELDS[record["kind"]]:
        value = record[field]
        if not value or not (isinstance(value, str) if field != "tags" else _are_texts(value)):
            raise ValueError(f"{field!r} of an edit is {value!r}")
    edit = object.__new__(Edit)
    values = vars(edit)
    values.update(record)
    if "tags" in record:
        values["tags"] = tuple(record["tags"])
    return edit


def is_readable(raw: bytes) -> bool:
    """Whether a stored record is an edit of this release."""
    try:
        decode_edit(orjson.loads(raw))
    except UNREADABLE:
        return False
    return True


def is_damaged(raw: bytes) -> bool:
    """Whether a stored record is no edit of any release. A kind that is unknown may be of a newer one."""
    if is_readable(raw):
        return False
    try:
        return orjson.loads(raw)["kind"] in FIELDS
    except UNREADABLE:
        return True


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) and each for each in value)


def encode_state(state: EditState) -> bytes:
    """A whole state as JSON, for the copy on disk."""
    return orjson.dumps(
        {
            "revision": state.revision,
            "stored": [_record(edit) for edit in state.stored],
            "declared": None if state.declared is None else [_record(edit) for edit in state.declared],
        }
    )


def decode_state(raw: bytes) -> EditState:
    """A state from its JSON; ValueError if it is none."""
    try:
        record = orjson.loads(raw)
        declared = record["declared"]
        return EditState(
            int(record["revision"]),
            tuple(map(decode_edit, record["stored"])),
            None if declared is None else tuple(map(decode_edit, declared)),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no edits: {error!r}") from error


def decode_edits(raw: bytes) -> tuple[Edit, ...]:
    """Stored edits from a JSON array, oldest first; one of UNREADABLE if one of them is none."""
    edits = sorted(map(decode_edit, orjson.loads(raw)), key=attrgetter("id"))
    return tuple(sorted(edits, key=attrgetter("at")))  # two sorts by one text are faster than one by a pair
