"""The corpora as the worker reads them, and their splits: those of worker.suggestions, whoever is measured."""

from functools import cache
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from bench.places import CORPORA
from cocluster import incidence
from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.suggestions import HeldOut, hold_out
from worker.suggestions.held_out import Matrix

NAMES: Final = ("debtags", "tabler_icons", "lastfm_artists", "whatscooking", "citeulike_a")
SEEDS: Final = (50, 51, 52)
"""What there is to tune was settled on others."""

ASKED: Final = 3000
"""Held-out documents that are asked about, at most; each of their tags is hidden in turn."""

MIN_COUNT: Final = 5
VALIDATED: Final = 1000
"""Documents of the validation part that a setting of a rival is judged by, at most."""


@cache
def matrix(name: str, min_count: int = MIN_COUNT) -> Matrix:
    """The documents of a corpus × its tags in at least five of them, or as many as is said."""
    path = CORPORA / f"{name}.jsonl.gz"
    tagged, _ = load_documents(Corpus(name=name, source=str(path), path=path), Stages(lambda *_: None))
    return incidence(tagged.matrix, min_count).matrix


def split(documents: Matrix, seed: int, most: int = ASKED, min_count: int = MIN_COUNT) -> HeldOut:
    """80 % to learn from, 20 % to ask about."""
    found = hold_out(documents, min_count, seed, most=most)
    if found is None:
        raise ValueError("too few documents to hold any out")
    return found


def reachable(trial: HeldOut) -> float:
    """Share of the hidden tags of the tail that ever stood beside a tag of their query in a training document.

    No count of pairs knows of the others: what it finds of them, it finds by chance.
    """
    together: csr_array[np.float64, tuple[int, int]] = csr_array(trial.train.T @ trial.train)
    known, asked = 0.0, 0.0
    for tags in trial.documents:
        met = (together[tags][:, tags] > 0).toarray()
        np.fill_diagonal(met, False)
        rare = trial.tail[tags]
        known += (met.any(axis=1) & rare).sum() / len(tags)
        asked += rare.sum() / len(tags)
    return float(known / asked)
