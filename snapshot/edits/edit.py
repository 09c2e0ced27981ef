"""One decision of an editor, which lasts from run to run: how it is written, read and recognised."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, cast, get_args

import orjson

from snapshot.version.limits import LONGEST_TAG
from tagmodel.language.spelling import TagPairs, normalise

Kind = Literal[
    "move",
    "together",
    "apart",
    "label",
    "synonym",
    "ban",
    "distinct",
    "broader",
    "implies",
    "describe",
    "translate",
    "keep",
    "later",
    "admit",
]
Origin = Literal["api", "file"]
"""Where an edit was made: over HTTP or by a command, or in the corpora file."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
FIELDS: Final[dict[Kind, tuple[str, ...]]] = {
    "move": ("tag", "to"),
    "together": ("tags",),
    "apart": ("tags",),
    "label": ("tag", "label"),
    "synonym": ("tag", "to"),
    "ban": ("tag",),
    "distinct": ("tags",),
    "broader": ("tag", "to"),
    "implies": ("tag", "to"),
    "describe": ("tag", "text"),
    "translate": ("tag", "label", "language"),
    "keep": ("tag",),
    "later": ("tags",),
    "admit": ("tag",),
}
"""What each kind says."""

IGNORED: Final = frozenset({"kind", "id", "by", "at", "origin", "line", "state", "why", "takes_effect"})
"""What a listed edit has beside that. It may be posted again as it was listed."""

NEEDS_RUN: Final[frozenset[Kind]] = frozenset({"synonym", "ban", "distinct", "implies", "admit"})
"""What changes the tags of documents, and so takes effect with the next run."""

SAID: Final = frozenset(field for fields in FIELDS.values() for field in fields)
"""All fields in which an edit says something."""

LONGEST_LABEL: Final = 200
LONGEST_DESCRIPTION: Final = 1000
MOST_TAGS: Final = 100
LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", re.ASCII)
"""The form of a language tag (BCP 47), such as `de` or `pt-BR`."""


@dataclass(frozen=True)
class Edit:
    """One decision, anchored by tags as the editor wrote them.

    Attributes:
        kind: `move` the tag to the concept that holds the tag `to`; `together` in one concept, or `apart` in different
            ones; `label` of the concept that holds the tag; `synonym`: the tag is counted as `to`; `ban`: it is left
            out; `distinct`: these are different tags; `broader`: the tag is a kind of `to`; `implies`: a document with
            the tag counts as having `to`; `describe` what the tag is for; `translate`: its label in a language;
            `keep`: the tag is fine as it is; `later`: decide another time; `admit` a new tag that waits.
        text: what a tag is for, in a sentence or two of Markdown.
        language: of a label (BCP 47).
        by: the name of the editor's key.
        at: when it was decided (ISO 8601, UTC).
        line: of the corpora file.
    """

    kind: Kind
    tag: str = ""
    to: str = ""
    tags: tuple[str, ...] = ()
    label: str = ""
    text: str = ""
    language: str = ""
    by: str = ""
    at: str = ""
    origin: Origin = "api"
    line: int | None = None

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The tags that it is anchored by, normalised; in alphabetical order if their order says nothing."""
        if self.tags:
            return tuple(sorted(normalise(tag) for tag in self.tags))
        return tuple(normalise(tag) for tag in (self.tag, self.to) if tag)

    @cached_property
    def id(self) -> str:
        """The same for the same decision, whoever makes it and when."""
        more = [text for text in (self.text, self.language) if text]
        said = orjson.dumps([self.kind, self.forms, self.label, *more])
        return hashlib.blake2b(said, digest_size=6).hexdigest()

    @property
    def names(self) -> tuple[str, ...]:
        """The tags that it is anchored by, as written."""
        return self.tags or tuple(tag for tag in (self.tag, self.to) if tag)

    @property
    def needs_run(self) -> bool:
        """Whether it takes effect with the next run only."""
        return self.kind in NEEDS_RUN

    def __str__(self) -> str:
        match self.kind:
            case "label":
                text = f"label of {self.tag!r}: {self.label!r}"
            case "describe":
                text = f"description of {self.tag!r}: {self.text!r}"
            case "translate":
                text = f"label of {self.tag!r} in {self.language}: {self.label!r}"
            case "broader" | "implies":
                text = f"{self.tag!r} {VERBS[self.kind]} {self.to!r}"
            case _:
                text = " ".join([self.kind, (", " if self.tags else " to ").join(map(repr, self.names))])
        return text if self.line is None else f"{text} (line {self.line} of the corpora file)"


VERBS: Final[dict[Kind, str]] = {"broader": "is a kind of", "implies": "implies"}


def parse_edit(record: Any) -> Edit:
    """The edit of a JSON object as editors send it; ValueError with what is wrong."""
    if not isinstance(record, Mapping):
        raise ValueError("not an object")  # noqa: TRY004 - a wrong edit is a value, whatever its type
    kind = record.get("kind")
    if kind not in KINDS:
        raise ValueError(f'"kind" is {kind!r}, not one of {", ".join(KINDS)}')
    fields = FIELDS[kind]
    for field, value in record.items():
        if field not in {*fields, *IGNORED} and (field not in SAID or value):
            raise ValueError(f"unknown field {field!r}; {kind} has {' and '.join(fields)}")
    said: dict[str, Any] = {field: _parse_field(field, record.get(field), kind) for field in fields}
    edit = Edit(cast("Kind", kind), **said)
    if len(set(edit.forms)) < len(edit.forms):
        raise ValueError(f"{' and '.join(map(repr, edit.names))} are one tag")
    return edit


def edit_json(edit: Edit) -> dict[str, Any]:
    """What an edit says as a JSON object, which `parse_edit` reads."""
    said = {field: getattr(edit, field) for field in FIELDS[edit.kind]}
    return {"kind": edit.kind, **{field: list(each) if field == "tags" else each for field, each in said.items()}}


def decided_pairs(edits: Iterable[Edit]) -> TagPairs:
    """The pairs of tags, normalised, about which an editor has decided.

    They are one, or two, or of two concepts, or one is a kind of the other or implies it.
    """
    pairs: set[frozenset[str]] = set()
    for edit in edits:
        if edit.kind in {"synonym", "distinct", "apart", "broader", "implies"}:
            pairs |= {frozenset((one, other)) for one in edit.forms for other in edit.forms if one != other}
    return frozenset(pairs)


def decided_tags(edits: Iterable[Edit]) -> frozenset[str]:
    """The tags, normalised, that an editor keeps or bans."""
    return frozenset(edit.forms[0] for edit in edits if edit.kind in {"keep", "ban"})


def postponed(edits: Iterable[Edit]) -> frozenset[frozenset[str]]:
    """The tags, normalised, of each proposal that an editor decides later."""
    return frozenset(frozenset(edit.forms) for edit in edits if edit.kind == "later")


def _parse_field(field: str, value: Any, kind: str) -> Any:
    if field == "tags":
        return _parse_tags(value, fewest=1 if kind == "later" else 2)
    if field == "text":
        return _parse_text(value)
    if field == "language":
        if not isinstance(value, str) or not LANGUAGE.fullmatch(value):
            raise ValueError(f'"language" is {value!r}, not a language such as "de" or "pt-BR"')
        return value.lower()
    longest = LONGEST_LABEL if field == "label" else LONGEST_TAG
    if not isinstance(value, str) or not value.strip() or len(value) > longest or not value.isprintable():
        raise ValueError(f'"{field}" is not a text of 1 to {longest} printable characters')
    return " ".join(value.split())


def _parse_text(value: Any) -> str:
    """Markdown of a few lines, with white space at their ends taken away."""
    lines = [line.rstrip() for line in value.strip().splitlines()] if isinstance(value, str) else []
    text = "\n".join(lines)
    if not text or len(text) > LONGEST_DESCRIPTION or not all(line.isprintable() for line in lines):
        raise ValueError(f'"text" is not a text of 1 to {LONGEST_DESCRIPTION} printable characters')
    return text


def _parse_tags(value: Any, fewest: int) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not fewest <= len(value) <= MOST_TAGS:
        raise ValueError(f'"tags" is not a list of {fewest} to {MOST_TAGS}')
    return tuple(_parse_field("tag", tag, "") for tag in value)
