"""Figures of one ranker on one split, ours by the code that the worker records them with."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.suggest.rivals import Rival, Scores
from bench.suggest.splits import MIN_COUNT, VALIDATED, reachable, split
from cocluster.suggestions import Form
from snapshot import Related
from snapshot.ranking import tilted, votes
from worker.suggestions import Figures, HeldOut, built, figures, tuned
from worker.suggestions.figures import FIRST, questions, summed
from worker.suggestions.tuning import TILTS

TIMED: Final = 1000
"""Questions over which the time of one is averaged."""


def rival_result(rival: Rival, trial: HeldOut, seed: int) -> dict[str, Any]:
    """Choose the setting of most recall on validation, learn from all training documents, and measure."""
    setting, began = rival.settings[0], time.perf_counter()
    if len(rival.settings) > 1:
        validation = split(trial.train, seed, most=VALIDATED)
        found = {each: answered(validation, rival.build(validation.train, each)).recall for each in rival.settings}
        setting = max(found, key=lambda each: found[each])
    tuning, began = time.perf_counter() - began, time.perf_counter()
    scores = rival.build(trial.train, setting)
    building = time.perf_counter() - began
    return {
        **asdict(answered(trial, scores)),
        "one_tag": answered(trial, scores, list(one_tag(trial, seed))).recall,
        "setting": setting,
        "tuning_seconds": tuning,
        "building_seconds": building,
        "query_seconds": per_query(trial, scores),
    }


def our_result(trial: HeldOut, seed: int, form: Form) -> dict[str, Any]:
    """The same of our ranker, at specificity 0, ½ and 1, and the figures of every tilt."""
    began = time.perf_counter()
    choice = tuned(trial.train, MIN_COUNT, seed, form)
    tuning, began = time.perf_counter() - began, time.perf_counter()
    related = built(trial.train, choice, form)
    building = time.perf_counter() - began
    found = figures(trial, related, (choice.blend,), (*choice.tilts, *TILTS))[0]
    scores = [our_scores(related, trial, tilt) for tilt in choice.tilts]
    return {
        "specificities": [
            {**asdict(each), "one_tag": answered(trial, score, list(one_tag(trial, seed))).recall}
            for each, score in zip(found[:3], scores, strict=True)
        ],
        "frontier": [{"tilt": tilt, **asdict(each)} for tilt, each in zip(TILTS, found[3:], strict=True)],
        "setting": asdict(choice),
        "listed": len(related.indices) / len(trial.counts),
        "tuning_seconds": tuning,
        "building_seconds": building,
        "query_seconds": per_query(trial, scores[1]),
        "reachable": reachable(trial),
    }


def our_scores(related: Related, trial: HeldOut, tilt: float) -> Scores:
    """What the service ranks by; tags that nothing speaks for are not suggested."""
    factor = tilted(trial.counts, tilt, int(trial.counts.min()), int(trial.counts.max()))

    def scores(query: tuple[int, ...]) -> NDArray[Any]:
        found = votes(related, query, len(trial.counts))
        return np.where(found > 0, found * factor, -np.inf)

    return scores


def one_tag(trial: HeldOut, seed: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Each hidden tag looked for with a single other tag of its document, as from a search box."""
    random = np.random.default_rng(seed)
    for query, target in questions(trial):
        yield (query[random.integers(len(query))],), target


def answered(trial: HeldOut, scores: Scores, asked: Sequence[tuple[tuple[int, ...], int]] | None = None) -> Figures:
    """The figures of any ranker; of equal scores the tag with the lower number stands first."""
    ranks, seen = [], np.zeros(len(trial.counts), dtype=np.bool_)
    for query, target in asked or questions(trial):
        found = scores(query)
        found[list(query)] = -np.inf
        seen[np.argpartition(-found, FIRST)[:FIRST]] = True
        mine = found[target]
        listed = 1 + np.count_nonzero(found > mine) + np.count_nonzero(found[:target] == mine)
        ranks.append(listed if mine > -np.inf else 0)
    return summed(trial, np.array(ranks, dtype=np.int32), float(seen.mean()))


def per_query(trial: HeldOut, scores: Scores) -> float:
    """Seconds to score all tags for a query and take the first ten."""
    asked = [query for query, _ in islice(questions(trial), TIMED)]
    began = time.perf_counter()
    for query in asked:
        found = scores(query)
        found[list(query)] = -np.inf
        np.argpartition(-found, FIRST)[:FIRST]
    return (time.perf_counter() - began) / len(asked)
