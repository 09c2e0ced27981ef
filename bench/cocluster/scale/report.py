"""Tables and plots of what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from cocluster.fit.factored import DENSE_TAGS

mpl.use("Agg")

Kept = dict[str, Any]
WHOLE = ("radio_large", "whatscooking", "citeulike_a", "tabler_icons")
NAMES = {
    "exact": "exact",
    "micro": "micro-clusters, K = 1000",
    "micro500": "micro-clusters, K = 500",
    "spectral": "SpectralCoclustering, k given",
    "minibatch": "MiniBatchKMeans on TF-IDF, k given",
    "louvain": "Louvain (its own k)",
    "paris": "Paris, cut at k",
}


def write_report(kept: Kept, path: Path, images: Path) -> None:
    """All tables into one file, all plots into a folder."""
    images.mkdir(parents=True, exist_ok=True)
    parts = [whole(kept), loss(kept), beside(kept), growth(kept, images), tags(kept, images), many_tags(kept)]
    path.write_text("\n\n".join(["# Scale, measured", *(part for part in parts if part)]) + "\n")
    print(path.read_text())


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown; empty without rows."""
    body = [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    if not body:
        return ""
    return "\n".join([f"| {' | '.join(head)} |", "|---|" + "--:|" * (len(head) - 1), *body])


def got(kept: Kept, *names: str) -> list[tuple[str, Any]]:
    """Those of these measurements that are there."""
    return [(name, kept[name]) for name in names if name in kept]


def whole(kept: Kept) -> str:
    """From file to published snapshot."""
    rows = [
        (
            name.split()[1],
            f"{each['documents']:,}",
            f"{each['tags']:,}",
            f"{each['seconds']:.0f}",
            f"{each['processor_seconds']:.0f}",
            f"{each['peak_bytes'] / 1e9:.2f}",
            f"{each['bytes']['documents'] / each['documents']:.1f}",
            f"{each['plan']['information_kept']:.3f}",
            each["load_average"],
        )
        for name, each in got(kept, *(f"whole {name}" for name in WHOLE))
    ]
    head = ("corpus", "documents", "tags", "s", "processor s", "peak GB", "bytes a document in Redis", "kept", "load")
    stages = [
        f"{name.split()[1]}: " + ", ".join(f"{stage} {spent:.1f}" for stage, spent in each["timings"].items())
        for name, each in got(kept, *(f"whole {name}" for name in WHOLE))
    ]
    return "## From file to published snapshot\n\n" + "\n\n".join([table(head, rows), *stages])


def loss(kept: Kept) -> str:
    """Micro-clusters beside the exact way: means, and from least to greatest."""
    rows = []
    for name, each in got(kept, *(f"loss {name}" for name in ("tabler_icons", "whatscooking:5000", "lastfm_artists"))):
        for clusters, found in each["micro"].items():
            v = "–"
            if each["v_documents"] is not None:
                v = f"{_ranged(found['v_documents'])}; {each['v_documents']:.3f}"
            share = [value / each["information"] for value in found["information"]]
            rows.append(
                (
                    name.split()[1],
                    clusters,
                    _ranged(share),
                    v,
                    _ranged(found["agreement"]),
                    _ranged(each["exact_again"]),
                )
            )
    for _, each in got(kept, "micro board:20000:1000:30"):
        v = f"{each['v_documents']:.3f}, tags {each['v_tags']:.3f}"
        rows.append(("board 20,000 × 1,000, k = 30", 1000, "–", v, "–", "–"))
    head = (
        "corpus",
        "K",
        "information / exact's at 20 × 20",
        "V documents; exact's",
        "tags agree with exact",
        "exact with itself without 2 %",
    )
    return "## Loss\n\n" + table(head, rows)


def _ranged(found: Sequence[float]) -> str:
    mean, least, greatest = found
    return f"{mean:.3f} ({least:.3f}–{greatest:.3f})"


def beside(kept: Kept) -> str:
    """The ways beside peers."""
    cases = ("tabler_icons", "whatscooking:5000", "board:5000:1000:20", "whatscooking", "board:20000:1000:30")
    rows = []
    for case in cases:
        for method, title in NAMES.items():
            for _, each in got(kept, f"{method} {case}"):
                rows.append(
                    (
                        case,
                        title,
                        f"{each['seconds']:.1f}",
                        f"{each['processor_seconds']:.1f}",
                        f"{each['grown_bytes'] / 1e6:.0f}",
                        _figure(each.get("v_documents")),
                        _figure(each.get("v_tags")),
                    )
                )
    return "## Beside others\n\n" + table(("matrix", "method", "s", "processor s", "MB", "V documents", "V tags"), rows)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def fitted(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The exponent of a power law through the points."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def growth(kept: Kept, images: Path) -> str:
    """Against documents, with a thousand tags."""
    found = [each for name, each in kept.items() if name.startswith("micro radio_large:") and name.endswith(":1000")]
    found = sorted(found, key=lambda each: each["shape"][0])
    found = [each for each in found if each["plan"] == "micro"]
    return _grown(found, 0, "documents", images / "documents.png")


def tags(kept: Kept, images: Path) -> str:
    """Against tags, with a hundred thousand documents."""
    found = [each for name, each in kept.items() if name.startswith("micro radio_large:100000:")]
    found = sorted(found, key=lambda each: each["shape"][1])
    return _grown(found, 1, "tags", images / "tags.png")


def _grown(found: list[Any], side: int, name: str, image: Path) -> str:
    if len(found) < 2:
        return ""
    sizes = [each["shape"][side] for each in found]
    seconds, memory = [each["processor_seconds"] for each in found], [each["grown_bytes"] / 1e6 for each in found]
    rows = [
        (f"{each['shape'][0]:,} × {each['shape'][1]:,}", f"{each['seconds']:.1f}", f"{spent:.1f}", f"{held:.0f}")
        for each, spent, held in zip(found, seconds, memory, strict=True)
    ]
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6))
    for axis, values, label in zip(axes, (seconds, memory), ("processor seconds", "MB above the matrix"), strict=True):
        axis.loglog(sizes, values, "o-", color="#2e6e3e", label=f"exponent {fitted(sizes, values):.2f}")
        axis.set_xticks(sizes, [f"{size / 1000:.0f}k" if size > 4500 else f"{size:,}" for size in sizes])
        axis.set_ylim(min(values) / 1.5, max(values) * 1.5)
        heights = np.geomspace(min(values), max(values), 4)
        axis.set_yticks(heights, [f"{height:.2g}" if height < 100 else f"{height:.0f}" for height in heights])
        axis.minorticks_off()
        axis.set_xlabel(name)
        axis.set_ylabel(label)
        axis.legend(frameon=False)
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(image, dpi=110)
    plt.close(figure)
    last = len(sizes) // 2
    upper = fitted(sizes[last:], seconds[last:])
    text = (
        f"Exponents in {name}: time {fitted(sizes, seconds):.2f} (upper half {upper:.2f}), "
        f"memory {fitted(sizes, memory):.2f}."
    )
    return f"## Against {name}\n\n" + table(("matrix", "s", "processor s", "MB"), rows) + f"\n\n{text}"


def many_tags(kept: Kept) -> str:
    """More tags than G is written out for, and what it takes to write it out all the same."""
    found = [each for each in kept.items() if each[0].startswith(("chosen planted", "written planted"))]
    rows = [
        (
            f"{each['shape'][0]:,} × {each['shape'][1]:,}",
            "m×m" if name.startswith("written") or each["shape"][1] <= DENSE_TAGS else "sparse",
            each["micro_tags"],
            f"{each['seconds']:.0f}",
            f"{each['processor_seconds']:.0f}",
            f"{each['peak_bytes'] / 1e9:.2f}",
            _figure(each.get("v_documents")),
            _figure(each.get("v_tags")),
        )
        for name, each in sorted(found, key=lambda pair: (pair[1]["shape"][1], pair[0]))
    ]
    head = ("matrix", "G", "tags agglomerated", "s", "processor s", "peak GB", "V documents", "V tags")
    return "## Many tags\n\n" + table(head, rows)
