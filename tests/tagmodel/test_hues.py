"""Colours along the tree."""

import random

from tagmodel import hues_along, kept_hues
from tagmodel.hues import CIRCLE


def apart(one, other):
    """Degrees between two hues, the short way round."""
    far = abs(one - other) % CIRCLE
    return min(far, CIRCLE - far)


def test_neighbours_that_the_tree_joins_early_have_nearer_hues_than_those_it_joins_late():
    random.seed(1)
    for size in (2, 3, 10, 60):
        merges = list(range(size - 1))
        random.shuffle(merges)
        hues = hues_along(merges)
        assert len(hues) == size
        assert all(0 <= hue < CIRCLE for hue in hues)
        assert hues == sorted(hues)
        steps = {merge: hues[place + 1] - hues[place] for place, merge in enumerate(merges)}
        assert steps[max(merges)] >= steps[min(merges)]
        assert apart(hues[0], hues[-1]) >= max(steps.values()) - 1


def test_one_concept_or_none_at_one_place_has_a_hue():
    assert hues_along([]) == [0]
    assert hues_along([-1]) == [0, 180]


def test_concepts_keep_their_hues_and_a_new_one_comes_near_its_neighbour():
    merges = [0, 9, 1, 8, 2]
    hues = hues_along(merges)
    before = [hue + 30 for hue in hues]
    assert kept_hues(hues, merges, before) == before
    assert kept_hues(hues, merges, [None] * 6) == hues
    for new in range(6):
        known = [None if place == new else hue for place, hue in enumerate(before)]
        found = kept_hues(hues, merges, known)
        assert [hue for place, hue in enumerate(found) if place != new] == [hue for hue in known if hue is not None]
        assert found[new] == before[new] % CIRCLE
