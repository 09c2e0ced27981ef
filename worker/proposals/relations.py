"""Finds pairs of tags that an editor may relate because their names are paths."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster.tags.relations import Pair
from snapshot.edits import parents
from worker.proposals.company import CompanyRows
from worker.proposals.text import Scored

SEPARATORS: Final = ("/", "::", ">")
"""What paths are written with."""

FAMILY: Final = 3
"""A path is a path if so many tags have the same parent: client/server alone is no server of a client."""


def nested_names(forms: Sequence[str], counts: NDArray[np.int64], separator: str | None) -> list[Pair]:
    """Tags whose names are paths, and the nearest parent that is a tag, too; those in most documents first.

    Places of tags in `forms`. With the separator that a corpus declares, its paths are relations already.
    """
    place = {form: number for number, form in enumerate(forms)}
    pairs = {pair for each in SEPARATORS if each != separator for pair in _children(place, each)}
    return sorted(pairs, key=lambda pair: (-int(counts[pair[1]]), pair))


def _children(place: dict[str, int], separator: str) -> Iterator[Pair]:
    families = Counter(parent for form in place for parent in parents(form, separator))
    for form, number in place.items():
        known = (parent for parent in parents(form, separator) if parent in place)
        parent = next(known, None)
        if parent is not None and families[parent] >= FAMILY:
            yield place[parent], number


def with_similarity(pairs: list[Pair], company: CompanyRows) -> list[Scored]:
    """Pairs with the similarity of the company of both."""
    if not pairs:
        return []
    places = np.array(pairs, dtype=np.intp)
    return list(zip(pairs, company.similarity(places[:, 0], places[:, 1]).tolist(), strict=True))
