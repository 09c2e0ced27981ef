"""Fits the concepts of a run: from the version before, or afresh."""

from dataclasses import replace
from functools import partial

from cocluster import CoClustering, Tasks
from snapshot import Lineage
from worker.clustering.concepts import FittedModel, cut_model, with_lasting_ids
from worker.clustering.continuity.inheritance import PreviousVersion, inheritance
from worker.clustering.documents.filtered import Filtered
from worker.clustering.stages import STAGE_OF, Stages
from worker.corpora.declaration import Corpus
from worker.errors import CorpusError
from worker.vocabulary.aliases import former_keys, with_known_keys


def fitted_concepts(
    corpus: Corpus,
    data: Filtered,
    stages: Stages,
    *,
    previous: PreviousVersion | None,
    fresh: bool,
    tasks: Tasks | None,
) -> tuple[FittedModel, Lineage]:
    """The concepts with their lasting ids; from the version before, or from a fresh start that is clearly better."""
    old_keys = former_keys(data.keys, data.aliases, previous.snapshot.keys if previous else ())
    ancestor = previous if corpus.inertia > 0 else None
    fit = partial(_fit, corpus, data, stages, keys=old_keys, tasks=tasks)
    fitted = fit(previous=ancestor)
    runs = ancestor.snapshot.lineage.runs_since_fresh + 1 if ancestor else 0
    if ancestor and (fresh or 0 < corpus.fresh_every <= runs):
        fresh_start = fit(previous=None)
        if fresh_start.information_at(fitted) >= (1.0 + corpus.fresh_margin) * fitted.information_at(fitted):
            fitted, runs = fresh_start, 0
    fitted, lineage = with_lasting_ids(fitted, old_keys, previous.snapshot if previous else None)
    return fitted, replace(lineage, runs_since_fresh=runs)


def _fit(
    corpus: Corpus,
    data: Filtered,
    stages: Stages,
    *,
    previous: PreviousVersion | None,
    keys: tuple[str, ...],
    tasks: Tasks | None,
) -> FittedModel:
    """The dendrograms of both sides and their cut; with `previous`, they inherit from it."""
    model = CoClustering(
        teleport=corpus.teleport,
        critical_size=corpus.critical_size,
        max_exact=corpus.max_exact,
        micro_clusters=corpus.micro_clusters,
        max_memory=corpus.memory_limit_bytes,
        tasks=tasks,
    )
    try:
        model.fit(
            data.incidence,
            progress=lambda stage, done, total: stages.enter(STAGE_OF[stage], done, total),
            previous=inheritance(previous, data.ids, keys) if previous else None,
            inertia=corpus.inertia,
        )
    except ValueError as error:
        raise CorpusError(f"{corpus.name}: {error}") from error
    return cut_model(model, previous, _decided(corpus, data))


def _decided(corpus: Corpus, data: Filtered) -> list[int]:
    """The tags about whose concepts editors decided something."""
    decided = with_known_keys({form: form for form in corpus.decided_forms}, data.aliases)
    return [tag for tag, key in enumerate(data.keys) if key in decided]
