from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster.suggestions import Evidence, Lists, hidden_ranks
from snapshot import Related
from snapshot.ranking import tilted
from worker.suggestions.holding import HeldOut

FIRST: Final = 10


@dataclass(frozen=True)
class Figures:
    """How well hidden tags are found: the mean over held-out documents of the mean over their tags.

    That is what hiding one tag of each at random comes to on average, without its noise.
    """

    recall: float
    mrr: float
    tail_recall: float
    coverage: float
    cases: int


def figures(
    trial: HeldOut,
    related: Related,
    trusts: tuple[float, ...],
    tilts: Sequence[tuple[float, float]],
    *,
    coverage: bool = True,
) -> list[list[Figures]]:
    """Hide each tag of each held-out document in turn, ask with the rest, and see where it stands.

    For each trust, the figures at each tilt: that of queries of one tag, and that of longer ones. Where the coverage
    is not asked for it is NaN, and all is found sooner.
    """
    least, most = int(trial.counts.min()), int(trial.counts.max())
    ranks, seen = hidden_ranks(
        Lists(related.starts, related.indices, related.alone, related.together),
        Evidence(related.evidence, related.prior),
        np.cumsum([0, *map(len, trial.documents)], dtype=np.int64),
        np.concatenate(trial.documents),
        trusts=np.array(trusts, dtype=np.float64),
        factors=np.array(
            [np.column_stack([tilted(trial.counts, pair[lone], least, most) for pair in tilts]) for lone in (0, 1)]
        ),
        first=FIRST if coverage else 0,
    )
    return [
        [
            summed(trial, ranks[:, trust, tilt], float(seen[trust, tilt].mean()) if coverage else nan)
            for tilt in range(len(tilts))
        ]
        for trust in range(len(trusts))
    ]


def questions(trial: HeldOut) -> Iterator[tuple[tuple[int, ...], int]]:
    """Each query with the tag that was hidden from it."""
    for document in trial.documents:
        tags = document.tolist()
        for place, target in enumerate(tags):
            yield (*tags[:place], *tags[place + 1 :]), target


def summed(trial: HeldOut, ranks: NDArray[np.int32], coverage: float) -> Figures:
    """The figures of the ranks that hidden tags had in the answers to all questions, 0 where they were not in them."""
    weights = np.concatenate([np.full(len(document), 1.0 / len(document)) for document in trial.documents])
    rare = weights * trial.tail[np.concatenate(trial.documents)]
    hits = (ranks > 0) & (ranks <= FIRST)
    reciprocal = np.where(ranks > 0, 1.0 / np.maximum(ranks, 1), 0.0)
    return Figures(
        recall=float(hits @ weights / weights.sum()),
        mrr=float(reciprocal @ weights / weights.sum()),
        tail_recall=float(hits @ rare / rare.sum()) if rare.any() else 0.0,
        coverage=coverage,
        cases=len(ranks),
    )
