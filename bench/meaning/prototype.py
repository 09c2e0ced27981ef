"""Clouds grouped around the query by `bench.meaning.grouping`, in the place of the API."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from bench.meaning.api import SETS, SHOWN, Cloud, Group
from bench.meaning.grouping import Company, company, group
from service.ranking import Ranking, rank
from service.view import View
from snapshot import Snapshot, normalise

SPECIFICITY = 0.5


class Prototype:
    """Answers as the service would."""

    form = "prototype"

    def __init__(self, snapshot: Snapshot) -> None:
        self.view = View(snapshot)

    @cached_property
    def company(self) -> Company:
        """Made once, as a view would."""
        return company(self.view.snapshot.related)

    def cloud(self, tags: Sequence[str], sets: int = SETS, limit: int = SHOWN) -> Cloud:
        """The cloud of some tags, or of none, in at most so many groups."""
        return self.grouped(self.ranking(tags, limit), sets)

    def ranking(self, tags: Sequence[str], limit: int) -> Ranking:
        """The candidates of some tags, or of none: those of the first page."""
        view = self.view
        if not tags:
            return first_page(view, limit)
        return rank(view, tuple(view.index[normalise(tag)] for tag in tags), SPECIFICITY, limit)

    def grouped(self, ranking: Ranking, sets: int) -> Cloud:
        """The candidates in groups."""
        names, keys = self.view.snapshot.names, self.view.snapshot.keys
        tags = np.array(ranking.tags, dtype=np.intp)
        found = group(self.company, tags, np.array(ranking.scores), [keys[tag] for tag in ranking.tags], sets)
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


def first_page(view: View, limit: int) -> Ranking:
    """The best tags of each concept: the commonest of every cluster, then the second of every cluster, and so on.

    Clusters with more uses of their tags come first. The score is the count.
    """
    members = sorted(view.members.values(), key=lambda tags: -sum(view.counts[tag] for tag in tags))
    depth = max(len(tags) for tags in members)
    turns = [tags[turn] for turn in range(depth) for tags in members if turn < len(tags)]
    shown = sorted(turns[:limit], key=lambda tag: (-view.counts[tag], tag))
    scores = [view.counts[tag] / view.max_count for tag in shown]
    return Ranking(shown, scores, len(view.counts) - len(shown), 0.0)
