"""The map of all documents: the frame of the drawing, and the same as a list of concepts, region by region."""

from dataclasses import dataclass
from typing import ClassVar

from service.pages.concept.params import ConceptParams
from service.pages.map.map import MapParams, Region, concept_map
from service.pages.points.params import PointsParams
from service.view.view import View
from snapshot import MapRegion


@dataclass(frozen=True)
class PointsPage:
    """The content of the page."""

    TEMPLATE: ClassVar = "points.html"
    status: ClassVar = 200

    view: View
    state: PointsParams
    parts: list[Region]
    """The largest branches of the tree, with their concepts."""

    discs: dict[int, MapRegion]
    """Where concepts lie; empty in versions older than the map, and where documents are left out."""

    def concept(self, number: int) -> str:
        """The address of a concept."""
        return ConceptParams(self.state.corpus, number).link()


def points_page(view: View, state: PointsParams) -> PointsPage:
    """The map."""
    discs: dict[int, MapRegion] = {}
    if len(view.snapshot.regions) == len(view.snapshot.clusters) and view.has_documents:
        places = zip(view.snapshot.clusters, view.snapshot.regions, strict=True)
        discs = {each.id: region for each, region in places if each.id in view.clusters}
    return PointsPage(view, state, concept_map(view, MapParams(state.corpus)).regions, discs)
