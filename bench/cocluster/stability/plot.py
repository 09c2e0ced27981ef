"""The results as pictures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from bench.cocluster.stability.table import Chains, Result

mpl.use("Agg")

COLOURS = ("#9a9a9a", "#7fb3d5", "#c0392b", "#2e6e3e", "#7d4fa0")


def plot_chains(chains: Chains, default: float, path: Path) -> None:
    """Tags moved, V-measure and information over the batches, for every inertia."""
    chains = {name: runs for name, runs in chains.items() if any(runs.values())}
    if not chains:
        return
    figure, axes = plt.subplots(
        3, len(chains), figsize=(5.0 * len(chains), 8.4), sharex=True, sharey="row", squeeze=False
    )
    for column, (corpus, runs) in enumerate(chains.items()):
        for colour, (inertia, found) in zip(COLOURS, runs.items(), strict=False):
            if found:
                _lines([row[column] for row in axes], found, inertia, default, colour)
        axes[0][column].set_title(corpus)
        axes[0][column].axhline(0.10, color="black", linewidth=0.8, linestyle=":")
        axes[0][column].set_ylim(bottom=0.0)
        axes[1][column].axhspan(-0.01, 0.01, color="#eeeeee")
        axes[2][column].axhspan(-0.03, 0.03, color="#eeeeee")
        axes[2][column].set_xlabel("batches of 5 % added")
    axes[0][0].set_ylabel("tags whose cluster id changed")
    axes[1][0].set_ylabel("V-measure − fresh, same k")
    axes[2][0].set_ylabel("information / fresh − 1, same k")
    axes[0][-1].legend(frameon=False, fontsize=8)
    _save(figure, path)


def _lines(axes: Sequence[Any], found: Result, inertia: float, default: float, colour: str) -> None:
    steps = found["steps"][1:]
    batches = range(1, len(steps) + 1)
    name = "as published" if inertia == 0 else f"inertia {inertia:g}" + (" (default)" if inertia == default else "")
    style: dict[str, Any] = {"color": colour, "marker": "o", "markersize": 3, "label": name}
    style["linewidth"] = 2.2 if inertia == default else 1.2
    axes[0].plot(batches, [step["moved"] for step in steps], **style)
    if inertia > 0:
        axes[1].plot(batches, [step["as_many"]["v"] for step in steps], **style)
        axes[2].plot(batches, [step["as_many"]["information"] for step in steps], **style)


def plot_arrivals(arrivals: Sequence[Result], path: Path) -> None:
    """Share of a new topic's own tags that are in new clusters, as published and by default."""
    if not arrivals:
        return
    labels = list(dict.fromkeys((found["corpus"], found["label"]) for found in arrivals))
    inertias = sorted({found["inertia"] for found in arrivals})
    figure, axis = plt.subplots(figsize=(8, 3.6))
    for number, (inertia, colour) in enumerate(zip(inertias, ("#9a9a9a", "#c0392b"), strict=False)):
        share = {
            (found["corpus"], found["label"]): found["in_new"] for found in arrivals if found["inertia"] == inertia
        }
        places = [place + 0.4 * number - 0.2 for place in range(len(labels))]
        name = "as published" if inertia == 0 else f"inertia {inertia:g}"
        axis.bar(places, [share.get(label, 0.0) for label in labels], 0.38, color=colour, label=name)
    axis.set_xticks(range(len(labels)), [label for _, label in labels], rotation=20)
    axis.set_ylabel("own tags in new clusters")
    axis.axhline(0.5, color="black", linewidth=0.8, linestyle=":")
    axis.legend(frameon=False, fontsize=8)
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    for axis in figure.axes:
        axis.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
