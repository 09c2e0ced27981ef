"""One corpus from file to snapshot, without any store: what the job publishes and `cotag cluster` prints."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import numpy as np
from redis import Redis

from cocluster import CoClustering, Incidence, incidence
from snapshot import Documents, Snapshot, version_at
from worker.building import concepts, snapshot_of, tag_counts
from worker.corpora import Corpus
from worker.corpus import TagCorpus, gather
from worker.errors import CorpusError
from worker.related import related
from worker.sources.document import Tally
from worker.sources.reading import documents, watched

log = logging.getLogger(__name__)
"""Not structlog's: `cotag cluster` prints its result to stdout, and what is logged there goes to stderr."""

Report = Callable[[str, int, int], None]

STAGES: Final = ("load", "matrix", "smooth", "agglomerate", "cut", "label", "relate", "publish")

STAGE_OF: Final = {"transition": "smooth", "smoothing": "smooth", "agglomeration": "agglomerate", "cut": "cut"}
"""Stage of the job for each stage of the library."""


@dataclass
class Stages:
    """Announces each stage and measures how long it takes."""

    report: Report
    timings: dict[str, float] = field(default_factory=dict)
    current: str = ""
    since: float = 0.0

    def enter(self, stage: str, done: int = 0, total: int = 1) -> None:
        """Report progress within a stage; leaving one for the next ends its measurement."""
        now = time.monotonic()
        if stage != self.current:
            self.close(now)
            self.current, self.since = stage, now
        self.report(stage, done, total)

    def close(self, now: float | None = None) -> None:
        """End the measurement of the stage under way."""
        if self.current:
            spent = (time.monotonic() if now is None else now) - self.since
            self.timings[self.current] = round(self.timings.get(self.current, 0.0) + spent, 3)
        self.current = ""


def load(corpus: Corpus, stages: Stages, redis: Redis | None = None) -> tuple[TagCorpus, dict[str, int]]:
    """The documents of a corpus, and how many lines were read and passed over. Pushed documents are in the store."""
    tally = Tally()
    tagged = gather(
        watched(documents(corpus, tally, redis), lambda: stages.enter("load", tally.done, tally.total)),
        corpus.vocabulary,
        pairs=corpus.documents.shape.pairs,
    )
    tally.check(corpus.name, corpus.bad_lines)
    if not tagged.ids:
        raise CorpusError(f"{corpus.path or corpus.name}: no documents")
    if tally.bad:
        log.warning("%s: %s and were passed over: %s", corpus.name, tally.described(), tally.listed())
    if tagged.replaced:
        log.warning("%s: %d documents were replaced by later ones with the same id", corpus.name, tagged.replaced)
    return tagged, {"lines": tally.lines, "bad_lines": tally.bad, "replaced": tagged.replaced}


def cluster(
    corpus: Corpus, tagged: TagCorpus, counts: dict[str, int], now: datetime, stages: Stages
) -> tuple[Snapshot, Documents]:
    """Matrix, smoothing, agglomeration, cut, labels and related tags of the loaded documents."""
    stages.enter("matrix")
    kept = _matrix(corpus, tagged)
    model = CoClustering(teleport=corpus.teleport, critical_size=corpus.critical_size)
    try:
        model.fit(kept.matrix, progress=lambda stage, done, total: stages.enter(STAGE_OF[stage], done, total))
    except ValueError as error:
        raise CorpusError(f"{corpus.name}: {error}") from error
    stages.enter("label")
    meaning = concepts(tuple(tagged.names[column] for column in kept.columns), kept, model)
    stages.enter("relate")
    relations = related(model.column_transition_, tag_counts(kept))
    stages.close()
    return snapshot_of(
        corpus,
        tagged,
        kept,
        model,
        meaning=meaning,
        relations=relations,
        version=version_at(now),
        created=now,
        timings=stages.timings,
        notes={**counts, "documents_read": len(tagged.ids)},
    )


def _matrix(corpus: Corpus, tagged: TagCorpus) -> Incidence:
    """The filtered matrix, of a uniform sample of the documents if the corpus asks for one."""
    rows = np.arange(len(tagged.ids))
    if corpus.sample is not None and corpus.sample < len(rows):
        rows = np.sort(np.random.default_rng(0).choice(len(rows), corpus.sample, replace=False))
    try:
        kept = incidence(tagged.matrix[rows], corpus.min_count)
    except ValueError as error:
        raise CorpusError(f"{corpus.name}: {error}") from error
    return Incidence(kept.matrix, rows[kept.rows], kept.columns)
