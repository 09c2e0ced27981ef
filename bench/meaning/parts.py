"""The parts of the measurement, trial by trial; each trial is named by its inputs and run once."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import fmean
from typing import Any, Final

import structlog

from bench.cocluster.stability.table import machine
from bench.meaning import refinement
from bench.meaning.api import SETS, SHOWN, Served, served
from bench.meaning.blocks import block_figures
from bench.meaning.clouds import Reader, agreement, measure, shared
from bench.meaning.judge import judge
from bench.meaning.names import name_figures
from bench.meaning.nested_blocks import NO_GRAPH_TOOL, interpreter
from bench.meaning.order import asked_tags, order_figures
from bench.meaning.partitions import METHODS
from bench.meaning.queries import PURPOSES, ranking_of, several_tags, single_tags
from bench.meaning.samples import CHOOSING_SEED, Kind, Sample, incidence_of
from bench.meaning.trees import partition_figures, partition_stability, tags_of
from bench.meaning.variants import VARIANTS, variant_figures
from bench.trials import Trials
from service.questions.clouds.cloud import group_tags
from service.view.view import View
from snapshot import Snapshot

FORM: Final = "query"
"""How clouds are grouped. Trials of "clusters" are of the time before."""

SIZES: Final = (9, 12)
"""Groups on the first page: as many as in a cloud, and as many as it has."""

COMPARED: Final[dict[str, tuple[Kind, Kind]]] = {"grown": ("base", "grown"), "samples": ("a", "b")}
ROUNDS: Final = 5


@dataclass(frozen=True)
class Campaign:
    """Which samples to measure, into which trials."""

    trials: Trials
    samples: Sequence[Sample]
    again: bool = False

    def wanted(self, name: str) -> bool:
        """Whether a trial is to be run."""
        return self.again or self.trials.get(name) is None

    def measured(self, name: str, run: Callable[[], Any]) -> None:
        """Run a trial, unless its result is there."""
        if self.wanted(name):
            print(f"  {name}", flush=True)
            self.trials.put(name, run())


def partitions(campaign: Campaign) -> None:
    """(1) The tag partition at several k, beside peers and experiments."""
    for sample in campaign.samples:
        names = {method: f"partition {sample.corpus} {sample.seed} {method}" for method in METHODS}
        missing = [method for method in METHODS if campaign.wanted(names[method])]
        if not missing:
            continue
        tags = tags_of(sample)
        for method in missing:
            campaign.measured(names[method], partial(partition_figures, sample, tags, method))


def clouds(campaign: Campaign) -> None:
    """(2) What clouds show: one tag asked for, and several."""
    for sample in campaign.samples:
        for kind, asked in questions_of(sample, sample.snapshot().snapshot).items():
            name = f"clouds {FORM} {sample.corpus} {sample.seed} {kind}"
            if campaign.wanted(name):
                with quietly_served(sample) as api:
                    campaign.measured(name, partial(measure, reader_of(sample), api.cloud, asked))


def order(campaign: Campaign) -> None:
    """(2) Where the group nearest to the query stands: on the half of the tags that chose the order, and the other."""
    for sample in campaign.samples:
        if sample.seed:
            continue
        for purpose in PURPOSES:
            name = f"order {sample.corpus} {purpose}"
            if campaign.wanted(name):
                known = judge(sample.corpus)
                with quietly_served(sample) as api:
                    tags = asked_tags(sample.snapshot().snapshot, known, purpose)
                    campaign.measured(name, partial(order_figures, api, known, tags))


def first(campaign: Campaign) -> None:
    """(3) The first page, in as many groups as a cloud, and in twelve."""
    for sample in campaign.samples:
        name = f"first {FORM} {sample.corpus} {sample.seed}"
        if campaign.wanted(name):
            with quietly_served(sample) as api:
                campaign.measured(name, partial(first_page_figures, reader_of(sample), api))


def names(campaign: Campaign) -> None:
    """(3) What the names of the map's regions cover, and what names by their commonest tags would."""
    for sample in campaign.samples:
        if not sample.seed:
            campaign.measured(f"names {sample.corpus}", partial(name_figures, sample))


def stability(campaign: Campaign) -> None:
    """(4) Agreement between two 95 % samples, and after 5 % more documents: clouds, first page, partition."""
    for sample in campaign.samples:
        for how, (one, other) in COMPARED.items():
            name = f"stability {how} {FORM} {sample.corpus} {sample.seed}"
            if campaign.wanted(name):
                with quietly_served(sample, one) as before, quietly_served(sample, other) as later:
                    campaign.measured(name, partial(agreements, before, later, _asked(sample, one, other)))
        _partition_stability(campaign, sample, "Cotag")


def peers(campaign: Campaign) -> None:
    """(4) The same of the partitions of peers and experiments."""
    for sample in campaign.samples:
        for method in METHODS:
            _partition_stability(campaign, sample, method)


def grouping(campaign: Campaign) -> None:
    """Processor time of the grouping: candidates to named groups."""
    for sample in campaign.samples:
        campaign.measured(f"time {FORM} {sample.corpus} {sample.seed}", partial(timed, sample))


def variants(campaign: Campaign) -> None:
    """Variants of the grouping, on a sample and questions of their own: the seeds do not matter."""
    for corpus in dict.fromkeys(sample.corpus for sample in campaign.samples):
        sample = Sample(corpus, CHOOSING_SEED)
        for title, variant in VARIANTS.items():
            name = f"variant {corpus} {title}"
            campaign.measured(name, partial(variant_figures, sample, reader_of(sample), variant))


def refine(campaign: Campaign) -> None:
    """(1) The refinement after the cut, on draws of its own: the seeds and corpora asked for do not matter."""
    for size in refinement.SIZES:
        for corpus in _every(campaign):
            for seed in refinement.FRESH:
                run = partial(refinement.refinement_figures, corpus, size, seed)
                campaign.measured(f"refinement {corpus} {size} {seed}", run)


def blocks(campaign: Campaign) -> None:
    """(1) Nested stochastic block models, where graph-tool is installed."""
    if interpreter() is None:
        print(f"  blocks: {NO_GRAPH_TOOL}")
        return
    for corpus in _every(campaign):
        campaign.measured(f"blocks {corpus} {refinement.FRESH[0]}", partial(block_figures, corpus, refinement.FRESH[0]))


def _every(campaign: Campaign) -> Sequence[str]:
    """The corpora of parts that have draws of their own: all of them, if anything is to be measured."""
    return refinement.EVERY if campaign.samples else ()


PARTS: Final[dict[str, Callable[[Campaign], None]]] = {
    "partitions": partitions,
    "refine": refine,
    "blocks": blocks,
    "clouds": clouds,
    "order": order,
    "first": first,
    "names": names,
    "stability": stability,
    "peers": peers,
    "grouping": grouping,
    "variants": variants,
}


def questions_of(sample: Sample, snapshot: Snapshot) -> dict[str, list[tuple[str, ...]]]:
    """The questions that are reported on."""
    return {"single": single_tags(snapshot, "report"), "several": several_tags(sample, snapshot, "report")}


@lru_cache(maxsize=1)
def reader_of(sample: Sample) -> Reader:
    """Judges what a sample's snapshot shows; documents that were not clustered count for NPMI."""
    keys = sample.snapshot().snapshot.keys
    column = {key: number for number, key in enumerate(keys)}
    return Reader(judge(sample.corpus), incidence_of(sample.unused, keys), column)


def first_page_figures(reader: Reader, api: Served) -> dict[str, Any]:
    """The measures of the first page by the number of sets."""
    pages = {str(sets): api.first_page(sets) for sets in SIZES}
    return {sets: {**reader.figures(page), "branch": api.one_branch(page)} for sets, page in pages.items()}


def agreements(before: Served, later: Served, questions: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    """V over the tags that both clouds of a question show, and the share of such tags; the first page by itself."""
    pairs = [(before.cloud(question), later.cloud(question)) for question in questions]
    values = [(v, shared(one, other)) for one, other in pairs if (v := agreement(one, other)) is not None]
    return {
        "v": fmean(v for v, _ in values),
        "shared": fmean(share for _, share in values),
        "first": agreement(before.first_page(), later.first_page()),
        "each": [round(v, 4) for v, _ in values],
    }


def timed(sample: Sample) -> dict[str, Any]:
    """Microseconds of processor time a cloud of 60 candidates: the best of a few rounds over all questions."""
    view = View(sample.snapshot().snapshot)
    asked = [ranking_of(view, question, SHOWN) for question in single_tags(view.snapshot, "report")]
    cases = [each for each in asked if len(each.tags) == SHOWN]
    rounds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for ranking in cases:
            group_tags(view, ranking, SETS)
        rounds.append((time.process_time() - began) / len(cases))
    return {"us": 1e6 * min(rounds), "tags": view.snapshot.tag_count, "machine": machine()}


@contextmanager
def quietly_served(sample: Sample, kind: Kind = "base") -> Iterator[Served]:
    """The API over a snapshot, which logs only warnings."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with served(sample.snapshot(kind)) as api:
        yield api


def _partition_stability(campaign: Campaign, sample: Sample, method: str) -> None:
    name = f"stability partition {sample.corpus} {sample.seed} {method}"
    campaign.measured(name, partial(partition_stability, sample, method))


def _asked(sample: Sample, *kinds: Kind) -> list[tuple[str, ...]]:
    """Single tags that the snapshot of the sample has, and those compared."""
    known = set.intersection(*(set(sample.snapshot(kind).snapshot.keys) for kind in kinds))
    snapshot = sample.snapshot().snapshot
    key_of = dict(zip(snapshot.names, snapshot.keys, strict=True))
    return [question for question in single_tags(snapshot, "report") if key_of[question[0]] in known]
