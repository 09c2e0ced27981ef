"""The state of the page of a document."""

from dataclasses import dataclass
from typing import ClassVar

from service.api.parameters.documents import LONGEST_ID, MOST_SKIPPED
from service.pages.frame.params import State, integer, text


@dataclass(frozen=True)
class DocumentParams(State):
    """Which document; without an id, a page of all of them, which begins at `offset`."""

    PATH: ClassVar[str] = "/document"

    id: str = text("id", LONGEST_ID)
    offset: int = integer("offset", 0, 0, MOST_SKIPPED)
