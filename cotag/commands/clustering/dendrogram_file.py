"""Writes the tree of tags to a file: PNG with matplotlib, other formats with the code of the service."""

from pathlib import Path

from cotag.errors import StartError
from service.questions.clusters.dendrogram import LabelledBranches, as_newick, nested, of_tags
from service.questions.clusters.svg import svg
from service.view.view import View
from snapshot import Snapshot


def write_dendrogram(snapshot: Snapshot, file: Path, k: int) -> None:
    """Write the top k leaves of the tree of tags, in the format of the file's suffix."""
    tree = of_tags(View(snapshot), k)
    try:
        if file.suffix == ".png":
            _draw_png(tree, file)
        else:
            write = {".svg": svg, ".newick": as_newick, ".json": nested}[file.suffix]
            file.write_bytes(write(tree).body)
    except OSError as error:
        raise StartError(f"{file}: {error.strerror}") from error


def _draw_png(tree: LabelledBranches, file: Path) -> None:
    from matplotlib.figure import Figure  # noqa: PLC0415 - the extra `plot`
    from scipy.cluster.hierarchy import dendrogram  # noqa: PLC0415 - only here

    labels = [leaf.label for leaf in tree.leaves]
    figure = Figure(figsize=(11, 1.2 + 0.28 * len(labels)), layout="constrained")
    axes = figure.subplots()
    dendrogram(
        tree.branches.merges,
        labels=labels,
        orientation="left",
        ax=axes,
        color_threshold=0,
        above_threshold_color="#1f4e79",
    )
    axes.set_xlabel("bits of information lost")
    axes.spines[["top", "left", "right"]].set_visible(False)
    figure.savefig(file, dpi=120)
