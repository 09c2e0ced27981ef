"""Finds pairs of tags that an editor may relate: one nearly always comes with the other, or has it in its path."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from snapshot.edits import parents
from worker.proposals.company import CompanyRows, Sparse
from worker.proposals.evidence import Scored
from worker.proposals.pairs import FEWEST, Pair, joint_counts

NEARLY_ALWAYS: Final = 0.8
"""Documents with both, as a share of those with the rarer tag."""

COMMONER: Final = 5
"""How often the implied tag must be as common: otherwise the two may be one."""

SEPARATORS: Final = ("/", "::", ">")
"""What paths are written with."""

FAMILY: Final = 3
"""A path is a path if so many tags have the same parent: client/server alone is no server of a client."""


def implications(M: Sparse, concepts: NDArray[np.int64], company: CompanyRows) -> list[Scored]:
    """Tags that nearly always come with a much commoner one of their concept, and that one.

    Of several, the rarest counts: it says most. A pair about which no document would change is left out. The first
    promise most: the documents that would change, times the share that has the tag already.
    """
    counts = np.bincount(M.indices, minlength=M.shape[1]).astype(np.float64)
    found: list[tuple[float, Pair]] = []
    for start, together in joint_counts(M):
        row = np.repeat(np.arange(together.shape[0]), np.diff(together.indptr)) + start
        column = together.indices
        share = together.data / counts[row]
        good = (row != column) & (concepts[row] == concepts[column]) & (counts[row] >= FEWEST)
        good &= (share >= NEARLY_ALWAYS) & (together.data < counts[row])
        good &= counts[column] >= COMMONER * counts[row]
        order = np.flatnonzero(good)[np.lexsort((column[good], counts[column[good]], row[good]))]
        _, firsts = np.unique(row[order], return_index=True)
        for place in order[firsts].tolist():
            changed = counts[row[place]] - together.data[place]
            found.append((float(changed * share[place]), (int(column[place]), int(row[place]))))
    found.sort(key=lambda each: (-each[0], each[1]))
    return with_similarity([pair for _, pair in found], company)


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
