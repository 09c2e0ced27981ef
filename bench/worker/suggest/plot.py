"""The frontier as a picture: overall recall against recall in the tail."""

from pathlib import Path
from statistics import mean

import matplotlib as mpl
from matplotlib import pyplot as plt

from bench.worker.suggest.table import OURS, Results, rows_of

mpl.use("Agg")

LEFT_OUT = (OURS["local"], "popularity", "co-occurrence")
"""Too near to be told apart, or so far away that nothing else could be."""

SHORT = {
    "conditional probability": "conditional",
    "BM25 (implicit)": "BM25",
    "ALS (implicit)": "ALS",
    "nearest documents": "nearest",
}

ON_THE_LEFT = ("EASE", "T^Y × √count")
"""Named on the other side, where another ranker is close."""


def plot_frontier(results: Results, path: Path) -> None:
    """One panel a corpus: ours as a line over all exponents, specificity 0, ½ and 1 on it, the others as points."""
    shown = {name: rankers for name, rankers in results.items() if rankers[OURS["exact"]]}
    if not shown:
        return
    figure, axes = plt.subplots(1, len(shown), figsize=(4.0 * len(shown), 4.2), squeeze=False)
    for axis, (name, rankers) in zip(axes[0], shown.items(), strict=True):
        splits = rankers[OURS["exact"]]
        steps = range(len(splits[0]["frontier"]))
        line = [
            [mean(each["frontier"][step][key] for each in splits) for step in steps]
            for key in ("tail_recall", "recall")
        ]
        axis.plot(*line, color="#c0392b", linewidth=2, zorder=3)
        for ranker, row in rows_of(rankers).items():
            if not row or ranker in LEFT_OUT:
                continue
            x, y = (mean(each[key] for each in row) for key in ("tail_recall", "recall"))
            if ranker.startswith("**"):
                axis.plot(x, y, "o", color="#c0392b", zorder=4)
                axis.annotate(ranker.split()[-1].replace("(default)", "½"), (x, y), (5, 4), textcoords="offset points")
            else:
                axis.plot(x, y, "s", color="#2c3e50", markersize=4, zorder=2)
                offset, side = ((-4, -9), "right") if ranker in ON_THE_LEFT else ((4, -9), "left")
                axis.annotate(
                    SHORT.get(ranker, ranker), (x, y), offset, textcoords="offset points", fontsize=7, ha=side
                )
        axis.set_title(f"{name}", fontsize=11)
        axis.set_xlabel("recall@10 among the rarer 80 % of tags")
        axis.grid(visible=True, color="#eeeeee")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("recall@10")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
