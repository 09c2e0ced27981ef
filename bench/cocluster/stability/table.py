"""The results as Markdown."""

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from bench.cocluster.stability.chain import Chain, Setting

Result = Mapping[str, Any]
Chains = Mapping[str, Mapping[float, Result | None]]


def machine() -> str:
    """What the measurements ran on."""
    named = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    return f"{named[0] if named else platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def gaps(step: Result) -> tuple[float, float, float, float]:
    """V-measure (difference) and information (relative) against fresh: at as many clusters, then where that cuts."""
    like, own = step["as_many"], step["own_cut"]
    return like["v"], like["information"], own["v"], own["information"]


def summary(chains: Chains, default: float) -> list[str]:
    """One line a corpus: the default against the requirement."""
    lines = [
        "`python -m bench.cocluster.stability`, "
        + next((found["machine"] for found in _found(chains)), machine())
        + ".",
        "A corpus grows by ten batches of 5 % of its documents; after each it is clustered again, inheriting from the",
        "run before. *Moved*: share of the tags known before whose cluster id changed. V-measure (of the documents",
        "against their labels) and information (share of that of M*) are measured on plain M* and compared with a",
        "fresh run on the same documents, cut into as many clusters; *own cut*: where the fresh run cuts by itself.",
        "",
        f"The default, inertia {default:g}, beside the method as published:",
        "",
        "| corpus | moved: mean, most | as published | ΔV mean | Δinformation mean | at the tenth batch |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for corpus, runs in chains.items():
        kept, plain = runs.get(default), runs.get(0.0)
        if kept and plain:
            steps = kept["steps"][1:]
            moved = [step["moved"] for step in steps]
            dv, di, *_ = zip(*map(gaps, steps), strict=True)
            lines.append(
                f"| {corpus} | {mean(moved):.1%}, {max(moved):.1%} "
                f"| {mean(step['moved'] for step in plain['steps'][1:]):.1%} "
                f"| {mean(dv):+.3f} | {mean(di):+.1%} | {dv[-1]:+.3f}, {di[-1]:+.1%} |"
            )
    return [*lines, ""]


def once_table(once: Mapping[tuple[str, int], Mapping[float, Result | None]], default: float) -> list[str]:
    """The last 5 % of a corpus added to the rest, split by split, and the means."""
    measured = [
        (corpus, split, kept["steps"][1], plain["steps"][1])
        for (corpus, split), runs in once.items()
        if (kept := runs.get(default)) and (plain := runs.get(0.0))
    ]
    if not measured:
        return []
    lines = [
        "## The last 5 %",
        "",
        "A fresh run on all but the last 5 %, then one that inherits from it, on all.",
        "",
        _head("corpus|split|moved|as published|ΔV|Δinformation|own cut ΔV|own cut Δinformation"),
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for corpus in dict.fromkeys(corpus for corpus, *_ in measured):
        found = [
            (str(split), (kept["moved"], plain["moved"], *gaps(kept)))
            for name, split, kept, plain in measured
            if name == corpus
        ]
        means = tuple(mean(column) for column in zip(*(figures for _, figures in found), strict=True))
        for split, (moved, published, dv, di, own_dv, own_di) in [*found, ("mean", means)]:
            lines.append(
                f"| {corpus} | {split} | {moved:.1%} | {published:.1%} | {dv:+.3f} | {di:+.1%} "
                f"| {own_dv:+.3f} | {own_di:+.1%} |"
            )
    return [*lines, ""]


def chains_table(chains: Chains) -> list[str]:
    """Every batch of every chain."""
    lines = []
    for corpus, runs in chains.items():
        for inertia, found in runs.items():
            if not found:
                continue
            lines += [
                f"## {corpus}, inertia {inertia:g}",
                "",
                _head(
                    "documents|moved|ARI|kept/split/merged/new|k documents, tags (fresh)|V|information|ΔV|Δinformation|"
                    "own cut ΔV|own cut Δinformation|seconds"
                ),
                "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
                *map(_row, found["steps"]),
                "",
            ]
    return lines


def _row(step: Result) -> str:
    run, (documents, tags) = step["worth"], step["fresh_cut"]
    dv, di, own_dv, own_di = gaps(step)
    return (
        f"| {step['documents']} | {step['moved']:.1%} | {step['ari']:.3f} | {'/'.join(map(str, step['ids'].values()))} "
        f"| {run['documents']}, {run['tags']} ({documents}, {tags}) "
        f"| {run['v']:.3f} | {run['information']:.3f} "
        f"| {dv:+.3f} | {di:+.1%} | {own_dv:+.3f} | {own_di:+.1%} | {step['seconds']:.0f} |"
    )


def arrivals_table(arrivals: Sequence[Result]) -> list[str]:
    """What became of the topics that were held out."""
    if not arrivals:
        return []
    return [
        "## A new topic arrives",
        "",
        "The documents of one label are held out, the rest is clustered, then all. *Own tags*: two thirds of their",
        "documents or more are the label's. *In new clusters*: with an id the version before did not have. *Of them",
        "own*: share of the tags of these clusters that are the topic's own. *In own clusters*: of whatever id, half",
        "of whose tags or more are the topic's own.",
        "",
        _head(
            "corpus|label|documents|own tags|inertia|in new clusters|of them own|clusters|in own clusters|others moved"
        ),
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(
            f"| {found['corpus']} | {found['label']} | {found['documents'][0]} of {found['documents'][1]} "
            f"| {found['own']} | {found['inertia']:g} | {found['in_new']:.0%} | {found['purity']:.0%} "
            f"| {found['clusters']} | {found['together']:.0%} | {found['moved']:.1%} |"
            for found in arrivals
        ),
        "",
    ]


def tuning_table(tried: Iterable[tuple[Setting, Chain, Result]]) -> list[str]:
    """Means over the seeds the setting was chosen on."""
    grouped: dict[tuple[str, float, str, str], list[Result]] = {}
    for setting, chain, found in tried:
        cut = "best" if not setting.tolerance else f"{setting.tolerance:g}, " + ("best" if setting.jumps else "nearest")
        key = (setting.name, setting.inertia, cut, chain.corpus)
        grouped.setdefault(key, []).extend(found["steps"][1:])
    if not grouped:
        return []
    lines = [
        "## How levels, inertia and tolerance were chosen",
        "",
        "`python -m bench.cocluster.stability tune`: 1,500 documents, five batches, seeds 0 and 1; the tables",
        "above have others.",
        "*Cut*: within which share of the best k the one before is kept, and where it goes otherwise.",
        "",
        _head("levels|inertia|cut|corpus|moved: mean, most|ΔV mean|Δinformation mean|own cut ΔV, Δinformation"),
        "|---|--:|--:|---|--:|--:|--:|--:|",
    ]
    for (name, inertia, cut, corpus), steps in grouped.items():
        dv, di, own_dv, own_di = (mean(column) for column in zip(*map(gaps, steps), strict=True))
        moved = [step["moved"] for step in steps]
        lines.append(
            f"| {name} | {inertia:g} | {cut} | {corpus} | {mean(moved):.1%}, {max(moved):.1%} "
            f"| {dv:+.3f} | {di:+.1%} | {own_dv:+.3f}, {own_di:+.1%} |"
        )
    return [*lines, ""]


def _head(names: str) -> str:
    return f"| {names.replace('|', ' | ')} |"


def _found(chains: Chains) -> list[Result]:
    return [found for runs in chains.values() for found in runs.values() if found]
