"""The questions that clouds are judged by: one set to choose variants by, another to report on, with nothing shared."""

from hashlib import sha256
from typing import Final, Literal

import numpy as np

from bench.meaning.samples import Sample, incidence_of
from service.questions.related.ranking import Ranking, rank
from service.view.view import View
from snapshot import Snapshot, normalise

Purpose = Literal["choose", "report"]
PURPOSES: Final[tuple[Purpose, Purpose]] = ("choose", "report")

SINGLE: Final = 200
SEVERAL: Final = 100
MOST_TAGS: Final = 3
SPECIFICITY: Final = 0.5


def purpose_of(text: str) -> Purpose:
    """Which set a tag or a document belongs to, in every sample alike."""
    return PURPOSES[sha256(text.encode()).digest()[0] % 2]


def single_tags(snapshot: Snapshot, purpose: Purpose, most: int = SINGLE) -> list[tuple[str, ...]]:
    """The commonest tags of this purpose, one a question."""
    order = np.argsort(-snapshot.counts, kind="stable").tolist()
    own = (tag for tag in order if purpose_of(snapshot.keys[tag]) == purpose)
    return [(snapshot.names[tag],) for tag, _ in zip(own, range(most), strict=False)]


def several_tags(sample: Sample, snapshot: Snapshot, purpose: Purpose, most: int = SEVERAL) -> list[tuple[str, ...]]:
    """Two or three tags of a document held out, at random."""
    random = np.random.default_rng(sample.seed)
    own = [document for document in sample.held_out if purpose_of(document.id) == purpose]
    rows = incidence_of(own, snapshot.keys)
    questions: list[tuple[str, ...]] = []
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        tags = rows.indices[start:end]
        if len(tags) > MOST_TAGS and len(questions) < most:
            drawn = random.choice(tags, size=int(random.integers(2, MOST_TAGS + 1)), replace=False)
            questions.append(tuple(snapshot.names[tag] for tag in drawn.tolist()))
    return questions


def ranking_of(view: View, question: tuple[str, ...], limit: int) -> Ranking:
    """The candidates of a question, as a cloud has them."""
    return rank(view, tuple(view.index[normalise(tag)] for tag in question), SPECIFICITY, limit)
