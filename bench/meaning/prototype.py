"""Clouds grouped around the query by `bench.meaning.grouping`, in the place of the API."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np

from bench.meaning.api import SETS, SHOWN, Cloud, Group
from bench.meaning.grouping import Company, Grouping, company, group
from service.ranking import Ranking, popular, rank
from service.view import View
from snapshot import Snapshot, normalise

SPECIFICITY: Final = 0.5
POOL: Final = 3


def company_of(snapshot: Snapshot) -> Company:
    """The company of the tags of a snapshot."""
    return company(snapshot.related, snapshot.partition.labels, snapshot.broad)


class Prototype:
    """Answers as the service would."""

    form = "prototype"

    def __init__(self, snapshot: Snapshot) -> None:
        self.view = View(snapshot)

    @cached_property
    def company(self) -> Company:
        """Made once, as a view would."""
        return company_of(self.view.snapshot)

    def cloud(self, tags: Sequence[str], sets: int = SETS, limit: int = SHOWN) -> Cloud:
        """The cloud of some tags, or of none, in at most so many groups."""
        if not tags:
            return self.first_page(sets, limit)
        return self._cloud(*self._grouped(self.ranking(tags, limit), sets))

    def ranking(self, tags: Sequence[str], limit: int) -> Ranking:
        """The candidates of some tags."""
        view = self.view
        return rank(view, tuple(view.index[normalise(tag)] for tag in tags), SPECIFICITY, limit)

    def first_page(self, sets: int, limit: int) -> Cloud:
        """The best tags of each group of the commonest tags, of which there are a few times as many as are shown."""
        ranking = popular(self.view, POOL * limit)
        tags, found = self._grouped(ranking, sets)
        best = [sorted(ranked[: limit // sets]) for ranked in found.ranked]
        return self._cloud(tags, replace(found, groups=best))

    def _grouped(self, ranking: Ranking, sets: int) -> tuple[list[int], Grouping]:
        keys = self.view.snapshot.keys
        tags = np.array(ranking.tags, dtype=np.intp)
        scores = np.array(ranking.scores)
        return ranking.tags, group(self.company, tags, scores, [keys[tag] for tag in ranking.tags], sets)

    def _cloud(self, tags: list[int], found: Grouping) -> Cloud:
        names = self.view.snapshot.names
        return Cloud(
            tuple(
                Group(
                    ", ".join(names[tags[place]] for place in heading),
                    tuple(names[tags[place]] for place in places),
                    "also" if loose else "group",
                )
                for places, heading, loose in zip(found.groups, found.names, found.loose, strict=True)
            )
        )
