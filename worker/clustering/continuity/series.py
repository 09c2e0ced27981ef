"""The series of a version: its own documents by their dates, and the days that its source no longer has."""

from collections.abc import Sequence

import numpy as np

from snapshot import Alias, DocumentTable, Lineage, Series, Snapshot, continued, counted_series
from worker.vocabulary.aliases import former_keys


def series_of(
    table: DocumentTable | None,
    ids: Sequence[int],
    keys: tuple[str, ...],
    head: int,
    *,
    lineage: Lineage,
    aliases: Sequence[Alias],
    previous: Snapshot | None,
) -> Series:
    """The series of all tags (`keys`, the first `head` in the tree) and of the concepts with these ids.

    `previous` is the version whose earlier days go on; None if they must not.
    """
    if table is None:
        return Series()
    now = counted_series(table, ids, head)
    if previous is None or not previous.series.any:
        return now
    old_keys = previous.keys + previous.tail.keys
    number = {key: tag for tag, key in enumerate(former_keys(keys, aliases, old_keys))}
    numbers = np.array([number.get(key, -1) for key in old_keys], dtype=np.int64)
    return continued(now, previous.series, heirs(lineage, ids), numbers)


def heirs(lineage: Lineage, ids: Sequence[int]) -> dict[int, int]:
    """Which concept has the documents of each earlier one: itself, else the first that took a large share of it."""
    newest_first = sorted(lineage.clusters, reverse=True)
    found = {parent: each for each in newest_first for parent in lineage.clusters[each].parents}
    return {**found, **{each: each for each in ids}}
