"""What "auto" gives on samples of real corpora."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import block_diag, coo_array, csr_array

from bench.cocluster.critical_size.boards import clustered, counted_leaves
from bench.places import CORPORA
from cocluster import incidence, v_measure
from cocluster.equations.arrays import Ints, Sparse
from cocluster.equations.criterion import criterion_curves

PAIRS = 12


def corpora(documents: int) -> None:
    """The number of clusters "auto" gives on samples of the real corpora, and what odd pairs beside them change."""
    if not CORPORA.exists():
        print(f"{CORPORA} is not there: nothing to measure")
        return
    print(f"clusters of documents and of tags; beside {PAIRS} odd pairs, and V of the others with what they were")
    agreed: dict[str, list[float]] = {}
    for path in sorted(CORPORA.glob("*.jsonl.gz")):
        X = incidence(read(path, documents)).matrix
        alone, beside = partitions(X), partitions(with_pairs(X))
        for rule, was in alone.items():
            agreement = [v_measure(before, now[: len(before)]) for before, now in zip(was, beside[rule], strict=True)]
            agreed.setdefault(rule, []).extend(agreement)
            first, then = ([labels.max() + 1 for labels in sides] for sides in (was, beside[rule]))
            print(
                f"{path.name.split('.')[0]:16} {rule:18} {X.shape[0]:5d}: {first[0]:3d} {X.shape[1]:5d}: {first[1]:3d}"
                f"  {then[0]:3d} {agreement[0]:.3f}  {then[1]:3d} {agreement[1]:.3f}",
                flush=True,
            )
    for rule, agreement in agreed.items():
        print(f"{rule}: mean V {np.mean(agreement):.3f}")


def with_pairs(X: Sparse) -> Sparse:
    """X, and pairs of documents that share two tags with each other and with nobody else."""
    return csr_array(block_diag([X, *[np.ones((2, 2))] * PAIRS]))


def partitions(X: Sparse) -> dict[str, list[Ints]]:
    """The clusters of documents and of tags, as "auto" cuts the trees and as it would if all parts counted."""
    history = clustered(X)
    trees = (history.rows.tree, history.columns.tree)
    curves_by_rule = {
        "auto": criterion_curves(history, "auto", *counted_leaves(X)),
        "all parts counted": criterion_curves(history, "auto", *(tree.sizes for tree in trees)),
    }
    return {
        rule: [tree.cut(curve.best_k) for tree, curve in zip(trees, curves, strict=True)]
        for rule, curves in curves_by_rule.items()
    }


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
