"""Planted bursts: how many of them each score finds, and how much of what it lists was planted.

    python -m bench.trends

A stream of documents with tags drawn by Zipf's law; in its last week ten tags burst by 5 to 200 documents. In a second
kind of stream ten concepts burst: documents have a topic, most of their tags are of this topic, and each belongs to the
concept that most of its tags have. Each score lists what it holds for rising: at most twenty, none below its threshold.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tagmodel.trends import FLOOR, shrunk_log_odds, signed_g_squared, trend_scores

SIZES: Final = (5, 10, 15, 20, 30, 40, 60, 80, 120, 200)
TAGS: Final = 5000
SEEDS: Final = 20
LISTED: Final = 20
BEFORE: Final = 4
RESULT: Final = Path(__file__).parent / "results" / "trends.md"

CONCEPTS: Final = 200
TAGS_EACH: Final = 4
NOISE: Final = 0.3
"""The share of the tags of a document that are of any topic."""

Score = Callable[[NDArray[Any], int, NDArray[Any], int], NDArray[np.float64]]


def raw_ratio(a: NDArray[Any], n: int, b: NDArray[Any], m: int) -> NDArray[np.float64]:
    """The ratio of the shares, with half a document for none."""
    ratio: NDArray[np.float64] = np.log(((a + 0.5) / n) / ((b + 0.5) / m))
    return np.where(a > 0, ratio, -np.inf)


def z_score(a: NDArray[Any], n: int, b: NDArray[Any], m: int) -> NDArray[np.float64]:
    """The difference from the expected count in standard deviations of the time before."""
    expected = b * n / m
    scores: NDArray[np.float64] = (a - expected) / np.sqrt(np.maximum(expected, 1e-2))
    return scores


SCORES: Final[dict[str, tuple[Score, float]]] = {
    "raw ratio (above 2)": (raw_ratio, float(np.log(2.0))),
    "z-score (above 3)": (z_score, 3.0),
    "shrunk log-odds ratio (above log 2)": (shrunk_log_odds, float(np.log(2.0))),
    "G² (above 15.1: p < .0001)": (signed_g_squared, FLOOR),
    "served: G² above 15.1, ranked by shrunk log-odds": (trend_scores, 0.0),
}


Stream = tuple[NDArray[Any], int, NDArray[Any], int, list[int]]
"""Counts and documents of the window, those of the time before, and what burst, in the order of SIZES."""


def stream_of_tags(seed: int, per_week: int) -> Stream:
    """Tags of which ten burst."""
    chance = np.random.default_rng(seed)
    rate = _zipf(TAGS) * TAGS_EACH
    rate = np.minimum(rate, 0.5)
    n, m = per_week, BEFORE * per_week
    recent, before = chance.binomial(n, rate), chance.binomial(m, rate)
    burst = chance.choice(np.arange(20, TAGS), len(SIZES), replace=False)
    recent[burst] += np.array(SIZES)
    return recent, n + sum(SIZES), before, m, burst.tolist()


def stream_of_concepts(seed: int, per_week: int) -> Stream:
    """Concepts of which ten burst, counted by the documents that their tags give them."""
    chance = np.random.default_rng(seed)
    concept_of = chance.integers(CONCEPTS, size=TAGS)
    burst = chance.choice(CONCEPTS, len(SIZES), replace=False)
    topics = _zipf(CONCEPTS)
    before = chance.choice(CONCEPTS, BEFORE * per_week, p=topics)
    recent = np.concatenate([chance.choice(CONCEPTS, per_week, p=topics), np.repeat(burst, SIZES)])
    counts = [
        np.bincount(_assigned(chance, of_documents, concept_of), minlength=CONCEPTS)
        for of_documents in (recent, before)
    ]
    return counts[0], len(recent), counts[1], len(before), burst.tolist()


def _zipf(size: int) -> NDArray[np.float64]:
    rate = 1.0 / np.arange(1, size + 1)
    shares: NDArray[np.float64] = rate / rate.sum()
    return shares


def _assigned(chance: np.random.Generator, topics: NDArray[Any], concept_of: NDArray[Any]) -> NDArray[Any]:
    """The concept that most tags of each document have, at equal counts the first: as the service assigns documents."""
    of_tags = np.repeat(topics[:, None], TAGS_EACH, axis=1)
    noise = chance.random(of_tags.shape) < NOISE
    of_tags[noise] = concept_of[chance.choice(TAGS, int(noise.sum()), p=_zipf(TAGS))]
    of_tags.sort(axis=1)
    same = (of_tags[:, :, None] == of_tags[:, None, :]).sum(axis=2)
    assigned: NDArray[Any] = of_tags[np.arange(len(topics)), same.argmax(axis=1)]
    return assigned


def measured(stream: Callable[[int, int], Stream], per_week: int) -> list[tuple[str, float, float]]:
    """Precision and recall of each score over all seeds."""
    rows = []
    for name, (score, least) in SCORES.items():
        hits = listed = planted = 0
        for seed in range(SEEDS):
            recent, n, before, m, burst = stream(seed, per_week)
            scores = score(recent, n, before, m)
            chosen = [tag for tag in np.argsort(-scores, kind="stable")[:LISTED].tolist() if scores[tag] > least]
            hits, listed, planted = hits + len(set(burst) & set(chosen)), listed + len(chosen), planted + len(burst)
        rows.append((name, hits / max(listed, 1), hits / planted))
    return rows


def found_by_size(stream: Callable[[int, int], Stream], per_week: int) -> list[float]:
    """The share of the bursts of each size that the served score finds."""
    found = np.zeros(len(SIZES))
    for seed in range(SEEDS):
        recent, n, before, m, burst = stream(seed, per_week)
        scores = trend_scores(recent, n, before, m)[burst]
        found += scores > 0
    shares: list[float] = (found / SEEDS).tolist()
    return shares


def _table(stream: Callable[[int, int], Stream]) -> list[str]:
    lines = ["", "| documents a week | score | precision | recall |", "|---|---|---|---|"]
    for per_week in (500, 5000):
        lines += [f"| {per_week:,} | {name} | {p:.2f} | {r:.2f} |" for name, p, r in measured(stream, per_week)]
    return lines


def main() -> None:
    """Print the table, and keep it."""
    lines = [
        "# Planted bursts",
        "",
        f"`python -m bench.trends`: {TAGS:,} tags by Zipf's law, four a document. In the last week ten of them burst.",
        f"Bursts have {SIZES[0]} to {SIZES[-1]} documents. {SEEDS} streams; at most {LISTED} tags are listed.",
        *_table(stream_of_tags),
        "",
        "## Concepts",
        "",
        f"{CONCEPTS} topics by Zipf's law, which share the tags. A tag of a document is of its topic, or, with a",
        f"probability of {NOISE}, any tag. A document belongs to the concept that most of its tags have. In the last",
        f"week ten concepts burst by {SIZES[0]} to {SIZES[-1]} documents, frequent ones and rare ones. {SEEDS}",
        f"streams; at most {LISTED} concepts are listed.",
        *_table(stream_of_concepts),
        "",
        "The share of the bursts of concepts that the served score finds, by their size:",
        "",
        f"| documents a week | {' | '.join(map(str, SIZES))} |",
        f"|---|{'---|' * len(SIZES)}",
        *(
            f"| {n:,} | {' | '.join(f'{share:.2f}' for share in found_by_size(stream_of_concepts, n))} |"
            for n in (500, 5000)
        ),
    ]
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
