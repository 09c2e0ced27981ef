"""Which tags may be related, by their words and by the documents: proposals for people, who decide.

Co-occurrence alone never tells that one tag is a kind of another (docs/research/proposals.md).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Ints, Sparse

RelationKind = Literal["head-word", "implied"]


class TagRelation(NamedTuple):
    """A tag that may be a kind of another (`head-word`) or imply it, with the documents of each and of both."""

    tag: str
    kind: RelationKind
    other: str
    documents: int
    other_documents: int
    together: int


Pair = tuple[int, int]
"""The places of two tags, the commoner first."""

WORDS: Final = re.compile(r"[\s_-]+")
"""What stands between the words of a tag."""

JOINING: Final = frozenset(["&", "and", "by", "for", "from", "in", "no", "not", "of", "or", "to", "with", "without"])
"""With such a word before it, an end is no head: theory of mind, top 40 and charts, not emo."""

FEWEST: Final = 8
"""Documents that a tag must have for a pair that nothing but documents speaks for."""

NEARLY_ALWAYS: Final = 0.8
"""Documents with both, as a share of those with the rarer tag."""

COMMONER: Final = 5
"""How often the implied tag must be as common: otherwise the two may be one."""

STRIPE: Final = 512
"""Tags whose joint counts are computed at a time, so that those of all pairs are never in memory at once."""


def head_words(forms: Sequence[str], M: Sparse) -> list[Pair]:
    """Tags of several words, and the tag that is their end, which they may be a kind of: olive oil, oil.

    The longest such end counts. Those come first about which most documents would change.
    """
    counts = np.bincount(M.indices, minlength=M.shape[1])
    place = {WORDS.sub(" ", form): number for number, form in enumerate(forms)}
    pairs: list[Pair] = []
    for phrase, number in place.items():
        words = phrase.split(" ")
        first = next((at for at, word in enumerate(words) if word in JOINING), len(words))
        ends = (place.get(" ".join(words[start:])) for start in range(1, len(words)) if start <= first)
        head = next((end for end in ends if end is not None and counts[end] >= counts[number]), None)
        if head is not None:
            pairs.append((head, number))
    if not pairs:
        return []
    places = np.array(pairs, dtype=np.intp)
    changed = counts[places[:, 1]] - together(M, pairs)
    order = np.lexsort((places[:, 1], places[:, 0], -changed))
    return [pairs[number] for number in order]


def implications(M: Sparse, concepts: Ints) -> list[Pair]:
    """Tags that nearly always come with a much commoner one of their concept, and that one.

    Of several, the rarest counts: it says most. A pair about which no document would change is left out. The first
    promise most: the documents that would change, times the share that has the tag already.
    """
    counts = np.bincount(M.indices, minlength=M.shape[1]).astype(np.float64)
    found: list[tuple[float, Pair]] = []
    for start, joint in joint_counts(M):
        row = np.repeat(np.arange(joint.shape[0]), np.diff(joint.indptr)) + start
        column = joint.indices
        share = joint.data / counts[row]
        good = (row != column) & (concepts[row] == concepts[column]) & (counts[row] >= FEWEST)
        good &= (share >= NEARLY_ALWAYS) & (joint.data < counts[row])
        good &= counts[column] >= COMMONER * counts[row]
        order = np.flatnonzero(good)[np.lexsort((column[good], counts[column[good]], row[good]))]
        _, firsts = np.unique(row[order], return_index=True)
        for place in order[firsts].tolist():
            changed = counts[row[place]] - joint.data[place]
            found.append((float(changed * share[place]), (int(column[place]), int(row[place]))))
    found.sort(key=lambda each: (-each[0], each[1]))
    return [pair for _, pair in found]


def together(M: Sparse, pairs: Sequence[Pair]) -> Ints:
    """How many documents have both tags of each pair."""
    places = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    by_tag = csr_array(M.T)
    both = by_tag[places[:, 0]].multiply(by_tag[places[:, 1]])
    counted: Ints = np.asarray(both.sum(axis=1)).ravel().astype(np.int64)
    return counted


def joint_counts(M: Sparse) -> Iterator[tuple[int, Sparse]]:
    """How many documents have each pair of tags, a stripe of tags at a time."""
    transposed = csr_array(M.T)
    for start in range(0, M.shape[1], STRIPE):
        yield start, csr_array(transposed[start : start + STRIPE] @ M)
