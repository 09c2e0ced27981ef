"""The parameters of the paths about documents."""

from typing import Final

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from service.api.parameters.parameters import MOST_TAGS, Integer, Parameters, TagQuery, TimeQuery
from service.questions.documents.documents import Sort
from service.questions.documents.ranking import Match

MOST_SKIPPED: Final = 10_000
"""Pages of documents end here: nobody reads so far, and each page ranks what lies before it."""

LONGEST_ID: Final = 1_000


class DocumentsQuery(TagQuery, TimeQuery):
    """Which documents."""

    group: list[str] = Field(
        default_factory=list,
        max_length=MOST_TAGS,
        description="A tag of a group to open; repeatable. Only documents with at least two of them count, "
        "or with any, if few have two",
        examples=[["credit"]],
    )
    cluster: Integer | None = Field(default=None, ge=0, description="Only documents of this concept", examples=[2])
    match: Match | None = Field(
        default=None,
        description="With all tags, with any of them, or by how near they are, whatever their tags. "
        "Without it, those with all tags come first, then the near ones",
    )
    sort: Sort = Field(
        default="best", description="By how well they fit, or by date: those with all tags, newest first"
    )
    limit: Integer = Field(default=20, ge=1, le=100, description="At most this many documents")
    offset: Integer = Field(default=0, ge=0, le=MOST_SKIPPED, description="Skip this many")


class DocumentQuery(Parameters):
    """Which document."""

    id: str = Field(min_length=1, max_length=LONGEST_ID, description="Id of a document", examples=["credit-card"])
    limit: Integer = Field(default=10, ge=0, le=100, description="At most this many missing tags and similar documents")


class SimilarQuery(TagQuery):
    """Like what: a document, or tags."""

    id: str | None = Field(
        default=None, min_length=1, max_length=LONGEST_ID, description="Id of a document", examples=["credit-card"]
    )
    limit: Integer = Field(default=20, ge=1, le=100, description="At most this many documents")
    offset: Integer = Field(default=0, ge=0, le=MOST_SKIPPED, description="Skip this many")

    @model_validator(mode="after")
    def _either(self) -> "SimilarQuery":
        if (self.id is None) == (not self.tag and not self.q.strip()):
            raise PydanticCustomError("either", "name either the id of a document, or tags (tag or q)")
        return self
