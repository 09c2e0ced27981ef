"""Whether a cloud answers first: where the group stands whose tags are nearest to the query."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Final

import numpy as np

from bench.meaning.api import SHOWN, Served
from bench.meaning.judge import Judge
from bench.meaning.queries import Purpose, purpose_of
from snapshot import Snapshot

ASKED: Final = 150
GROUPS: Final = 12
LEAST_TAGS: Final = 12
"""Smaller clouds have hardly an order."""

FIRST_FEW: Final = 3

Groups = Sequence[Mapping[str, Any]]


def asked_tags(snapshot: Snapshot, judge: Judge, purpose: Purpose) -> list[str]:
    """The commonest tags of this purpose that the judge knows."""
    order = np.argsort(-snapshot.counts, kind="stable").tolist()
    names = (snapshot.names[tag] for tag in order if purpose_of(snapshot.keys[tag]) == purpose)
    return [name for name, _ in zip(filter(judge.known, names), range(ASKED), strict=False)]


def order_figures(api: Served, judge: Judge, tags: Sequence[str]) -> dict[str, Any]:
    """Over clouds: how often the best group is the first, or among the first three; and the same if ordered by weight.

    `broad`: how often most tags of the first group are broad.
    """
    rows = []
    for tag in tags:
        groups = api.groups((tag,), GROUPS, SHOWN)
        if sum(len(group["tags"]) for group in groups) < LEAST_TAGS:
            continue
        best = nearest_group(judge, tag, groups)
        by_weight = sorted(range(len(groups)), key=lambda each: (groups[each]["also"], -groups[each]["weight"]))
        rows.append(
            {
                "first": best == 0,
                "three": best < FIRST_FEW,
                "first by weight": by_weight[0] == best,
                "three by weight": best in by_weight[:FIRST_FEW],
                "broad": fmean(each["broad"] for each in groups[0]["tags"]) > 0.5,
                "groups": len(groups),
                "common": share_of(groups, "common"),
                "also": share_of(groups, "also"),
            }
        )
    return {"clouds": len(rows), **{name: fmean(row[name] for row in rows) for name in rows[0]}}


def nearest_group(judge: Judge, tag: str, groups: Groups) -> int:
    """The group with the highest mean cosine with a tag."""
    means = []
    for group in groups:
        known = [each["tag"] for each in group["tags"] if judge.known(each["tag"])]
        means.append(float(judge.cosines([tag, *known])[0, 1:].mean()) if known else -1.0)
    return int(np.argmax(means))


def share_of(groups: Groups, kind: str) -> float:
    """The share of the tags in groups of a kind; 0 in answers that do not know it."""
    tags = sum(len(group["tags"]) for group in groups)
    return sum(len(group["tags"]) for group in groups if group.get(kind)) / tags


def order_table(trials: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One row a corpus and half of the tags."""
    columns = {
        "first": "best group first",
        "three": "among the first three",
        "first by weight": "first, by weight",
        "three by weight": "among three, by weight",
        "broad": "first mostly broad",
        "groups": "groups",
        "common": "tags in common",
        "also": "tags in also",
    }
    titles = ["corpus", "tags", "clouds", *columns.values()]
    lines = [f"| {' | '.join(titles)} |", "|---|---|" + "--:|" * (len(titles) - 2)]
    for name, figures in trials.items():
        corpus, purpose = name.split()[1:]
        cells = (f"{figures[each]:.2f}" if each != "groups" else f"{figures[each]:.1f}" for each in columns)
        lines.append(f"| {corpus} | {purpose} | {figures['clouds']} | {' | '.join(cells)} |")
    return lines
