"""What it costs to know the documents without a tag by a sample of them, and what a sample alone would cost."""

import time
from dataclasses import replace
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from bench.cocluster.stability.table import machine
from bench.worker.suggest.splits import MIN_COUNT, matrix, split
from cocluster.suggestions import TrainingDocuments, logistic, related_tags, suggestion_lists, training_documents
from cocluster.suggestions.logistic import ENTRIES
from worker.suggestions import HeldOut, tune
from worker.suggestions.fit import default_quality

NAMES: Final = ("whatscooking", "radio_large")
SEED: Final = 7
"""Of a split that no other table is about."""

SIZES: Final = (10**9, 1_000_000, 350_000, ENTRIES, 100_000, 50_000)


def sample_table() -> str:
    """Recall with samples of several sizes, at the settings that the worker finds."""
    lines = [
        "# Documents without a tag known by a sample, measured",
        "",
        f"`python -m bench.worker.suggest sample`, {machine()}.",
        "",
        "| corpus | entries in the sample | seconds | recall@10 | MRR | tail | recall@10 by the sample alone |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in NAMES:
        trial = split(matrix(name), SEED)
        lines += [f"| {name} | {row} |" for row in rows_of_samples(trial)]
    return "\n".join(lines) + "\n"


def rows_of_samples(trial: HeldOut) -> list[str]:
    """One for each size, the largest first."""
    choice = tune(trial.train, MIN_COUNT, SEED).choice
    lists = suggestion_lists(trial.train, choice.penalty)
    rows = []
    for size in sorted({min(size, trial.train.nnz) for size in SIZES}, reverse=True):
        documents = training_documents(trial.train, most=size)
        began = time.perf_counter()
        evidence = logistic(documents, lists, choice.logistic_penalty)
        seconds = time.perf_counter() - began
        alone = logistic(_alone(documents), lists, choice.logistic_penalty)
        quality, poorer = (
            default_quality(trial, related_tags(lists, each, choice), choice) for each in (evidence, alone)
        )
        shown = [f"{each:.4f}" for each in (quality.recall, quality.mrr, quality.tail_recall, poorer.recall)]
        rows.append(" | ".join([f"{len(documents.sample.documents):,}", f"{seconds:.1f}", *shown]))
    return rows


def _alone(documents: TrainingDocuments) -> TrainingDocuments:
    """As if there were no documents but those of the sample."""
    return replace(
        documents,
        rows=csr_array(documents.rows[documents.place_of >= 0]),
        postings=documents.sample,
        place_of=np.arange(len(documents.sample.times), dtype=np.int32),
    )
