"""Colours along the tree: concepts that join early get hues that are near."""

from collections.abc import Sequence

CIRCLE = 360
"""Degrees of the circle of hues."""

LEAST_STEP = 0.25
"""How far neighbours are apart that the tree joins first, beside those that it joins last but for 1."""


def hues_along(merges: Sequence[int]) -> list[int]:
    """The hues of some concepts in the order of a tree, in degrees; `merges` are those between each and the next.

    The later two neighbours join, the further their hues are apart; the last and the first, which only the circle
    makes neighbours, are as far apart as those that join last.

    Args:
        merges: The number of the merge that joins each concept with the next one.

    Returns:
        The hue of each concept, one more than there are merges.

    >>> hues_along([0, 2, 1])
    [0, 52, 165, 247]
    """
    late = {merge: rank for rank, merge in enumerate(sorted(set(merges)), start=1)}
    steps = [LEAST_STEP + late[merge] / len(late) for merge in merges]
    turn = CIRCLE / (sum(steps) + LEAST_STEP + 1)
    hues, at = [0], 0.0
    for step in steps:
        at += step * turn
        hues.append(int(at))
    return hues


def kept_hues(hues: Sequence[int], merges: Sequence[int], before: Sequence[int | None]) -> list[int]:
    """The hues of concepts of which some had one `before`, which they keep.

    A new concept is as far from the older one that the tree joins it with first as it would be if all were new.

    Args:
        hues: The hue that each concept would have if all were new.
        merges: The number of the merge that joins each concept with the next one.
        before: The hue that each concept had, None for a new one.

    Returns:
        The hue of each concept.

    >>> kept_hues([0, 52, 165, 247], [0, 2, 1], [10, None, 200, 280])
    [10, 62, 200, 280]
    """
    kept = [place for place, hue in enumerate(before) if hue is not None]
    if not kept:
        return list(hues)
    found = []
    for place, hue in enumerate(hues):
        nearest = min(kept, key=lambda other: max(merges[min(place, other) : max(place, other)], default=-1))
        known = before[place] if place in kept else None
        anchor = before[nearest]
        found.append(known if known is not None else ((anchor or 0) + hue - hues[nearest]) % CIRCLE)
    return found
