"""The criterion curve, thinned out for drawing."""

import numpy as np

from service.answers import CurveAnswer, Side
from service.view.view import View


def curve(view: View, side: Side, limit: int) -> CurveAnswer:
    """The criterion by k, thinned out evenly on a logarithmic scale; the chosen k is always there.  math.md (10)"""
    snapshot = view.snapshot
    points = snapshot.tag_curve if side == "tags" else snapshot.document_curve
    chosen = len(snapshot.clusters) if side == "tags" else int(snapshot.quality["document_clusters"])
    rows = _rows(points.k.tolist(), limit, chosen)
    return CurveAnswer(
        corpus=snapshot.corpus,
        version=snapshot.version,
        revision=view.revision,
        side=side,
        chosen=chosen,
        k=points.k[rows].tolist(),
        entropy=np.round(points.entropy[rows], 6).tolist(),
        information=np.round(points.information[rows], 6).tolist(),
        criterion=np.round(points.criterion[rows], 6).tolist(),
        height=[lost(view, k) for k in points.k[rows].tolist()] if side == "tags" else None,
    )


def lost(view: View, k: int) -> float:
    """Bits that merging the tags into k clusters loses: the height of the last merge done.  math.md (11)"""
    return round(view.tree.lost(k), 6)


def _rows(k: list[int], limit: int, chosen: int | None) -> list[int]:
    if len(k) <= limit:
        return list(range(len(k)))
    spaced = np.geomspace(1, len(k), max(limit - 1, 2)).round().astype(np.int64) - 1
    return sorted({*spaced.tolist(), *([k.index(chosen)] if chosen in k else [])})
