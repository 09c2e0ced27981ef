"""The parameters of every path, each checked, described, and with an example."""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from service.answers import Side
from service.errors import WrongParameters
from service.questions.clouds.defaults import USUAL_GROUPS, USUAL_TAGS
from service.questions.clouds.grouping import Grouped
from service.questions.text.close_spelling import LONGEST_QUERY
from service.questions.text.query import Unknown

MOST_TAGS: Final = 20
MOST_DOCUMENT_TAGS: Final = 200
VERSION: Final = r"^\d{8}T\d{6}\.\d{3}Z$"
JOB: Final = r"^[\w.-]{1,200}$"

P = TypeVar("P", bound="Parameters")

INTEGER: Final = re.compile(r"-?\d{1,18}", re.ASCII)
NUMBER: Final = re.compile(r"-?\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,3})?", re.ASCII)


def _digits(value: object) -> object:
    """Pydantic would also take "+0.0", " 7 " and "1_000", which the description does not call integers."""
    if isinstance(value, str) and not INTEGER.fullmatch(value):
        raise ValueError("Input should be a valid integer")
    return value


def _decimal(value: object) -> object:
    """As JSON writes numbers, for the same reason."""
    if isinstance(value, str) and not NUMBER.fullmatch(value):
        raise ValueError("Input should be a valid number")
    return value


Integer = Annotated[int, BeforeValidator(_digits)]
Decimal = Annotated[float, BeforeValidator(_decimal)]


class Parameters(BaseModel):
    """Query parameters; an unknown name is an error, because it is probably misspelt."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@cache
def repeatable(model: type[Parameters]) -> frozenset[str]:
    """The parameters that may occur several times."""
    return frozenset(name for name, field in model.model_fields.items() if get_origin(field.annotation) is list)


def read(model: type[P], pairs: Iterable[tuple[str, str]]) -> P:
    """Read parameters from the query string; one that may occur once and occurs twice fails as a list."""
    lists = repeatable(model)
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    try:
        return model.model_validate(
            {name: texts if name in lists or len(texts) > 1 else texts[0] for name, texts in values.items()}
        )
    except ValidationError as error:
        raise WrongParameters(faults(error, tuple(model.model_fields))) from error


OTHER_NAMES: Final = {
    "query": "q",
    "search": "q",
    "text": "q",
    "n": "limit",
    "size": "limit",
    "count": "limit",
    "per_page": "limit",
    "start": "offset",
    "skip": "offset",
    "page": "offset",
    "starts_with": "prefix",
    "contains": "infix",
}
"""What other services call these parameters."""


class Nothing(Parameters):
    """No parameters."""


class CorpusPath(BaseModel):
    """Which corpus."""

    corpus: str = Field(description="Name of the corpus", examples=["demo"])


class ClusterPath(CorpusPath):
    """Which cluster of which corpus."""

    cluster: Integer = Field(ge=0, description="Id of a cluster of the chosen cut", examples=[2])


class VersionPath(CorpusPath):
    """Which version of which corpus."""

    version: str = Field(pattern=VERSION, description="A stored version", examples=["20261116T023748.792Z"])


class JobPath(BaseModel):
    """Which job."""

    job: str = Field(pattern=JOB, description="Id of a job", examples=["demo-5f0c1d2e3a4b"])


class TagQuery(Parameters):
    """The tags of a query: free text, or exact tags."""

    q: str = Field(
        default="",
        max_length=LONGEST_QUERY,
        description="Free text as typed in a search box: phrases, inflections and close spellings are recognised",
        examples=["payments"],
    )
    tag: list[str] = Field(
        default_factory=list,
        max_length=MOST_TAGS,
        description="An exact tag; repeatable",
        examples=[["payment"]],
    )
    exclude: list[str] = Field(
        default_factory=list,
        max_length=MOST_TAGS,
        description='A tag to leave out; repeatable. In free text, what follows a hyphen: card -credit -"bank note"',
        examples=[["bank"]],
    )
    unknown: Unknown = Field(
        default="refuse",
        description="Refuse a query with a tag that the corpus does not know (404), or ignore the tag and list it",
    )
    narrower: bool = Field(
        default=False,
        description="A document with a narrower tag counts as having the tag: cat for animal, as editors or names say",
    )


LONGEST_DATE: Final = 40


class TimeQuery(Parameters):
    """A span of time; only documents that have a date in it count."""

    start: str = Field(
        default="",
        alias="from",
        max_length=LONGEST_DATE,
        description="Only documents from this date on: a year, a month, a day or a moment (ISO), or seconds",
        examples=["2026-11"],
    )
    to: str = Field(
        default="",
        max_length=LONGEST_DATE,
        description="Only documents up to this date, which belongs to it as a whole",
    )
    last: str = Field(
        default="",
        max_length=LONGEST_DATE,
        description="Instead of both, a span that ends with the newest document: 12h, 7d, 4w, 6m, 1y",
        examples=["30d"],
    )


class Together(Parameters):
    """Whether to count documents for the tags of an answer."""

    together: bool = Field(
        default=False, description="Also count, for each tag, the documents that have it and all tags of the query"
    )
    narrow: bool = Field(default=False, description="Leave out tags that no document has together with the query")


class RankedQuery(TagQuery, TimeQuery, Together):
    """The tags of a query, and whether popular or specific tags come first."""

    specificity: Decimal = Field(default=0.5, ge=0, le=1, description="From popular (0) to specific (1)")


OLD_NAMES: Final = {
    "clusters": "is called groups: at most so many groups",
    "senses": "is gone: by=query, the default, groups the tags around a query by how they relate to each other",
}


class CloudQuery(RankedQuery):
    """Parameters of a cloud."""

    group: list[str] = Field(
        default_factory=list,
        max_length=MOST_TAGS,
        description="A tag of a group to open; repeatable. Only documents with at least two of them count, "
        "or with any, if few have two",
        examples=[["credit"]],
    )
    limit: Integer = Field(default=USUAL_TAGS, ge=1, le=500, description="At most this many tags")
    groups: Integer = Field(default=USUAL_GROUPS, ge=1, le=100, description="At most this many groups")
    by: Grouped = Field(
        default="query",
        description="Group the tags by how they relate to each other (query), or by the clusters of the snapshot",
    )

    @model_validator(mode="before")
    @classmethod
    def _refuse_old_names(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name, instead in OLD_NAMES.items():
            if name in values:
                raise PydanticCustomError("old_name", "{name}: {instead}", {"name": name, "instead": instead})
        return values


class RelatedQuery(RankedQuery):
    """Parameters of suggestions."""

    limit: Integer = Field(default=20, ge=1, le=100, description="At most this many suggestions")


class TagsQuery(Parameters):
    """Parameters of autocomplete; without any, all tags by falling count."""

    prefix: str = Field(default="", max_length=100, description="How the tag begins", examples=["pay"])
    infix: str = Field(default="", max_length=100, description="What the tag contains", examples=["card"])
    limit: Integer = Field(default=20, ge=1, le=1000, description="At most this many tags")
    offset: Integer = Field(default=0, ge=0, le=10_000_000, description="Skip this many")


class OneTagQuery(Together):
    """Which tag."""

    tag: str = Field(max_length=LONGEST_QUERY, description="An exact tag", examples=["payment"])
    limit: Integer = Field(default=20, ge=0, le=200, description="At most this many neighbours")


class ClustersQuery(Parameters):
    """Which partition."""

    k: Integer | None = Field(default=None, ge=1, description="Exactly this many clusters; the chosen cut without it")
    limit: Integer | None = Field(default=None, ge=1, description="At most this many clusters; all without it")
    offset: Integer = Field(default=0, ge=0, le=10_000_000, description="Skip this many")
    format: Literal["json", "csv"] = Field(
        default="json", description="JSON, or CSV: one line a tag with its count, cluster and label"
    )


class CurveQuery(Parameters):
    """Which curve, and how much of it."""

    side: Side = Field(default="tags", description="The curve of tags or of documents")
    limit: Integer = Field(
        default=400, ge=2, le=20_000, description="At most this many points, the more the smaller k is"
    )


class PictureQuery(Parameters):
    """Which picture."""

    of: Literal["before", "after"] = Field(default="after", description="The matrix before or after smoothing")


class ClassifyQuery(Parameters):
    """The tags of a document."""

    tag: list[str] = Field(
        min_length=1,
        max_length=MOST_DOCUMENT_TAGS,
        description="A tag of the document; repeatable. Those that the corpus does not know are told apart",
        examples=[["payment", "card"]],
    )
    limit: Integer = Field(default=3, ge=1, le=100, description="At most this many clusters")


class DendrogramQuery(Parameters):
    """Which tree, how much of it, and in which format."""

    side: Side = Field(default="tags", description="The tree of tags or of documents")
    k: Integer | None = Field(default=None, ge=1, description="Exactly this many leaves; all without it", examples=[12])
    format: Literal["json", "newick", "linkage", "svg"] = Field(
        default="json", description="Nested JSON, Newick, scipy's linkage as JSON, or a drawing"
    )


class PageQuery(Parameters):
    """One page of a list."""

    limit: Integer = Field(default=20, ge=1, le=100, description="At most this many")
    offset: Integer = Field(default=0, ge=0, le=10_000_000, description="Skip this many")


class JobQuery(Parameters):
    """How to run."""

    fresh: bool = Field(
        default=False, description="Also try a fresh start, and publish it if it keeps more information by fresh_margin"
    )


class DeleteQuery(Parameters):
    """Which documents to remove."""

    id: list[str] = Field(default_factory=list, max_length=1000, description="Id of a document; repeatable")
    all: bool = Field(default=False, description="All documents of the corpus")


def faults(error: ValidationError, known: Collection[str] = ()) -> str:
    """The invalid parameters by name, each with what is wrong; for an unknown one, those that may have been meant."""
    return "; ".join(
        ": ".join(filter(None, (".".join(map(str, fault["loc"])), _fault(dict(fault), known))))
        for fault in error.errors()
    )


def _fault(fault: dict[str, Any], known: Collection[str]) -> str:
    if fault["type"] != "extra_forbidden":
        return str(fault["msg"]).removeprefix("Value error, ")
    names = {name: name for name in known} | {other: name for other, name in OTHER_NAMES.items() if name in known}
    near = get_close_matches(str(fault["loc"][-1]).lower(), names, n=1)
    if near:
        return f"unknown parameter; did you mean {names[near[0]]}?"
    return f"unknown parameter; there are {', '.join(known)}" if known else "unknown parameter; there are none here"
