"""A vocabulary that a careless tagger fills, with and without Cotag at the door: python -m bench.worker.keeper

npm_packages' documents come in random order. The first are tagged as they were; of the others every tag is damaged with
a probability of 15 %: misspelt, put into the plural, hyphenated, or replaced by a tag of the same company. With the
keeper, the tagger asks `suggest` about each document, takes canonical tags instead of its own, and adds what is likely.
Tags that differ in a plural, a hyphen or a space count as one when recall is measured, for all taggers alike.
With a number, another order and other damage by this seed: the table is printed, and nothing is written.
"""

import gzip
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
import orjson
from matplotlib import pyplot as plt

from bench.places import CORPORA, IMAGES, RESULTS
from service.questions.tagging.suggest import UntaggedDocument, suggest_tags
from service.view.document_store import DocumentStore
from service.view.view import View
from snapshot import plural_key, spelling_key
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

mpl.use("Agg")

SEED: Final = 36
FIRST: Final = 900
RUN_EVERY: Final = 650
DAMAGED: Final = 0.15
LIKELY: Final = 0.5
"""A suggested tag that is at least so likely is added."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """What is stored at one moment: tags, share of them used once, recall and precision of what was streamed."""

    documents: int
    tags: int
    once: float
    recall: float
    precision: float


class Tagger:
    """Damages tags, in four ways that are equally likely."""

    def __init__(self, records: Sequence[Record], seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._beside: dict[str, list[str]] = {}
        for record in records:
            for tag in record["tags"]:
                self._beside.setdefault(tag, []).extend(other for other in record["tags"] if other != tag)

    def tags(self, record: Record) -> list[str]:
        """The tags as this tagger writes them."""
        return [self._damaged(tag) if self._random.random() < DAMAGED else tag for tag in record["tags"]]

    def _damaged(self, tag: str) -> str:
        kind = self._random.integers(4)
        if kind == 0 and len(tag) > 3:
            place = int(self._random.integers(1, len(tag) - 1))
            return tag[:place] + tag[place + 1] + tag[place] + tag[place + 2 :]
        if kind == 1:
            return tag[:-1] if tag.endswith("s") else f"{tag}s"
        if kind == 2:
            return tag.replace("-", " ") if "-" in tag else f"{tag[: len(tag) // 2]}-{tag[len(tag) // 2 :]}"
        others = self._beside.get(tag) or [tag]
        return str(others[int(self._random.integers(len(others)))])


def kept(view: View, record: Record, tags: list[str]) -> list[str]:
    """The tags that an obedient tagger stores after asking."""
    asked = UntaggedDocument(record.get("title", "")[:1000], record.get("text", ""), tuple(tags))
    (answer,) = suggest_tags(view, [asked], 10).documents
    stored = []
    for given in answer["given"]:
        if given["state"] == "canonical":
            stored.append(str(given["tag"]))
        else:
            stored.append(given["input"])
    stored += [tag["tag"] for tag in answer["tags"] if tag["score"] >= LIKELY]
    return list(dict.fromkeys(stored))


def view_of(records: Sequence[Record]) -> View:
    """A run on what is stored."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "keeper.jsonl"
        path.write_bytes(b"\n".join(orjson.dumps(record) for record in records))
        corpus = Corpus(name="keeper", source=str(path), path=path)
        stages = Stages(lambda *_: None)
        tagged, notes = load_documents(corpus, stages)
        snapshot, stored = cluster(corpus, tagged, datetime(2026, 11, 18, tzinfo=UTC), stages, notes=notes)
    if stored.table is None:
        raise SystemExit("a corpus without documents")
    return View(snapshot, documents=DocumentStore(stored.table, snapshot))


def replayed(records: Sequence[Record], seed: int, *, keeper: bool, damage: bool = True) -> list[Point]:
    """The stored vocabulary, after every run."""
    tagger = Tagger(records, seed)
    stored = list(records[:FIRST])
    points = [measured(records, stored)]
    while len(stored) < len(records):
        view = view_of(stored) if keeper else None
        for record in records[len(stored) : len(stored) + RUN_EVERY]:
            tags = tagger.tags(record) if damage else record["tags"]
            stored.append({**record, "tags": tags if view is None else kept(view, record, tags)})
        points.append(measured(records, stored))
        print(points[-1], flush=True)
    return points


def measured(records: Sequence[Record], stored: Sequence[Record]) -> Point:
    counts = Counter(tag for record in stored for tag in set(record["tags"]))
    recalls, precisions = [], []
    for true, found in zip(records[FIRST : len(stored)], stored[FIRST:], strict=True):
        wanted, there = ({plural_key(spelling_key(tag)) for tag in each["tags"]} for each in (true, found))
        recalls.append(len(wanted & there) / len(wanted))
        precisions.append(len(wanted & there) / max(len(there), 1))
    once = sum(count == 1 for count in counts.values()) / len(counts)
    recall, precision = (float(np.mean(each)) if each else 1.0 for each in (recalls, precisions))
    return Point(len(stored), len(counts), once, recall, precision)


def plot(curves: dict[str, list[Point]]) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.6))
    colours = {"undamaged": "#7a7f87", "damaged": "#d55e00", "damaged, with the keeper": "#0072b2"}
    for axis, (title, value) in zip(
        axes,
        {"different tags": "tags", "share used once": "once", "recall of the true tags": "recall"}.items(),
        strict=True,
    ):
        for name, points in curves.items():
            axis.plot(
                [each.documents for each in points], [getattr(each, value) for each in points], color=colours[name]
            )
        axis.set_title(title, fontsize=11)
        axis.set_xlabel("documents")
        axis.grid(visible=True, color="#eeeeee")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(list(curves), frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(IMAGES / "keeper.png", dpi=110)


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else SEED
    records = [record for record in read_records() if record["tags"]]
    order = np.random.default_rng(seed).permutation(len(records)).tolist()
    records = [records[place] for place in order]
    curves = {
        "undamaged": replayed(records, seed, keeper=False, damage=False),
        "damaged": replayed(records, seed, keeper=False),
        "damaged, with the keeper": replayed(records, seed, keeper=True),
    }
    lines = table(curves, len(records) - FIRST)
    if seed == SEED:
        plot(curves)
        (RESULTS / "keeper.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        print(*lines, sep="\n")


def table(curves: dict[str, list[Point]], streamed: int) -> list[str]:
    """What is stored at the end, for each tagger."""
    lines = [
        "# The keeper of the vocabulary",
        "",
        "`python -m bench.worker.keeper` wrote this: the stored tags of npm_packages at the end, and how many of the",
        f"true tags of the {streamed:,} documents after the first {FIRST} are stored with them.",
        "",
        "| tagger | different tags | used once | recall | precision |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, points in curves.items():
        last = points[-1]
        lines.append(f"| {name} | {last.tags:,} | {last.once:.2f} | {last.recall:.3f} | {last.precision:.3f} |")
    return lines


def read_records() -> list[Record]:
    """The packages as they were tagged."""
    with gzip.open(CORPORA / "npm_packages.jsonl.gz") as lines:
        return [orjson.loads(line) for line in lines]


if __name__ == "__main__":
    main()
