"""The keys of the corpora file by which editors decide about tags and concepts, as edits with their lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from snapshot.edits import Edit, Kind, conflicts, parse_edit
from worker.corpora.faults import Place
from worker.vocabulary.folding import Variants
from worker.vocabulary.rules import vocabulary

LISTS: Mapping[str, Kind] = {"distinct": "distinct", "together": "together", "apart": "apart"}
RELATIONS: Mapping[str, Kind] = {"broader": "broader", "implies": "implies"}


class EditorsKeys(BaseModel):
    """What editors declare."""

    synonyms: dict[str, str] = Field(default_factory=dict)
    ban: list[str] = Field(default_factory=list)
    admit: list[str] = Field(default_factory=list)
    variants: Variants = "spelling"
    distinct: list[list[str]] = Field(default_factory=list)
    labels: dict[str, str] = Field(default_factory=dict)
    move: dict[str, str] = Field(default_factory=dict)
    together: list[list[str]] = Field(default_factory=list)
    apart: list[list[str]] = Field(default_factory=list)
    broader: dict[str, str | list[str]] = Field(default_factory=dict)
    implies: dict[str, str | list[str]] = Field(default_factory=dict)
    descriptions: dict[str, str] = Field(default_factory=dict)
    translations: dict[str, dict[str, str]] = Field(default_factory=dict)
    nested: Annotated[str, Field(pattern=r"^\S{1,3}$")] | None = None
    nested_counts: bool = False

    @field_validator("nested_counts")
    @classmethod
    def _check_nested(cls, nested_counts: bool, info: ValidationInfo) -> bool:
        if nested_counts and not info.data.get("nested"):
            raise ValueError("say with `nested` what separates the parts of a name, such as '/'")
        return nested_counts

    @field_validator("synonyms")
    @classmethod
    def _check_synonyms(cls, synonyms: dict[str, str]) -> dict[str, str]:
        vocabulary(synonyms, ())
        return synonyms

    @field_validator("ban")
    @classmethod
    def _check_bans(cls, ban: list[str], info: ValidationInfo) -> list[str]:
        vocabulary(info.data.get("synonyms", {}), ban)
        return ban

    @field_validator("distinct")
    @classmethod
    def _check_distinct(cls, distinct: list[list[str]], info: ValidationInfo) -> list[list[str]]:
        vocabulary(info.data.get("synonyms", {}), (), distinct=distinct)
        return distinct

    @field_validator(
        "admit", "labels", "move", "together", "apart", "broader", "implies", "descriptions", "translations"
    )
    @classmethod
    def _check_edits(cls, value: Any, info: ValidationInfo) -> Any:
        """Well formed, and in no contradiction to the keys before."""
        edits = [edit for edit, _ in edits_of_section({**info.data, str(info.field_name): value})]
        for conflict in conflicts(edits):
            raise ValueError(conflict.detail)
        return value


def edits_of_section(keys: Mapping[str, Any]) -> Iterator[tuple[Edit, Place]]:
    """The edits of a section, each with the place of its key and, if the key is a table, its own key there."""
    for tag, to in keys.get("synonyms", {}).items():
        yield _edit({"kind": "synonym", "tag": tag, "to": to}), ("synonyms", tag)
    for tag in keys.get("ban", ()):
        yield _edit({"kind": "ban", "tag": tag}), ("ban",)
    for tag in keys.get("admit", ()):
        yield _edit({"kind": "admit", "tag": tag}), ("admit",)
    for tag, text in keys.get("labels", {}).items():
        yield _edit({"kind": "label", "tag": tag, "label": text}), ("labels", tag)
    for tag, to in keys.get("move", {}).items():
        yield _edit({"kind": "move", "tag": tag, "to": to}), ("move", tag)
    yield from _declared_relations(keys)
    for key, kind in LISTS.items():
        for tags in keys.get(key, ()):
            yield _edit({"kind": kind, "tags": tags}), (key,)


def _declared_relations(keys: Mapping[str, Any]) -> Iterator[tuple[Edit, Place]]:
    for key, kind in RELATIONS.items():
        for tag, targets in keys.get(key, {}).items():
            for to in [targets] if isinstance(targets, str) else targets:
                yield _edit({"kind": kind, "tag": tag, "to": to}), (key, tag)
    for tag, text in keys.get("descriptions", {}).items():
        yield _edit({"kind": "describe", "tag": tag, "text": text}), ("descriptions", tag)
    for tag, labels in keys.get("translations", {}).items():
        for language, label in labels.items():
            edit = {"kind": "translate", "tag": tag, "label": label, "language": language}
            yield _edit(edit), ("translations", tag, language)


def _edit(record: dict[str, Any]) -> Edit:
    try:
        return parse_edit(record)
    except ValueError as error:
        said = " = ".join(repr(value) for key, value in record.items() if key != "kind")
        raise ValueError(f"{said}: {error}") from error


def with_lines(
    edits: Iterable[tuple[Edit, Place]], section: Place, lines: Mapping[Place, int], text: str
) -> Iterator[tuple[Edit, int]]:
    """Each edit with the line of the file that declares it."""
    written = text.splitlines()
    ends = sorted({*lines.values(), len(written) + 1})
    for edit, place in edits:
        own = lines.get((*section, *place))
        line = own or lines.get((*section, place[0]))
        if line is None:
            line = lines.get(section, 0)
        elif own is None or place == (place[0],):
            line = _line_of(edit, written, line, next((end for end in ends if end > line), line + 1))
        yield edit, line


def _line_of(edit: Edit, written: list[str], first: int, end: int) -> int:
    """The first line of a value of several lines that has all tags of an edit; or else the first tag; or its key."""
    names = edit.names
    for wanted in (names, names[:1]):
        for number in range(first, end):
            if all(name in written[number - 1] for name in wanted):
                return number
    return first


def cleaned(edit: Edit, clean: Callable[[str], str]) -> dict[str, Any]:
    """The tags of an edit, cleaned as those of the documents."""
    return {
        "tag": clean(edit.tag) if edit.tag else "",
        "to": clean(edit.to) if edit.to else "",
        "tags": tuple(map(clean, edit.tags)),
    }
