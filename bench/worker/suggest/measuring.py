"""Figures of one ranker on one split, ours by the code that the worker records them with."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.worker.suggest.rivals import Rival, Scores
from bench.worker.suggest.splits import MIN_COUNT, reachable, split
from cocluster.suggestions import Form, fit_related
from tagmodel import RelatedTags
from tagmodel.related import popularity_factors
from worker.suggestions import HeldOut, RankingQuality, evaluate, pairs_of_tags, tune
from worker.suggestions.evaluation import FIRST, hidden_tag_queries, quality_of_ranks
from worker.suggestions.held_out import Matrix
from worker.suggestions.tuning import EXPONENTS

TIMED: Final = 1000
"""Questions over which the time of one is averaged."""

BATCH: Final = 256


def rival_result(rival: Rival, trial: HeldOut, seed: int, min_count: int = MIN_COUNT) -> dict[str, Any]:
    """Choose the setting of most recall on validation, learn from all training documents, and measure."""
    setting, began = rival.settings[0], time.perf_counter()
    if len(rival.settings) > 1:
        validation = split(trial.train, seed, rival.validated, min_count)
        found = {each: answered(validation, rival.build(validation.train, each)).recall for each in rival.settings}
        setting = max(found, key=lambda each: found[each])
    tuning, began = time.perf_counter() - began, time.perf_counter()
    scores = rival.build(trial.train, setting)
    building = time.perf_counter() - began
    return {
        **asdict(answered(trial, scores)),
        "one_tag": answered(pairs_of_tags(trial), scores).recall,
        "setting": setting,
        "tuning_seconds": tuning,
        "building_seconds": building,
        "query_seconds": per_query(trial, scores),
    }


def our_result(trial: HeldOut, seed: int, form: Form, min_count: int = MIN_COUNT) -> dict[str, Any]:
    """The same of our ranker, at specificity 0, ½ and 1, and the figures of every exponent."""
    began = time.perf_counter()
    tuned = tune(trial.train, min_count, seed, form)
    choice = tuned.choice
    tuning, began = time.perf_counter() - began, time.perf_counter()
    related = fit_related(trial.train, choice, form, start=tuned.start)
    building = time.perf_counter() - began
    weights, exponents = (choice.logistic_weight,), choice.by_specificity
    frontier = [(exponents[1][0], exponent) for exponent in EXPONENTS]
    qualities = evaluate(trial, related, weights, [*exponents, *frontier])[0]
    alone = evaluate(pairs_of_tags(trial), related, weights, exponents)[0]
    return {
        "specificities": [
            {**asdict(each), "one_tag": one_tag.recall} for each, one_tag in zip(qualities[:3], alone, strict=True)
        ],
        "frontier": [
            {"exponent": exponent, "recall": each.recall, "tail_recall": each.tail_recall}
            for exponent, each in zip(EXPONENTS, qualities[3:], strict=True)
        ],
        "setting": asdict(choice),
        "listed": len(related.indices) / len(trial.counts),
        "tuning_seconds": tuning,
        "building_seconds": building,
        "query_seconds": per_query(trial, our_scores(related, trial, exponents[1])),
        "reachable": reachable(trial),
    }


def our_scores(related: RelatedTags, trial: HeldOut, exponents: tuple[float, float]) -> Scores:
    """What the service ranks by; tags that nothing speaks for are not suggested."""
    factors = [popularity_factors(trial.counts, exponent) for exponent in exponents]

    def scores(queries: Matrix) -> NDArray[Any]:
        ranking = np.full(queries.shape, -np.inf)
        for row, query in zip(ranking, np.split(queries.indices, queries.indptr[1:-1]), strict=True):
            tags, odds, _ = related.candidates(tuple(query.tolist()))
            row[tags] = odds * factors[len(query) > 1][tags]
        return ranking

    return scores


def answered(trial: HeldOut, scores: Scores) -> RankingQuality:
    """The figures of any ranker."""
    ranks, seen = ranked(trial, scores)
    return quality_of_ranks(trial, ranks, float(seen.mean()))


def ranked(trial: HeldOut, scores: Scores) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Where hidden tags stand, 0 for nowhere, and which are ever suggested; of equals the lower number comes first."""
    tags = np.arange(len(trial.counts))
    first = min(FIRST, len(tags) - 1)
    ranks, seen = [], np.zeros(len(tags), dtype=np.bool_)
    for batch in batched(hidden_tag_queries(trial)):
        queries = as_matrix([query for query, _ in batch], len(tags))
        hidden = np.array([target for _, target in batch])[:, None]
        found = scores(queries)
        found[np.repeat(np.arange(len(batch)), np.diff(queries.indptr)), queries.indices] = -np.inf
        seen[np.argpartition(-found, first, axis=1)[:, :first]] = True
        mine = np.take_along_axis(found, hidden, axis=1)
        before = (found > mine) | ((found == mine) & (tags < hidden))
        ranks.append(np.where(mine[:, 0] > -np.inf, 1 + before.sum(axis=1), 0))
    return np.concatenate(ranks).astype(np.int32), seen


def per_query(trial: HeldOut, scores: Scores) -> float:
    """Seconds to score all tags for one query and take the first ten."""
    asked = [as_matrix([query], len(trial.counts)) for query, _ in islice(hidden_tag_queries(trial), TIMED)]
    began = time.perf_counter()
    for query in asked:
        np.argpartition(-scores(query)[0], FIRST)[:FIRST]
    return (time.perf_counter() - began) / len(asked)


def as_matrix(queries: list[tuple[int, ...]], tags: int) -> Matrix:
    """Queries as rows of zeros and ones."""
    starts = np.cumsum([0, *map(len, queries)])
    found = np.array([tag for query in queries for tag in query], dtype=np.int32)
    return csr_array((np.ones(len(found)), found, starts), shape=(len(queries), tags))


def batched(asked: Iterable[tuple[tuple[int, ...], int]]) -> Iterator[list[tuple[tuple[int, ...], int]]]:
    """Questions a few hundred at a time."""
    left = iter(asked)
    while batch := list(islice(left, BATCH)):
        yield batch
