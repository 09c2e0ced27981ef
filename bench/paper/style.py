"""How every picture looks: few inks, thin lines, no box around the data."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

INK = "#33383f"
BLUE, ORANGE, GREEN, GREY, RED = "#2f6690", "#d17a22", "#5a8f69", "#9aa0a6", "#a63d40"

mpl.use("agg")
mpl.rcParams.update(
    {
        "figure.dpi": 110,
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": GREY,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "axes.grid": True,
        "grid.color": "#e8eaed",
        "grid.linewidth": 0.8,
        "xtick.color": INK,
        "ytick.color": INK,
        "text.color": INK,
        "lines.linewidth": 1.6,
        "lines.markersize": 4,
        "legend.frameon": False,
    }
)


def figure(width: float, height: float) -> Figure:
    return Figure(figsize=(width, height), layout="constrained")


def save(picture: Figure, path: Path) -> None:
    # Without the version of matplotlib in it, the same data give the same bytes.
    picture.savefig(path, metadata={"Software": None})


def by_k(axes: Axes, ks: tuple[int, ...]) -> None:
    """A logarithmic axis of numbers of clusters, with the ones tried as its ticks."""
    axes.set_xscale("log")
    axes.set_xticks(ks, [str(k) for k in ks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("true number of clusters k")
