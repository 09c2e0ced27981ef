"""Planted bursts: how many of them each score finds, and how much of what it lists was planted.

    python -m bench.trends

A stream of documents with tags drawn by Zipf's law; in its last week ten tags burst by 5 to 200 documents. Each score
lists what it holds for rising: at most twenty tags, and none below its own threshold.
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


def stream(seed: int, per_week: int) -> tuple[NDArray[Any], int, NDArray[Any], int, set[int]]:
    """Counts of the window and of the time before, and the tags that burst."""
    chance = np.random.default_rng(seed)
    rate = 1.0 / np.arange(1, TAGS + 1)
    rate *= 4.0 / rate.sum()  # four tags a document
    rate = np.minimum(rate, 0.5)
    n, m = per_week, BEFORE * per_week
    recent, before = chance.binomial(n, rate), chance.binomial(m, rate)
    burst = chance.choice(np.arange(20, TAGS), len(SIZES), replace=False)
    recent[burst] += np.array(SIZES)
    return recent, n + sum(SIZES), before, m, set(burst.tolist())


def measured(per_week: int) -> list[tuple[str, float, float]]:
    """Precision and recall of each score over all seeds."""
    rows = []
    for name, (score, least) in SCORES.items():
        hits = listed = planted = 0
        for seed in range(SEEDS):
            recent, n, before, m, burst = stream(seed, per_week)
            scores = score(recent, n, before, m)
            chosen = [tag for tag in np.argsort(-scores, kind="stable")[:LISTED].tolist() if scores[tag] > least]
            hits, listed, planted = hits + len(burst & set(chosen)), listed + len(chosen), planted + len(burst)
        rows.append((name, hits / max(listed, 1), hits / planted))
    return rows


def main() -> None:
    """Print the table, and keep it."""
    lines = [
        "# Planted bursts",
        "",
        f"`python -m bench.trends`: {TAGS:,} tags by Zipf's law, four a document. In the last week ten of them burst.",
        f"Bursts have {SIZES[0]} to {SIZES[-1]} documents. {SEEDS} streams; at most {LISTED} tags are listed.",
        "",
        "| documents a week | score | precision | recall |",
        "|---|---|---|---|",
    ]
    for per_week in (500, 5000):
        lines += [f"| {per_week:,} | {name} | {p:.2f} | {r:.2f} |" for name, p, r in measured(per_week)]
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
