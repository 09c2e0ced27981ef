"""What "auto" gives on samples of real corpora."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import block_diag, coo_array, csr_array

from bench.critical_size.boards import clustered, counted_items
from cocluster import incidence, v_measure
from cocluster.arrays import Ints, Sparse
from cocluster.cut import best_cut, criterion_curve, criterion_curves, labels_at

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
PAIRS = 12


def corpora(documents: int) -> None:
    """The number of clusters "auto" gives on samples of the real corpora, and what odd pairs beside them change."""
    if not CORPORA.exists():
        print(f"{CORPORA} is not there: nothing to measure")
        return
    print(f"documents and tags: clusters; beside {PAIRS} odd pairs, the same, and V of the others with what they were;")
    print("the same were all parts counted")
    agreed = []
    for path in sorted(CORPORA.glob("*.jsonl.gz")):
        X = incidence(read(path, documents)).matrix
        alone, _ = partitions(X)
        beside = partitions(with_pairs(X))
        shown = [
            f"{path.name.split('.')[0]:16}" + "".join(f"{len(labels):6d}: {labels.max() + 1:4d}" for labels in alone)
        ]
        for way in beside:
            kept = [v_measure(was, now[: len(was)]) for was, now in zip(alone, way, strict=True)]
            agreed.append(kept)
            shown += [f"{now.max() + 1:4d} {v:.3f}" for now, v in zip(way, kept, strict=True)]
        print("  ".join(shown), flush=True)
    counted, everything = (np.mean(agreed[which::2]) for which in (0, 1))
    print(f"mean V beside pairs {counted:.3f}, were all parts counted {everything:.3f}")


def with_pairs(X: Sparse) -> Sparse:
    """X, and pairs of documents that share two tags with each other and with nobody else."""
    return csr_array(block_diag([X, *[np.ones((2, 2))] * PAIRS]))


def partitions(X: Sparse) -> tuple[list[Ints], list[Ints]]:
    """The clusters of documents and of tags, and what they were if all parts counted."""
    past = clustered(X)
    trees = (past.rows, past.columns)
    counted = criterion_curves(past, "auto", *counted_items(X))
    everything = [criterion_curve(tree, "auto") for tree in trees]
    found, others = (
        [labels_at(tree, best_cut(curve)) for tree, curve in zip(trees, curves, strict=True)]
        for curves in (counted, everything)
    )
    return found, others


def read(path: Path, documents: int) -> Sparse:
    """Documents × tags of the first documents of a corpus."""
    names: dict[str, int] = {}

    def places() -> Iterator[tuple[int, int]]:
        with gzip.open(path, "rt") as lines:
            for row, line in enumerate(lines):
                if row == documents:
                    return
                yield from ((row, names.setdefault(tag, len(names))) for tag in set(json.loads(line)["tags"]))

    rows, columns = zip(*places(), strict=True)
    X: Sparse = coo_array((np.ones(len(rows)), (rows, columns))).tocsr()
    return X
