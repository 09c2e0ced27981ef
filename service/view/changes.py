"""What happened to pushed documents since the version that is served: the changes, as this version sees them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from service.view.document_store import DocumentStore
from service.view.names import Names
from snapshot import Card, PushedChange, normalise, parse_card


@dataclass(frozen=True, eq=False, slots=True)
class ChangedDocument:
    """A document that was pushed, replaced or deleted since.

    Attributes:
        id: its id.
        key: its id in UTF-8, by which documents are ordered.
        exists: False if it was deleted.
        position: where the version has it; None if it has none of this id.
        place: how many ids of the version come before it.
        tags: the tags that the version knows, rising.
        new_tags: those that it does not know, by key, as they are written.
        card: its encoded card.
    """

    id: str
    key: bytes
    exists: bool
    position: int | None
    place: int
    tags: tuple[int, ...] = ()
    new_tags: Mapping[str, str] = field(default_factory=dict)
    card: bytes = b""


@dataclass(frozen=True, eq=False)
class Changes:
    """The changes that a view has taken up, at a revision of the pushed documents.

    Attributes:
        revision: that of the last change; 0 if there is none that the version lacks.
        documents: the changed documents by id.
        cleared: whether all documents of the version were deleted.
        waiting: how many pushed documents wait for the next run, because the overlay is full.
        waiting_digest: tells which ones wait: processes that followed the changes at other moments may have others.
    """

    revision: int = 0
    documents: Mapping[str, ChangedDocument] = field(default_factory=dict)
    cleared: bool = False
    waiting: int = 0
    waiting_digest: str = ""

    @property
    def any(self) -> bool:
        """Whether something changed."""
        return self.cleared or bool(self.documents)

    @property
    def fresh(self) -> int:
        """How many documents were pushed or replaced since the version."""
        return sum(document.exists for document in self.documents.values())

    def has_deleted(self, document: str) -> bool:
        """Whether a document of the version was deleted since."""
        changed = self.documents.get(document)
        return self.cleared if changed is None else not changed.exists


NO_CHANGES: Final = Changes()


def changed_document(
    change: PushedChange, names: Names, documents: DocumentStore | None, base_url: str | None
) -> ChangedDocument:
    """A change as a version sees it; one whose record no run could read counts as deleted."""
    key = change.id.encode(errors="surrogatepass")
    place = 0 if documents is None else documents.insertion(key)
    position = None if documents is None else documents.position(change.id)
    record = _record(change)
    if record is None:
        return ChangedDocument(change.id, key, False, position, place)
    known: set[int] = set()
    new: dict[str, str] = {}
    for tag in record["tags"]:
        found = names.find(tag)
        if found is not None:
            known.add(found[0])
        elif (form := normalise(tag)) and not names.is_banned(form):
            synonym = names.rare.get(form)
            new.setdefault(synonym or form, synonym or " ".join(tag.split()))
    card = _card(record, base_url)
    return ChangedDocument(
        change.id, key, True, position, place, tuple(sorted(known)), new, b"" if card is None else card.encode()
    )


def _record(change: PushedChange) -> dict[str, Any] | None:
    if change.record is None:
        return None
    try:
        record = orjson.loads(change.record)
    except orjson.JSONDecodeError:
        return None
    tags = record.get("tags") if isinstance(record, dict) else None
    is_document = isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)
    return record if is_document else None


def _card(record: dict[str, Any], base_url: str | None) -> Card | None:
    """The card; none if the base of its URLs is no longer declared. The next run shows what can be shown of it."""
    try:
        return parse_card(
            record.get("title"), record.get("url"), record.get("image"), record.get("fields") or {}, base_url
        )
    except ValueError:
        return None
