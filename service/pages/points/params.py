"""The state of the map."""

from dataclasses import dataclass
from typing import ClassVar, Final

from service.pages.frame.params import State, text
from service.questions.text.close_spelling import LONGEST_QUERY
from snapshot import MapRegion

LONGEST_VIEW: Final = 60
LARGEST_ZOOM: Final = 60.0
IN_VIEW: Final = 0.35
"""The share of the window that the radius of a disc takes when the map goes to it."""


@dataclass(frozen=True)
class PointsParams(State):
    """The part of the map that is in view, as the script writes it, and the words that light it up."""

    PATH: ClassVar[str] = "/map"

    at: str = text("at", LONGEST_VIEW)
    """Middle and zoom: x,y,z."""

    q: str = text("q", LONGEST_QUERY)


def around(corpus: str, disc: MapRegion) -> str:
    """The address of the map with a disc in the middle, as large as fits."""
    zoom = min(IN_VIEW / max(disc.radius, IN_VIEW / LARGEST_ZOOM), LARGEST_ZOOM)
    return PointsParams(corpus, at=f"{disc.x:.4f},{disc.y:.4f},{zoom:.2f}").link()
