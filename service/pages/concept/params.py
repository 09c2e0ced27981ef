"""The state of the page of a concept."""

from dataclasses import dataclass
from typing import ClassVar

from service.pages.frame.params import State, index


@dataclass(frozen=True)
class ConceptParams(State):
    """Which concept; without an id, all of them."""

    PATH: ClassVar[str] = "/concept"

    id: int | None = index("id")
    rare: int | None = index("rare")
    """Where the page of its rare tags begins; None: they are folded."""
