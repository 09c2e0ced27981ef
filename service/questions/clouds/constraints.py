"""What editors decided about the tags of one cloud: which share a group, and which never do."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snapshot.edits import EditedPartition
from tagmodel.company import Cosines

Labels = NDArray[np.intp]


@dataclass(frozen=True)
class Constraints:
    """Candidates of a cloud by their places.

    Attributes:
        together: places that must share a group.
        apart: for each place, those that must not share its group.
        most: how many groups there may be.
    """

    together: tuple[tuple[int, ...], ...]
    apart: dict[int, frozenset[int]]
    most: int

    def apply(self, cosines: Cosines, labels: Labels) -> Labels:
        """The groups with as few changes as the constraints need, themselves if they need none.

        A block goes where most of it is. Of two candidates that must be apart, the better one stays and the other goes
        to the group that it fits best. Only if it may be in none of them, and there may be another, it gets a new one.
        A group may be empty afterwards.
        """
        group_of: list[int] = labels.tolist()
        if self._hold(group_of):
            return labels
        unit_of: dict[int, tuple[int, ...]] = {}
        for block in self.together:
            unit_of.update(dict.fromkeys(block, block))
            self._assign(group_of, block, Counter(group_of[place] for place in block).most_common(1)[0][0])
        units = dict.fromkeys(unit_of.get(place, (place,)) for place in self.apart)
        settled: defaultdict[int, set[int]] = defaultdict(set)
        for unit in sorted(units, key=lambda each: (-len(each), each[0])):
            foes = {foe for place in unit for foe in self.apart.get(place, ())}
            taken = {group for group, places in settled.items() if not places.isdisjoint(foes)}
            group = group_of[unit[0]]
            if group in taken:
                group = self._other_group(cosines, group_of, unit, taken)
                self._assign(group_of, unit, group)
            settled[group].update(unit)
        return np.array(group_of, dtype=np.intp)

    def _hold(self, group_of: list[int]) -> bool:
        """Whether the groups obey the constraints already."""
        return all(len({group_of[place] for place in block}) == 1 for block in self.together) and all(
            group_of[place] != group_of[foe] for place, foes in self.apart.items() for foe in foes
        )

    def _other_group(self, cosines: Cosines, group_of: list[int], unit: tuple[int, ...], taken: set[int]) -> int:
        """The group that a unit fits best of those that are not taken; its own if it has no choice."""
        groups = set(group_of)
        free = groups - taken
        if not free:
            return max(groups) + 1 if len(groups) < self.most else group_of[unit[0]]
        towards = cosines[unit[0]] if len(unit) == 1 else cosines[list(unit)].mean(axis=0)
        sums, sizes = np.bincount(group_of, towards), np.bincount(group_of)
        return max(sorted(free), key=lambda group: sums[group] / sizes[group])

    @staticmethod
    def _assign(group_of: list[int], places: Iterable[int], group: int) -> None:
        for place in places:
            group_of[place] = group


def constraints_on(edited: EditedPartition, tags: Sequence[int], most: int) -> Constraints | None:
    """The constraints on the tags of a cloud; None if there are none."""
    if not edited.blocks and not edited.apart:
        return None
    place_of = {tag: place for place, tag in enumerate(tags)}
    blocks: defaultdict[int, list[int]] = defaultdict(list)
    apart: dict[int, frozenset[int]] = {}
    for place, tag in enumerate(tags):
        if tag in edited.blocks:
            blocks[edited.blocks[tag]].append(place)
        if tag in edited.apart:
            foes = _places(place_of, edited.apart[tag])
            if foes:
                apart[place] = foes
    together = tuple(tuple(places) for places in blocks.values() if len(places) > 1)
    return Constraints(together, apart, most) if together or apart else None


def _places(place_of: dict[int, int], tags: Iterable[int]) -> frozenset[int]:
    return frozenset(place_of[tag] for tag in tags if tag in place_of)
