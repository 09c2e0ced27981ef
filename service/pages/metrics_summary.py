"""A summary of the Prometheus metrics for the operators' page."""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry

MACHINES: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Routes left out of the summary: machines poll them, and a 503 of /readyz is no error."""


@dataclass(frozen=True)
class MetricsSummary:
    """Totals of all processes since the start; times in seconds, None before the first request."""

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


def metrics_summary(registry: CollectorRegistry) -> MetricsSummary:
    """Sum up counters and the buckets of the histogram."""
    buckets: Counter[float] = Counter()
    statuses: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for family in registry.collect():
        for sample in family.samples:
            if sample.labels.get("route") in MACHINES:
                continue
            if sample.name == "cotag_request_seconds_bucket":
                buckets[float(sample.labels["le"])] += int(sample.value)
            elif sample.name == "cotag_request_seconds_count":
                statuses[sample.labels["status"]] += int(sample.value)
            elif sample.name.endswith("_total"):
                totals[f"{sample.name} {sample.labels.get('result', '')}".strip()] += int(sample.value)
    hits, misses = totals["cotag_answer_cache_total hit"], totals["cotag_answer_cache_total miss"]
    return MetricsSummary(
        requests=sum(statuses.values()),
        failed=sum(count for status, count in statuses.items() if status.startswith("5")),
        median=quantile(buckets, 0.5),
        slow=quantile(buckets, 0.99),
        cached=hits / (hits + misses) if hits + misses else None,
        limited=totals["cotag_rate_limited_total"],
        refused=totals["cotag_snapshots_refused_total"],
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
