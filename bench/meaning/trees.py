"""The tag partition: its figures at several k, and how stable it is."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from bench.meaning.judge import judge
from bench.meaning.measures import Labels, auc, bits, gain, npmi
from bench.meaning.partitions import METHODS, Tags
from bench.meaning.samples import Kind, Sample, incidence_of
from cocluster import v_measure

KS: Final = (8, 15, 30)
AUTOMATIC: Final = "auto"


def tags_of(sample: Sample, kind: Kind = "base") -> Tags:
    """The tags of one snapshot of a sample."""
    snapshot = sample.snapshot(kind).snapshot
    return Tags(snapshot, incidence_of(sample.documents(kind), snapshot.keys), sample.seed)


def partition_figures(sample: Sample, tags: Tags, method: str) -> dict[str, Any]:
    """The measures of a method's partitions, by k."""
    snapshot = tags.snapshot
    held_out = incidence_of(sample.held_out, snapshot.keys)
    known = np.array([judge(sample.corpus).known(key) for key in snapshot.keys])
    cosines = judge(sample.corpus).cosines(
        [key for key, is_known in zip(snapshot.keys, known, strict=True) if is_known]
    )
    by_count = np.argsort(-snapshot.counts, kind="stable")
    at = METHODS[method](tags)

    def figures(labels: Labels) -> dict[str, float]:
        sizes = np.bincount(labels)
        groups = [by_count[labels[by_count] == cluster].tolist() for cluster in np.flatnonzero(sizes)]
        return {
            "clusters": len(groups),
            "gain": gain(cosines, labels[known]),
            "auc": auc(cosines, labels[known]) or 0.5,
            "bits": bits(tags.matrix, held_out, labels),
            "npmi": npmi(held_out, groups),
            "biggest": float(sizes.max() / sizes.sum()),
            "single": int((sizes == 1).sum()),
        }

    return {name: figures(labels) for name, labels in _cuts(tags, at).items()}


def partition_stability(sample: Sample, method: str) -> dict[str, float]:
    """V between the partitions of two 95 % samples over their common tags, by k; of Cotag also after 5 % more."""
    one, other = (tags_of(sample, kind) for kind in ("a", "b"))
    first, second = _cuts(one, METHODS[method](one)), _cuts(other, METHODS[method](other))
    stable = {name: _agreement(one, first[name], other, second[name]) for name in first}
    if method == "Cotag":
        before, after = (tags_of(sample, kind) for kind in ("base", "grown"))
        stable["grown"] = _agreement(before, before.snapshot.partition.labels, after, after.snapshot.partition.labels)
    return stable


def _cuts(tags: Tags, at: Callable[[int], Labels]) -> dict[str, Labels]:
    return {**{str(k): at(k) for k in KS}, AUTOMATIC: at(tags.automatic_k)}


def _agreement(one: Tags, labels: Any, other: Tags, other_labels: Any) -> float:
    place = {key: tag for tag, key in enumerate(other.snapshot.keys)}
    common = [(tag, place[key]) for tag, key in enumerate(one.snapshot.keys) if key in place]
    first, second = np.array(common).T
    return float(v_measure(labels[first], other_labels[second]))
