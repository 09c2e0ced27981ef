"""The refinement of the tags after the cut: gain and bits of the cut alone and of what it becomes, and how both last.

Without the worker, so that many draws are quick: the matrix, the fit, and the cut. Small draws have few tags.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.document_files import documents_of, gather
from bench.meaning.judge import judge
from bench.meaning.measures import Labels, Sparse, bits, gain, npmi
from bench.meaning.samples import GROWTH, READ, TRAINING, incidence_of
from bench.places import CORPORA
from cocluster import CoClustering, Previous, incidence, v_measure
from worker.clustering.continuity.inheritance import FINER, steady_cut
from worker.sources.document import Document

EVERY: Final = (
    "emoji_en",
    "debtags",
    "tabler_icons",
    "whatscooking",
    "lastfm_artists",
    "citeulike_a",
    "dblp_v12_fos",
    "radio_large",
)
SIZES: Final = (1000, 4000)
FRESH: Final = (5, 6, 7)
"""Seeds that chose nothing: the rule was chosen on 0 to 4 and 100."""

MIN_COUNT: Final = 5
INERTIA: Final = 0.3


class Fitted:
    """One clustering of some documents: the cut of the tags, and its refinement."""

    def __init__(self, documents: Sequence[Document], before: "Fitted | None" = None, refined: bool = True) -> None:
        gathered = gather(documents)
        matrix = incidence(gathered.matrix, MIN_COUNT)
        self.ids = [gathered.ids[row] for row in matrix.rows]
        self.keys = [gathered.keys[column] for column in matrix.columns]
        self.matrix: Sparse = matrix.matrix
        self.model = CoClustering(verbose=False)
        if before is None:
            self.model.fit(matrix)
            self.rows, self.k = self.model.row_curve_.best_k, self.model.column_curve_.best_k
        else:
            self.model.fit(matrix, previous=before.inherited(self, refined), inertia=INERTIA)
            self.rows = steady_cut(self.model.row_curve_, before.rows)
            self.k = steady_cut(self.model.column_curve_, before.k)
        self.cut: Labels = self.model.column_labels(self.k)
        refinement = self.model.refined_columns(self.k)
        self.refined: Labels = refinement.labels
        self.moved = float(refinement.moved.mean())

    def inherited(self, later: "Fitted", refined: bool) -> Previous:
        """What a later clustering inherits: the tags as cut, or as refined."""
        rows, columns = _places(self.ids, later.ids), _places(self.keys, later.keys)
        finer = self.model.row_labels(min(FINER * self.rows, self.model.row_dendrogram_.leaves))
        tags = self.refined if refined else self.cut
        alone = int(tags.max()) + 1 + np.arange(len(columns))
        return Previous(
            rows=[np.where(rows < 0, -1, finer[rows])], columns=[np.where(columns < 0, alone, tags[columns])]
        )


def refinement_figures(corpus: str, size: int, seed: int) -> dict[str, Any]:
    """Both partitions of one draw, on the documents held out, and V after 5 % more documents."""
    found = list(islice(documents_of(CORPORA / f"{corpus}.jsonl.gz"), READ))
    drawn = [found[place] for place in np.random.default_rng(seed).permutation(len(found))[:size].tolist()]
    count = round(TRAINING * len(drawn))
    fitted, held_out = Fitted(drawn[:count]), drawn[count:]
    grown = drawn[: round((1 + GROWTH) * count)]
    later = {name: Fitted(grown, fitted, refined=name == "refined") for name in ("cut", "refined")}
    return {
        "tags": len(fitted.keys),
        "moved": fitted.moved,
        **{
            name: {
                **partition_figures(corpus, fitted, incidence_of(held_out, fitted.keys), getattr(fitted, name)),
                "lasts": _agreement(fitted, later[name], name),
            }
            for name in ("cut", "refined")
        },
    }


def refinement_table(trials: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One row a corpus and size: means over the draws."""
    titles = ["corpus", "draws", "tags", "clusters", "of one tag", "gain", "bits", "NPMI", "V, 5 % more", "tags moved"]
    lines = [f"| {' | '.join(titles)} |", "|---|" + "--:|" * (len(titles) - 1)]
    cases: dict[tuple[int, str], list[Mapping[str, Any]]] = {}
    for name, figures in trials.items():
        _, drawn_from, documents, _ = name.split()
        cases.setdefault((int(documents), drawn_from), []).append(figures)
    for (size, corpus), draws in sorted(cases.items()):
        cells = [f"{corpus}, {size:,} documents", str(len(draws)), f"{fmean(each['tags'] for each in draws):.0f}"]
        for what, form in {
            "clusters": ".1f",
            "single": ".1f",
            "gain": ".4f",
            "bits": ".3f",
            "npmi": ".3f",
            "lasts": ".3f",
        }.items():
            before, after = (fmean(each[name][what] for each in draws) for name in ("cut", "refined"))
            mark = "**" if what in {"gain", "bits"} and after >= before else ""
            cells.append(f"{before:{form}} → {mark}{after:{form}}{mark}")
        lines.append(f"| {' | '.join(cells)} | {fmean(each['moved'] for each in draws):.1%} |")
    return lines


def partition_figures(corpus: str, fitted: Fitted, held_out: Sparse, labels: Labels) -> dict[str, float]:
    """The measures of one partition of the tags."""
    embedded = judge(corpus)
    known = np.array([embedded.known(key) for key in fitted.keys])
    cosines = embedded.cosines([key for key in fitted.keys if embedded.known(key)])
    by_count = np.argsort(-np.asarray(fitted.matrix.sum(axis=0)).ravel(), kind="stable")
    sizes = np.bincount(labels)
    groups = [by_count[labels[by_count] == cluster].tolist() for cluster in range(len(sizes))]
    return {
        "clusters": len(sizes),
        "single": int((sizes == 1).sum()),
        "gain": gain(cosines, labels[known]),
        "bits": bits(fitted.matrix, held_out, labels),
        "npmi": npmi(held_out, groups),
    }


def _agreement(before: Fitted, after: Fitted, name: str) -> float:
    places = _places(after.keys, before.keys)
    both = places >= 0
    return float(v_measure(getattr(before, name)[both], getattr(after, name)[places[both]]))


def _places(before: Sequence[str], now: Sequence[str]) -> NDArray[np.int64]:
    place = {name: number for number, name in enumerate(before)}
    return np.array([place.get(name, -1) for name in now], dtype=np.int64)
