"""The parameters of the paths about time."""

from pydantic import Field

from service.api.parameters.parameters import Integer, Parameters
from service.questions.time.trends import Direction


class TrendsQuery(Parameters):
    """Which window, and what of it."""

    window: str = Field(
        default="7d",
        max_length=10,
        description="The span of time that ends with the day of the newest document: 12h, 7d, 4w, 6m, 1y",
        examples=["7d"],
    )
    direction: Direction = Field(default="rising", description="What rose, or what fell")
    limit: Integer = Field(default=10, ge=1, le=100, description="At most this many tags, and as many concepts")


class FeedQuery(Parameters):
    """The new documents of what."""

    cluster: Integer | None = Field(default=None, ge=0, description="Only documents of this concept", examples=[2])
    tag: list[str] = Field(default_factory=list, max_length=20, description="Only documents with this tag; repeatable")
    limit: Integer = Field(default=20, ge=1, le=100, description="At most this many documents")
