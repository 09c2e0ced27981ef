"""What clouds and the first page show: figures of each answer, and their means."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

import numpy as np

from bench.meaning.api import Cloud
from bench.meaning.judge import Judge
from bench.meaning.measures import Sparse, auc, gain, npmi
from cocluster import v_measure
from snapshot import normalise

LARGE: Final = 12
"""The biggest share is that of clouds with at least so many tags."""

Ask = Callable[[tuple[str, ...]], Cloud]


@dataclass(frozen=True)
class Reader:
    """Judges clouds of one snapshot: by embeddings, and by documents held out."""

    judge: Judge
    held_out: Sparse
    column: Mapping[str, int]

    def figures(self, cloud: Cloud) -> dict[str, float | None]:
        """The measures of one cloud."""
        named = [group for group in cloud.groups if group.kind == "group"]
        sizes = [len(group.tags) for group in cloud.groups]
        shown = sum(sizes)
        labels = np.repeat(np.arange(len(sizes)), sizes)
        tags = cloud.tags
        known = np.array([self.judge.known(tag) for tag in tags], dtype=bool)
        cosines = self.judge.cosines([tag for tag, is_known in zip(tags, known, strict=True) if is_known])
        columns = [[self.column[normalise(tag)] for tag in group.tags] for group in cloud.groups]
        return {
            "gain": gain(cosines, labels[known]),
            "auc": auc(cosines, labels[known]),
            "npmi": npmi(self.held_out, columns),
            "tags": shown,
            "sets": len(sizes),
            "single": sum(len(group.tags) == 1 for group in named),
            "foreign": sum(foreign(group.heading, group.tags) for group in named),
            "unled": sum(group.tags[0] not in group.heading.split(", ") for group in named),
            "headed": len(named),
            "biggest": max(sizes) / shown if shown >= LARGE else None,
            "also": sum(len(group.tags) for group in cloud.groups if group.kind == "also") / shown,
        }


def foreign(heading: str, tags: Sequence[str]) -> bool:
    """Whether a heading names no tag of its group."""
    return not set(tags) & set(heading.split(", "))


def means(figures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Of many clouds; foreign headings, and those without the heaviest tag, as a share of the headings."""
    headed = sum(each["headed"] for each in figures) or 1
    return {
        **{
            name: fmean(found) if (found := [each[name] for each in figures if each[name] is not None]) else None
            for name in ("gain", "auc", "npmi", "tags", "sets", "single", "biggest", "also")
        },
        **{name: sum(each[name] for each in figures) / headed for name in ("foreign", "unled")},
        "queries": len(figures),
        "each": [{name: _rounded(each[name]) for name in ("gain", "auc")} for each in figures],
    }


def measure(reader: Reader, ask: Ask, questions: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    """The means over questions; questions without an answer of two tags or more are left out."""
    answers = (ask(question) for question in questions)
    return means([reader.figures(cloud) for cloud in answers if len(cloud.tags) > 1])


def agreement(one: Cloud, other: Cloud) -> float | None:
    """V between the groupings of the tags that both clouds show; None if they share fewer than two."""
    group_of = {normalise(tag): number for number, group in enumerate(one.groups) for tag in group.tags}
    other_of = {normalise(tag): number for number, group in enumerate(other.groups) for tag in group.tags}
    common = sorted(group_of.keys() & other_of.keys())
    if len(common) < 2:
        return None
    return float(v_measure([group_of[tag] for tag in common], [other_of[tag] for tag in common]))


def shared(one: Cloud, other: Cloud) -> float:
    """The share of the first cloud's tags that the second shows, too."""
    tags = {normalise(tag) for tag in one.tags}
    return len(tags & {normalise(tag) for tag in other.tags}) / len(tags)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
