"""The cuts of the dendrogram of tags that the page offers, each with the information lost and the criterion."""

from dataclasses import dataclass
from typing import Final

from service.questions.clusters.curve import curve, lost
from service.view.view import View

OFFERED: Final = 300
"""The page offers at most this many cuts: all small k, then steps of a few per cent."""


@dataclass(frozen=True)
class Cut:
    """A cut into k groups at a height in bits; entropy, information and criterion as shares of their largest value."""

    k: int
    height: float
    lost: float
    """Share of the information that merging the tags into k groups has lost."""

    entropy: float
    information: float
    criterion: float


def cuts(view: View) -> list[Cut]:
    """The cuts on offer, by rising k; the chosen one is among them."""
    points = curve(view, "tags", OFFERED)
    best, most, widest = (max(values) or 1.0 for values in (points.criterion, points.information, points.entropy))
    start = float(view.snapshot.quality.get("information_bits", 0.0)) or lost(view, 1) or 1.0
    return [
        Cut(
            k, cut_height(view, k), min(lost(view, k) / start, 1.0), entropy / widest, information / most, height / best
        )
        for k, entropy, information, height in zip(
            points.k, points.entropy, points.information, points.criterion, strict=True
        )
    ]


def nearest(offered: list[Cut], k: int) -> Cut:
    """The cut on offer that is nearest to k."""
    return min(offered, key=lambda cut: abs(cut.k - k))


def cut_height(view: View, k: int) -> float:
    """The height of the cut line: halfway between the last merge below the cut and the first above it."""
    return lost(view, 1) * 1.02 if k == 1 else (lost(view, k) + lost(view, k - 1)) / 2
