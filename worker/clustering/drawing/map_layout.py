"""Where documents lie on the map: every concept is a disc, placed by the tree; its documents lie inside it.

The place of a concept is inherited through its lasting id. That of a document in its concept depends on the document
alone: its id, its tags there, and its shares of other concepts, towards which it leans. So points stay where they were
for as long as their concepts do, without knowing where each of them was.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from snapshot import MapRegion
from tagmodel import Dendrogram, Partition, hues_along, kept_hues
from tagmodel.partition import cluster_order

FILLED: Final = 0.55
"""The share of the map that the discs cover together."""

ROUNDS: Final = 300
"""Steps in which discs that overlap move apart; a few hundred discs take milliseconds a step."""

SETTLED: Final = 0.01
"""How readily the disc of an older concept moves, beside that of a new one."""

KEPT: Final = 0.3
"""A disc keeps its radius until it is wrong by more than this share of it."""

CORE: Final = 0.72
"""The share of the radius within which documents of one concept alone lie; mixed ones lean outwards from there."""

STEPS: Final = 65535
"""Places are stored in 16 bits."""

Floats = NDArray[np.float64]


def map_regions(
    tree: Dendrogram, partition: Partition, documents: Sequence[int], previous: Mapping[int, MapRegion]
) -> tuple[MapRegion, ...]:
    """The disc of each concept, in the order of the ids; `documents` counts those of each, `previous` is by id."""
    weights = np.maximum(np.asarray(documents, dtype=np.float64), 1.0)
    radii = np.sqrt(FILLED * weights / weights.sum() / np.pi)
    order, gaps = cluster_order(tree, partition)
    centres = np.empty((len(radii), 2))
    _divide(order, gaps, weights, centres, (0.0, 0.0, 1.0, 1.0))
    readiness = np.ones(len(radii))
    known = [place for place, each in enumerate(partition.ids) if each in previous]
    for place in known:
        before = previous[partition.ids[place]]
        readiness[place] = SETTLED
        centres[place] = before.x, before.y
        if abs(before.radius - radii[place]) <= KEPT * before.radius:
            radii[place] = before.radius
    if known:
        _beside_neighbours(order, gaps, centres, set(known))
    moved = apart(centres, radii, readiness)
    return tuple(
        MapRegion(round(float(x), 5), round(float(y), 5), round(float(radius), 5))
        for (x, y), radius in zip(moved, radii, strict=True)
    )


def concept_hues(tree: Dendrogram, partition: Partition, previous: Mapping[int, int]) -> tuple[int, ...]:
    """The colour of each concept, in the order of the ids, in degrees; `previous` has those of older concepts by id."""
    order, gaps = cluster_order(tree, partition)
    before = [previous.get(partition.ids[concept]) for concept in order]
    hues = kept_hues(hues_along(gaps), gaps, before)
    return tuple(hue for _, hue in sorted(zip(order, hues, strict=True)))


def _divide(
    order: list[int], gaps: list[int], weights: Floats, centres: Floats, on: tuple[float, float, float, float]
) -> None:
    """Divide a rectangle (x, y, width, height) as the tree divides; each concept gets the middle of its part."""
    parts = [(0, len(order), on)]
    while parts:
        first, end, (x, y, wide, high) = parts.pop()
        if end - first == 1:
            centres[order[first]] = x + wide / 2, y + high / 2
            continue
        at = 1 + max(range(first, end - 1), key=gaps.__getitem__)
        share = float(weights[order[first:at]].sum() / weights[order[first:end]].sum())
        if wide >= high:
            parts += [
                (first, at, (x, y, wide * share, high)),
                (at, end, (x + wide * share, y, wide * (1 - share), high)),
            ]
        else:
            parts += [
                (first, at, (x, y, wide, high * share)),
                (at, end, (x, y + high * share, wide, high * (1 - share))),
            ]


def _beside_neighbours(order: list[int], gaps: list[int], centres: Floats, known: set[int]) -> None:
    """Put each new concept beside the older one that the tree joins it with first."""
    settled = [place for place, concept in enumerate(order) if concept in known]
    for place, concept in enumerate(order):
        if concept not in known:
            joined = [max(gaps[min(place, other) : max(place, other)]) for other in settled]
            nearest = order[settled[int(np.argmin(joined))]]
            turn = 2.399963 * place  # the golden angle: several beside one neighbour spread around it
            centres[concept] = centres[nearest] + 1e-3 * np.array([np.cos(turn), np.sin(turn)])


def apart(centres: Floats, radii: Floats, readiness: Floats) -> Floats:
    """Move discs until hardly any overlap, inside the unit square; the less ready one of two moves less."""
    moved = centres.copy()
    share = readiness[:, None] / (readiness[:, None] + readiness[None, :])
    for _ in range(ROUNDS):
        between = moved[:, None, :] - moved[None, :, :]
        distance = np.hypot(between[..., 0], between[..., 1])
        overlap = radii[:, None] + radii[None, :] - distance
        np.fill_diagonal(overlap, 0.0)
        overlap[overlap < 0] = 0.0
        if overlap.max(initial=0.0) < 1e-3:
            break
        push = 0.5 * overlap * share / np.maximum(distance, 1e-9)
        moved += (push[..., None] * between).sum(axis=1)
        margin = radii[:, None]
        moved = np.clip(moved, np.minimum(margin, 0.5), np.maximum(1.0 - margin, 0.5))
    return moved


def map_places(
    ids: Sequence[bytes],
    matrix: "csr_array[np.float64, tuple[int, int]]",
    keys: Sequence[str],
    *,
    tag_concepts: NDArray[np.int64],
    concepts: NDArray[np.int64],
    regions: Sequence[MapRegion],
) -> NDArray[np.uint16]:
    """The place of every document, x and y in 65,535ths of the width.

    `tag_concepts` and `concepts` are positions of concepts, their number for none; documents without a concept lie in a
    corner, because the map has no region for them.
    """
    count = len(regions)
    discs = np.array([(each.x, each.y, each.radius) for each in regions] + [(0.0, 0.0, 0.0)])
    chance = np.array([(crc32(each), crc32(each, 1)) for each in ids], dtype=np.float64).reshape(-1, 2) / 2**32
    angle = 2 * np.pi * (_tag_turns(matrix, keys, tag_concepts, concepts) + 0.12 * chance[:, 0])
    core = CORE * np.sqrt(chance[:, 1])[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return _stored(discs, concepts, core, _leaning(matrix, tag_concepts, concepts, discs, count))


def _stored(discs: Floats, concepts: NDArray[np.int64], core: Floats, leaning: Floats) -> NDArray[np.uint16]:
    places = discs[concepts, :2] + discs[concepts, 2:] * (core + leaning)
    stored: NDArray[np.uint16] = np.rint(np.clip(places, 0.0, 1.0) * STEPS).astype(np.uint16)
    return stored


def _tag_turns(
    matrix: "csr_array[np.float64, tuple[int, int]]",
    keys: Sequence[str],
    tag_concepts: NDArray[np.int64],
    concepts: NDArray[np.int64],
) -> Floats:
    """For every document a part of a turn by one of its tags inside its concept, the first in an order by chance.

    Two documents have the same first tag as often as they share tags (MinHash), so like documents lie together, and
    no count changes it.
    """
    order = np.argsort([crc32(key.encode()) for key in keys], kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    inside = tag_concepts[matrix.indices] == concepts[rows]
    first = np.full(matrix.shape[0], len(order), dtype=np.int64)
    np.minimum.at(first, rows[inside], rank[matrix.indices[inside]])
    turns = np.array([*(crc32(keys[tag].encode(), 1) for tag in order), 0], dtype=np.float64) / 2**32
    found: Floats = turns[first]
    return found


def _leaning(
    matrix: "csr_array[np.float64, tuple[int, int]]",
    tag_concepts: NDArray[np.int64],
    concepts: NDArray[np.int64],
    discs: Floats,
    count: int,
) -> Floats:
    """How far every document leans towards the other concepts of its tags, in radii of its own disc."""
    member = csr_array(
        (np.ones(len(tag_concepts)), (np.arange(len(tag_concepts)), tag_concepts)),
        shape=(len(tag_concepts), count + 1),
    )
    shares = csr_array(matrix @ member)
    rows = np.repeat(np.arange(shares.shape[0]), np.diff(shares.indptr))
    other = (shares.indices != concepts[rows]) & (shares.indices < count) & (concepts[rows] < count)
    rows, others, values = rows[other], shares.indices[other], shares.data[other]
    sizes = np.maximum(np.asarray(matrix.sum(axis=1)).ravel(), 1.0)
    pulls = (values / sizes[rows])[:, None] * (discs[others, :2] - discs[concepts[rows], :2])
    total = np.stack([np.bincount(rows, pulls[:, axis], minlength=len(concepts)) for axis in (0, 1)], axis=1)
    mixed = np.bincount(rows, values, minlength=len(concepts)) / sizes
    length = np.maximum(np.hypot(total[:, 0], total[:, 1]), 1e-12)[:, None]
    found: Floats = (1 - CORE) * np.minimum(2 * mixed, 1.0)[:, None] * total / length
    return found
