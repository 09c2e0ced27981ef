"""Answers about the decisions of editors."""

from dataclasses import dataclass, field
from typing import Literal

from service.view.edit_states import EditForce, Force
from snapshot.edits import Conflict, Edit, Kind


@dataclass(frozen=True)
class EditAnswer:
    """One decision; `why` it is inactive, and whether its kind takes effect now or with the next run."""

    id: str
    kind: Kind
    tag: str
    to: str
    tags: list[str]
    label: str
    text: str
    language: str
    by: str
    at: str
    origin: Literal["api", "file"]
    line: int | None
    state: EditForce
    why: str | None
    takes_effect: Literal["now", "next run"]


@dataclass(frozen=True)
class EditsAnswer:
    """One page of the edits, newest first, and how many of all are active, waiting for a run, and inactive.

    `stale`: the store is away, and these are the last ones that the service has seen.
    """

    corpus: str
    version: str | None
    revision: int
    total: int
    offset: int
    stale: bool
    active: int
    waiting: int
    inactive: int
    edits: list[EditAnswer]


@dataclass(frozen=True)
class EditedAnswer:
    """What a change added and removed. If it `needs_run`, `detail` says what to do."""

    corpus: str
    version: str | None
    revision: int
    added: list[EditAnswer]
    removed: list[EditAnswer]
    needs_run: bool
    detail: str


@dataclass(frozen=True)
class EditConflict:
    """Two edits that cannot both hold: a new one, and another."""

    detail: str
    edit: EditAnswer
    other: EditAnswer


@dataclass(frozen=True)
class MovedTag:
    """A tag that changes its concept."""

    tag: str
    before: int | None
    after: int | None


@dataclass(frozen=True)
class ConceptState:
    """A concept before or after a change."""

    label: str
    size: int


@dataclass(frozen=True)
class ChangedConcept:
    """A concept with other tags or another label; null where it does not exist."""

    id: int
    before: ConceptState | None
    after: ConceptState | None


@dataclass(frozen=True)
class ChangedCount:
    """How many documents a tag has before and after a change; null where it does not exist.

    If the change says what is narrower than the tag, documents with narrower tags count.
    """

    tag: str
    before: int | None
    after: int | None


@dataclass(frozen=True)
class Figure:
    """A figure before and after a change; null if it cannot be measured here."""

    before: float | None
    after: float | None


@dataclass(frozen=True)
class EditReport:
    """What a change would do. The first hundred tags and concepts are listed.

    `documents` has the tags that the change is about and whose number of documents changes.
    """

    corpus: str
    version: str
    revision: int
    tags_moved: int
    concepts_changed: int
    recall: Figure
    bits: Figure
    moved: list[MovedTag] = field(default_factory=list)
    concepts: list[ChangedConcept] = field(default_factory=list)
    documents: list[ChangedCount] = field(default_factory=list)


def edit_answer(edit: Edit, force: Force) -> EditAnswer:
    """One edit."""
    return EditAnswer(
        id=edit.id,
        kind=edit.kind,
        tag=edit.tag,
        to=edit.to,
        tags=list(edit.tags),
        label=edit.label,
        text=edit.text,
        language=edit.language,
        by=edit.by,
        at=edit.at,
        origin=edit.origin,
        line=edit.line,
        state=force[0],
        why=force[1],
        takes_effect="next run" if edit.needs_run else "now",
    )


def conflict_answer(conflict: Conflict) -> EditConflict:
    """Two edits that contradict each other; neither has been put in force by this."""
    edit, other = (edit_answer(each, ("inactive", conflict.detail)) for each in (conflict.edit, conflict.other))
    return EditConflict(conflict.detail, edit, other)
