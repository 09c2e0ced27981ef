"""A corpus that grows batch by batch, each run inheriting from the one before it."""

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final
from unittest.mock import patch

from bench.cocluster.stability.measures import Fresh, Gap, Worth, cut_documents, fresh_of, gap
from bench.cocluster.stability.samples import START, corpus, documents, sizes
from bench.document_files import gather
from bench.places import RESULTS
from bench.trials import CACHE
from tagmodel import CriterionCurve
from worker.clustering import concepts
from worker.clustering.cluster import cluster
from worker.clustering.continuity import inheritance
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.stages import Stages
from worker.vocabulary.tag_corpus import TagCorpus

FRESH: Final = RESULTS / CACHE / "stability-fresh"
"""The fresh runs that every chain on the same documents is compared with."""


@dataclass(frozen=True)
class Setting:
    """How a chain inherits; None is what the worker does by default."""

    name: str
    inertia: float
    factors: Sequence[tuple[int, int]] | None = None
    fixed: Sequence[int] = ()
    tolerance: float | None = None
    jumps: bool = False


@dataclass(frozen=True)
class Chain:
    """Which documents, in which order, in how many batches."""

    corpus: str
    seed: int
    documents: int
    batches: int

    @property
    def name(self) -> str:
        """A file name."""
        return f"{self.corpus}-{self.documents}-{self.batches}-{self.seed}"


@dataclass(frozen=True)
class Step:
    """One run of a chain.

    Attributes:
        documents: how many there were.
        moved: share of the tags known before whose cluster id changed.
        ari: adjusted Rand index with the partition before.
        ids: clusters kept, split, merged, new.
        worth: of the run, on plain M*.
        fresh_cut: clusters of documents and of tags where a fresh run on the same documents cuts.
        as_many: the gap to the fresh run cut into as many clusters as this run has.
        own_cut: the gap to the fresh run where that cuts.
        seconds: of the run.
    """

    documents: int
    moved: float
    ari: float
    ids: dict[str, int]
    worth: Worth
    fresh_cut: tuple[int, int]
    as_many: Gap
    own_cut: Gap
    seconds: float


def run(chain: Chain, setting: Setting) -> Iterator[Step]:
    """Cluster, add a batch, cluster again, …"""
    declared = corpus(chain.corpus, setting.inertia)
    found = documents(chain.corpus, chain.seed, chain.documents)
    previous: PreviousVersion | None = None
    for number, size in enumerate(sizes(len(found), chain.batches)):
        tagged = gather(found[:size])
        began = time.perf_counter()
        with inheriting(setting):
            snapshot, clustered = cluster(
                declared,
                tagged,
                START + timedelta(days=number),
                Stages(lambda *_: None),
                previous=previous,
                notes={},
            )
        seconds = time.perf_counter() - began
        place = FRESH / f"{chain.name}-{size}-{order(tagged)}.npz"
        if not place.exists():
            if setting.inertia > 0 and number > 0:
                raise RuntimeError(f"{place} is missing: run the chain with inertia 0 first")
            fresh_of(declared, tagged, snapshot, clustered).save(place)
        fresh = Fresh.load(place)
        worth = fresh.worth(cut_documents(snapshot, clustered), snapshot.partition.labels)
        documents_cut, tags_cut = (int(clusters) for clusters in fresh.cut)
        kinds = [each.kind for each in snapshot.lineage.clusters.values()]
        yield Step(
            documents=size,
            moved=snapshot.lineage.moved,
            ari=snapshot.lineage.ari,
            ids={kind: kinds.count(kind) for kind in ("kept", "split", "merged", "new")},
            worth=worth,
            fresh_cut=(documents_cut, tags_cut),
            as_many=gap(worth, fresh.worth_at(worth.documents, worth.tags)),
            own_cut=gap(worth, fresh.worth_at(documents_cut, tags_cut)),
            seconds=seconds,
        )
        previous = PreviousVersion(snapshot, clustered)


def order(tagged: TagCorpus) -> str:
    """Tells one order of documents from another: what is kept of a fresh run holds for this one alone."""
    return hashlib.sha256("\n".join(tagged.ids).encode()).hexdigest()[:8]


@contextmanager
def inheriting(setting: Setting) -> Iterator[None]:
    """The worker with other levels and another tolerance than its own."""
    with ExitStack() as stack:
        if setting.factors is not None:
            stack.enter_context(patch.object(inheritance, "levels", partial(levels, setting)))
        if setting.tolerance is not None:
            stack.enter_context(patch.object(inheritance, "CUT_TOLERANCE", setting.tolerance))
        if setting.jumps:
            stack.enter_context(patch.object(concepts, "steady_cut", jumping_cut))
        yield


def jumping_cut(curve: CriterionCurve, previous_k: int | None) -> int:
    """A rule that was tried: the previous cut while it is about as good as the best, otherwise the best."""
    if previous_k is None or previous_k > len(curve.k):
        return curve.best_k
    enough = (1.0 - inheritance.CUT_TOLERANCE) * curve.criterion.max()
    return previous_k if curve.criterion[previous_k - 1] >= enough else curve.best_k


def levels(setting: Setting, rows: int, tags: int) -> list[tuple[int, int]]:
    """Fixed numbers of clusters, and multiples of where the trees before were cut."""
    multiples = [(row_factor * rows, tag_factor * tags) for row_factor, tag_factor in setting.factors or ()]
    return [*((level, level) for level in setting.fixed), *multiples]
