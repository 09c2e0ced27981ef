"""The means of the four tasks as a picture."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from bench.service.documents.measuring import EXACT, OURS, TASKS
from bench.service.documents.table import RANKERS, TITLES, task_mean

mpl.use("Agg")


def plot(figures: Mapping[str, Any], path: Path) -> None:
    """One panel a task, one bar a ranker; tasks without figures are left out."""
    rankers = [ranker for ranker in RANKERS if ranker != EXACT]
    values = {task: [task_mean(figures, task, ranker) for ranker in rankers] for task in TASKS}
    shown = [task for task in TASKS if None not in values[task]]
    if not shown:
        return
    figure, axes = plt.subplots(1, len(shown), figsize=(3.3 * len(shown) + 1.6, 3.8), sharey=True, squeeze=False)
    for axis, task in zip(axes[0], shown, strict=True):
        colours = ["#c0392b" if ranker == OURS else "#7f8c8d" for ranker in rankers]
        bars = axis.barh(rankers, values[task], color=colours)
        axis.bar_label(bars, fmt="%.3f", padding=2, fontsize=7)
        axis.set_title(TITLES[task], fontsize=9)
        axis.margins(x=0.18)
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
    axes[0][0].invert_yaxis()
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
