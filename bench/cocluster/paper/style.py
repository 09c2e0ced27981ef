"""How every picture looks: few inks, thin lines, no box around the data."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, ScalarFormatter
from PIL import Image

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
    """Write a PNG of few colours: these pictures have no more, and stay small in the repository."""
    picture.savefig(path)
    with Image.open(path) as full:
        few = full.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def count_axis(axes: Axes) -> None:
    """A vertical axis of misses: 0 has its place, and hundreds do not hide the ones."""
    axes.set_yscale("symlog", linthresh=1)
    axes.set_yticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    axes.set(ylabel="mean |k̂ − k|", ylim=(0, None))


def clusters_left(axes: Axes) -> None:
    """A logarithmic axis along a tree."""
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("clusters left")


def by_k(axes: Axes, ks: tuple[int, ...]) -> None:
    """A logarithmic axis of numbers of clusters, with the ones tried as its ticks."""
    axes.set_xscale("log")
    axes.set_xticks(ks, [str(k) for k in ks], fontsize=8)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("true number of clusters k")
