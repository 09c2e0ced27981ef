"""How a source is declared: a path, or a table that names files, a database, or pushed documents."""

import re
from pathlib import PurePath
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from worker.sources.document import Shape

Format = Literal["jsonl", "csv", "tsv"]
Layout = Literal["list", "pairs"]
Filled = Annotated[str, Field(min_length=1)]
Column = Filled | Annotated[int, Field(ge=1, strict=True)]

SUFFIXES: Final[dict[str, Format]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
}


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class FileSource(_Table):
    """A file, or all files that a glob matches."""

    files: Filled
    format: Format | None = None
    layout: Layout = "list"
    id: Column | None = None
    tags: Column | None = None
    label: Column | None = None
    separator: Filled | None = None
    header: bool = True

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.format is None and format_of(self.files) is None:
            raise ValueError(f"the name {self.files!r} does not tell the format; declare format as jsonl, csv or tsv")
        if not self.header and self.kind == "jsonl":
            raise ValueError("header belongs to csv and tsv")
        if self.separator is not None and self.layout == "pairs":
            raise ValueError('separator belongs to layout = "list"')
        wanted, described = (str, "a name") if self.header else (int, "a column number, as there is no header")
        for key in ("id", "tags", "label"):
            if not isinstance(getattr(self, key), wanted | None):
                raise ValueError(f"{key} must be {described}")  # noqa: TRY004 - pydantic expects ValueError
        return self

    @property
    def kind(self) -> Format:
        """The format as declared, or as the name tells."""
        return self.format or format_of(self.files) or "jsonl"

    @property
    def shape(self) -> Shape:
        """How a line makes a document."""
        return Shape(self.layout == "pairs", self.separator)


class SqlSource(_Table):
    """A query that gives documents and tags."""

    sql: Filled = Field(repr=False)
    query: Filled
    layout: Layout = "pairs"
    separator: Filled | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.separator is not None and self.layout == "pairs":
            raise ValueError('separator belongs to layout = "list"')
        return self

    @property
    def shape(self) -> Shape:
        """How a row makes a document."""
        return Shape(self.layout == "pairs", self.separator)


class PushedSource(_Table):
    """Documents pushed over HTTP."""

    pushed: Literal[True]

    @property
    def shape(self) -> Shape:
        """Each document has its list of tags."""
        return Shape(pairs=False)


def _kind(value: Any) -> str | None:
    if isinstance(value, str):
        return "path"
    if isinstance(value, BaseModel):
        value = value.model_dump()
    found = [kind for kind in ("files", "sql", "pushed") if isinstance(value, dict) and kind in value]
    return found[0] if len(found) == 1 else None


Source = Annotated[
    Annotated[Filled, Tag("path")]
    | Annotated[FileSource, Tag("files")]
    | Annotated[SqlSource, Tag("sql")]
    | Annotated[PushedSource, Tag("pushed")],
    Discriminator(
        _kind,
        custom_error_type="source",
        custom_error_message="a source is a path, or a table with exactly one of files, sql and pushed",
    ),
]


def format_of(name: str) -> Format | None:
    """The format that a file name tells, compressed or not."""
    return SUFFIXES.get(PurePath(re.sub(r"\.(gz|zst)$", "", name)).suffix)
