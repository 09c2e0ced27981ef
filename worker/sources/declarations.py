"""Declarations of sources: a path, or a table for files, a database, or pushed documents."""

import re
from typing import Annotated, Any, Final, Literal, Self, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from snapshot.version.documents.cards import MOST_FIELDS, check_base_url
from worker.sources.card_fields import CardFields
from worker.sources.document import Fields, RowParser
from worker.sources.formats.registry import FORMATS, format_of, known_format
from worker.sources.formats.streams.encodings import known_encoding


def _check_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from error
    return text


Format = Annotated[str, AfterValidator(known_format)]
Layout = Literal["list", "pairs", "columns"]
PairLayout = Literal["list", "pairs"]
Filled = Annotated[str, Field(min_length=1)]
Pattern = Annotated[Filled, AfterValidator(_check_pattern)]
Column = Filled | Annotated[int, Field(ge=1, strict=True)]
CardColumn = Literal[False] | Column
"""The place of a value that every document may have; false if the documents have none."""

BaseUrl = Annotated[str, AfterValidator(check_base_url)]
Names = Annotated[tuple[Filled, ...], Field(max_length=MOST_FIELDS)]
Places = Annotated[dict[Filled, Column], Field(max_length=MOST_FIELDS)]

COLUMNS: Final = ("id", "tags", "label", "title", "url", "image", "text")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class _CardTable(_Table):
    """A table that says where cards are."""

    title: CardColumn | None = None
    url: CardColumn | None = None
    image: CardColumn | None = None
    text: CardColumn | None = None
    fields: Names | Places = ()
    base_url: BaseUrl | None = None

    @property
    def card_fields(self) -> CardFields:
        """The places of the values of a card. A list of fields means that each is found by the name people see."""
        places = self.fields if isinstance(self.fields, dict) else {name: name for name in self.fields}
        return CardFields(self.title, self.url, self.image, places, self.base_url, self.text)


class FileSource(_CardTable):
    """A file, or all files that a glob matches."""

    files: Filled
    format: Format | None = None
    layout: Layout = "list"
    id: Column | None = None
    tags: Column | Annotated[tuple[Column, ...], Field(min_length=1)] | None = None
    label: Column | None = None
    separator: Filled | None = None
    pattern: Pattern | None = None
    header: bool = True
    delimiter: Annotated[str, Field(min_length=1, max_length=3)] | None = None
    encoding: Annotated[str, AfterValidator(known_encoding)] | None = None
    records: Filled | None = None
    inline: bool = False
    weights: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.format is None and format_of(self.files) is None:
            raise ValueError(f"the name {self.files!r} does not tell the format; declare format: {', '.join(FORMATS)}")
        if not self.header and not FORMATS[self.kind].has_header:
            raise ValueError(f"header belongs to {', '.join(kind for kind in FORMATS if FORMATS[kind].has_header)}")
        if self.delimiter is not None and not FORMATS[self.kind].has_header:
            raise ValueError(f"delimiter belongs to {', '.join(kind for kind in FORMATS if FORMATS[kind].has_header)}")
        check_list_keys(self)
        self._check_places()
        column_type, description = (str, "a name") if self.header else (int, "a column number, as there is no header")
        places = {key: getattr(self, key) for key in COLUMNS}
        places |= {f"fields.{name}": place for name, place in self.card_fields.fields.items()}
        for key, place in places.items():
            for each in place if isinstance(place, tuple) else (place,):
                if each is not False and not isinstance(each, column_type | None):
                    raise ValueError(f"{key} must be {description}")
        return self

    def _check_places(self) -> None:
        """ValueError if a key belongs to another layout or format."""
        if self.layout == "columns" and not isinstance(self.tags, tuple):
            raise ValueError('layout = "columns" needs tags: the list of the columns')
        if self.layout == "pairs" and isinstance(self.tags, tuple):
            raise ValueError('several columns of tags belong to layout = "list"')
        if self.inline and self.kind != "markdown":
            raise ValueError("inline belongs to markdown")
        if self.records is not None and self.kind not in {"json", "jsonl", "spreadsheet"}:
            raise ValueError("records belongs to json, jsonl, spreadsheet")

    @property
    def kind(self) -> str:
        """The declared format, or that of the file name; validation ensures one of the two."""
        return cast("str", self.format or format_of(self.files))

    @property
    def parser(self) -> RowParser:
        """The parser of a line."""
        return row_parser(self)

    def places(self, *, cards: bool) -> Fields:
        """Where the values of a document are, and their parser."""
        card = self.card_fields if cards else None
        return Fields(
            self.parser,
            self.id,
            self.tags,
            self.label,
            self.header,
            card,
            self.delimiter,
            self.encoding,
            self.records,
            self.inline,
        )


class SqlSource(_CardTable):
    """A query that gives documents and tags."""

    sql: Filled = Field(repr=False)
    query: Filled
    layout: PairLayout = "pairs"
    separator: Filled | None = None
    pattern: Pattern | None = None
    label: Filled | None = None
    weights: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_list_keys(self)
        if not all(isinstance(place, str) for place in self.card_fields.declared):
            raise ValueError("columns of a query are declared by name")
        return self

    @property
    def parser(self) -> RowParser:
        """The parser of a row."""
        return row_parser(self)


def check_list_keys(source: FileSource | SqlSource) -> None:
    """ValueError if keys that find several tags in a value are declared where there is one, or both are."""
    for key in ("separator", "pattern"):
        if getattr(source, key) is not None and source.layout != "list":
            raise ValueError(f'{key} belongs to layout = "list"')
    if source.separator is not None and source.pattern is not None:
        raise ValueError("separator and pattern exclude each other")


def row_parser(source: FileSource | SqlSource) -> RowParser:
    """The parser of a line or row."""
    pattern = None if source.pattern is None else re.compile(source.pattern)
    several = source.layout == "list" and isinstance(getattr(source, "tags", None), tuple)
    return RowParser(source.layout == "pairs", source.separator, pattern, several, source.weights)


class PushedSource(_Table):
    """Documents pushed over HTTP."""

    pushed: Literal[True]
    base_url: BaseUrl | None = None

    @property
    def parser(self) -> RowParser:
        """The parser of a document, which has a list of tags."""
        return RowParser(pairs=False)


def _source_kind(value: Any) -> str | None:
    if isinstance(value, str):
        return "path"
    if isinstance(value, BaseModel):
        value = value.model_dump()
    kinds = [kind for kind in ("files", "sql", "pushed") if isinstance(value, dict) and kind in value]
    return kinds[0] if len(kinds) == 1 else None


Source = Annotated[
    Annotated[Filled, Tag("path")]
    | Annotated[FileSource, Tag("files")]
    | Annotated[SqlSource, Tag("sql")]
    | Annotated[PushedSource, Tag("pushed")],
    Discriminator(
        _source_kind,
        custom_error_type="source",
        custom_error_message="a source is a path, or a table with exactly one of files, sql and pushed",
    ),
]
