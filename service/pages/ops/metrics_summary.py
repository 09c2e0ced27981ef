"""A summary of the requests of the last day for the operators' page."""

import math
from collections import Counter
from dataclasses import dataclass

from service.web.day_window import Totals


@dataclass(frozen=True)
class MetricsSummary:
    """Totals of all processes over some time; times in seconds, None before the first request."""

    requests: int
    failed: int
    """Answered with a 5xx."""

    median: float | None
    slow: float | None
    """99 of 100 requests take less."""

    cached: float | None
    """Share of the questions answered from memory."""

    limited: int
    refused: int
    """Snapshots that could not be read."""

    seconds: float
    """Over how long a time: a day, or less after a start."""


def metrics_summary(totals: Totals, seconds: float = 0.0) -> MetricsSummary:
    """Sum up counters and the buckets of the histogram."""
    counters = totals.counters
    buckets = Counter({float(bound): count for bound, count in totals.buckets.items()})
    hits, misses = counters["cotag_answer_cache_total hit"], counters["cotag_answer_cache_total miss"]
    return MetricsSummary(
        requests=sum(totals.statuses.values()),
        failed=sum(count for status, count in totals.statuses.items() if status.startswith("5")),
        median=quantile(buckets, 0.5),
        slow=quantile(buckets, 0.99),
        cached=hits / (hits + misses) if hits + misses else None,
        limited=counters["cotag_rate_limited_total"],
        refused=counters["cotag_snapshots_refused_total"],
        seconds=seconds,
    )


def quantile(buckets: Counter[float], share: float) -> float | None:
    """The value that a share of the observations does not exceed; linear within a bucket.

    Buckets count all observations up to their bound; a value above the last finite bound is reported as that bound.
    """
    total = buckets.get(math.inf, 0)
    if not total:
        return None
    below, before = 0.0, 0
    for bound, count in sorted(buckets.items()):
        if count >= share * total and count > before:
            if math.isinf(bound):
                return below
            return below + (bound - below) * (share * total - before) / (count - before)
        below, before = bound, count
    return below
