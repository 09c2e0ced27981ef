"""The corpora of the measurements, shuffled, and in how many steps they grow."""

from datetime import UTC, datetime
from typing import Final

import numpy as np

from bench.document_files import documents_of
from bench.places import CORPORA
from worker.corpora.declaration import Corpus
from worker.sources.document import Document

START: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""When the first run of a chain is said to have been, so that a result does not depend on the day."""

GROWTH: Final = 0.05
"""Each batch adds this share of the documents there are."""


def corpus(name: str, inertia: float) -> Corpus:
    """The declaration of a corpus, with defaults in everything but its inertia."""
    path = CORPORA / f"{name}.jsonl.gz"
    return Corpus(name=name, source=str(path), path=path, inertia=inertia)


def documents(name: str, seed: int, limit: int) -> list[Document]:
    """At most `limit` documents of a corpus, drawn and ordered at random."""
    found = list(documents_of(CORPORA / f"{name}.jsonl.gz"))
    return [found[place] for place in np.random.default_rng(seed).permutation(len(found))[:limit]]


def sizes(total: int, batches: int) -> list[int]:
    """How many documents there are before the first batch and after each, up to the total."""
    return [round(total / (1.0 + GROWTH) ** (batches - batch)) for batch in range(batches + 1)]
