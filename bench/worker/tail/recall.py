"""Recall@10 of hidden tags beside a rare tag: co-occurrence, the other tags of the document alone, and ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.worker.tail.samples import MIN_COUNT, Matrix, split_columns
from cocluster import document_index, incidence
from tagmodel import DocumentIndex, RelatedTags
from tagmodel.rare import chances_by_query_tag, odds_beside_rare
from tagmodel.related import popularity_factors
from worker.suggestions import suggestions

HELD_OUT: Final = 0.2
TOP: Final = 10
BALANCED: Final = 0.5
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A hidden tag of a held-out document, its rare tag, and its other head tags."""

    hidden: int
    rare: int
    others: tuple[int, ...]


def recall(matrix: Matrix, seed: int) -> dict[str, float]:
    """The share of hidden tags among the first ten of each ranker, and the number of cases."""
    random = np.random.default_rng(seed)
    order = random.permutation(matrix.shape[0])
    held = round(HELD_OUT * matrix.shape[0])
    train = csr_array(matrix[np.sort(order[held:])])
    head = incidence(train, MIN_COUNT)
    related = suggestions(head, MIN_COUNT).related
    columns, whole = split_columns(train, head)
    index = document_index(head.matrix, whole)
    place = np.full(matrix.shape[1], -1)
    place[columns] = np.arange(len(columns))
    hits: dict[str, list[bool]] = {}
    for case in _cases(csr_array(matrix[order[:held]]), place, len(head.columns), random):
        for name, ranked, known in _rankings(related, index, case):
            ranked[[case.rare, *known]] = 0.0
            better = np.count_nonzero(ranked > ranked[case.hidden])
            hits.setdefault(name, []).append(bool(ranked[case.hidden] > 0 and better < TOP))
    return {"cases": len(next(iter(hits.values()))), **{name: float(np.mean(each)) for name, each in hits.items()}}


def _cases(held: Matrix, place: NDArray[np.int64], head: int, random: np.random.Generator) -> Iterator[Case]:
    """One case of each document that has a rare tag and two others; any of those may be the hidden one."""
    for row in range(held.shape[0]):
        tags = place[held.indices[held.indptr[row] : held.indptr[row + 1]]]
        tags = tags[tags >= 0]
        rare, common = tags[tags >= head], tags[tags < head]
        if len(rare) and len(common) >= 2:
            asked = int(random.choice(rare))
            hidden = int(random.choice(tags[tags != asked]))
            yield Case(hidden, asked, tuple(int(tag) for tag in common if tag != hidden))


def _rankings(related: RelatedTags, index: DocumentIndex, case: Case) -> Iterator[tuple[str, Scores, tuple[int, ...]]]:
    """The name of each ranker, its scores of all tags, and the head tags that it was given."""
    beside = np.concatenate([index.tags_of(each) for each in index.documents_of(case.rare).tolist()])
    counts = np.diff(index.tag_starts)
    together = np.bincount(beside, minlength=index.tag_count) * (1.0 + 1e-9 * counts)
    yield "co-occurrence, rare tag alone", together.copy(), ()
    yield "ours, rare tag alone", _ours(related, index, counts, (case.rare,)), ()
    yield "co-occurrence, among the others", together.copy(), case.others
    found = related.candidates(case.others)
    alone = np.zeros(index.tag_count)
    exponent = related.popularity_exponent(BALANCED, len(case.others))
    alone[found.tags] = found.odds * popularity_factors(counts[: index.head_count], exponent)[found.tags]
    yield "the others without the rare tag", alone, case.others
    yield "ours, among the others", _ours(related, index, counts, (*case.others, case.rare)), case.others


def _ours(related: RelatedTags, index: DocumentIndex, counts: NDArray[np.int64], query: tuple[int, ...]) -> Scores:
    """As the service ranks."""

    def popularity(size: int) -> Scores:
        exponent = related.popularity_exponent(BALANCED, size) if size > 1 else 0.0
        return popularity_factors(counts[: index.head_count], exponent)

    chances = chances_by_query_tag(related, index, query).sum(axis=0)
    return odds_beside_rare(chances, query, index.head_count, popularity)
