"""The parameters of the paths about names of tags: aliases, proposals, and the facets of other engines."""

from pydantic import Field

from service.api.parameters.parameters import Integer, Parameters
from service.questions.clouds.defaults import USUAL_GROUPS
from service.questions.clouds.grouping import Grouped
from service.questions.vocabulary.skos import SkosFormat
from snapshot import ProposalKind


class AliasesQuery(Parameters):
    """One page of the aliases."""

    limit: Integer = Field(default=100, ge=1, le=1000, description="At most this many aliases")
    offset: Integer = Field(default=0, ge=0, le=10_000_000, description="Skip this many")


class ProposalsQuery(Parameters):
    """One page of the proposals."""

    kind: ProposalKind | None = Field(
        default=None, description="Only this kind; without it, all kinds that are right often enough"
    )
    limit: Integer = Field(default=100, ge=1, le=1000, description="At most this many proposals")
    offset: Integer = Field(default=0, ge=0, le=10_000_000, description="Skip this many")


class GroupQuery(Parameters):
    """Which facet to group, and how."""

    facet: str = Field(
        default="", max_length=200, description="The facet, if the body has several", examples=["genres"]
    )
    groups: Integer = Field(default=USUAL_GROUPS, ge=1, le=100, description="At most this many groups")
    by: Grouped = Field(default="query", description="As for clouds")


class SkosQuery(Parameters):
    """In which form, and under which addresses."""

    format: SkosFormat | None = Field(
        default=None, description="Turtle or JSON-LD. Without it, the Accept header decides; Turtle if that is silent"
    )
    base: str = Field(
        default="",
        max_length=500,
        pattern=r"^(|urn:[A-Za-z0-9][A-Za-z0-9-]*:[!#-;=?-\[\]_a-z~]+|https?://[!#-;=?-\[\]_a-z~]+)$",
        description="What the addresses of tags and clusters begin with; urn:cotag:NAME without it",
        examples=["https://tags.example/recipes"],
    )
