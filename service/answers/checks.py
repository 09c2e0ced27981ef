"""Answers about tags that others bring: names to check, and facets to group."""

from dataclasses import dataclass

from typing_extensions import TypedDict  # pydantic describes that of typing only from Python 3.12 on

from service.answers.questions import ClusterShare
from service.view.names import How


class CanonicalTag(TypedDict):
    """A name that was given (`input`), the tag that it stands for, and how it was recognised."""

    input: str
    tag: str
    how: How
    count: int


class UnknownTag(TypedDict):
    """A name that stands for no tag, and tags that are spelled like it."""

    input: str
    unknown: bool
    suggestions: list[str]


class MissingTag(TypedDict):
    """A tag worth adding to those that were recognised."""

    tag: str
    score: float
    count: int
    cluster: int | None


@dataclass(frozen=True)
class CanonicalAnswer:
    """What names stand for, in the order of the request; the tags `missing` beside them, and which are `banned`."""

    corpus: str
    version: str
    revision: int
    tags: list[CanonicalTag | UnknownTag]
    missing: list[MissingTag]
    banned: list[str]


class FacetTag(TypedDict):
    """A tag with the count of the other engine, and the values of its facet that stand for the tag."""

    tag: str
    values: list[str]
    weight: float
    count: int
    cluster: int | None
    broad: bool


class FacetGroup(TypedDict):
    """Tags that belong together, as in a cloud."""

    key: str
    label: str
    edited: bool
    common: bool
    also: bool
    relevance: float
    weight: float
    hue: int | None
    clusters: list[ClusterShare]
    tags: list[FacetTag]


class UnknownValue(TypedDict):
    """A value that stands for no tag, and its count."""

    value: str
    count: int


@dataclass(frozen=True)
class GroupAnswer:
    """The values of a facet as a grouped cloud, heaviest group and tag first; `unknown` values by falling count."""

    corpus: str
    version: str
    revision: int
    facet: str
    groups: list[FacetGroup]
    unknown: list[UnknownValue]
