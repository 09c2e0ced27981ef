"""The map of all documents: how far points move when documents arrive, whether neighbours belong together, and seconds.

    python -m bench.worker.map_layout   # icons, recipes and packages; writes bench/results/map-layout.md
    python -m bench.worker.map_layout --corpora tabler_icons --most 3000

Clusters 95 % of a corpus, then all of it with the first version as the previous one, as a scheduled run does. Beside it
stands UMAP (if umap-learn is installed) of the same shares over concepts, once for each version. A point moves by its
distance in widths of the map; UMAP's maps are turned, mirrored and scaled to fit best first. Neighbours are the ten
nearest; the ratio is how much more often they share the concept than two documents drawn at random. Trustworthiness
(scikit-learn) compares them with the ten nearest by shares.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from bench.cocluster.stability.samples import START, corpus, documents
from bench.document_files import gather
from bench.places import RESULTS
from snapshot import Documents, Snapshot
from worker.clustering.cluster import cluster
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.documents.document_table import all_tag_concepts
from worker.clustering.drawing.map_layout import map_places, map_regions
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.sources.document import Document

TABLE: Final = RESULTS / "map-layout.md"
USUAL: Final = ("tabler_icons", "whatscooking", "debtags")
NEIGHBOURS: Final = 10
FAR: Final = 0.03
SAMPLE: Final = 2000
"""Documents whose trustworthiness is measured: it compares all pairs."""

Floats = NDArray[np.float64]


def moved(before: Floats, after: Floats) -> float:
    """The share of points that stay within 3 % of the width."""
    return float((np.hypot(*(after - before).T) < FAR).mean())


def fitted_to(target: Floats, points: Floats) -> Floats:
    """Points turned, mirrored, scaled and shifted so that they lie as near to the target as they can (Procrustes)."""
    middle, goal = points.mean(axis=0), target.mean(axis=0)
    u, s, vt = np.linalg.svd((points - middle).T @ (target - goal))
    scale = s.sum() / ((points - middle) ** 2).sum()
    return np.asarray(scale * (points - middle) @ u @ vt + goal)


def ratio(points: Floats, concepts: NDArray[Any]) -> float:
    """How much more often neighbours share a concept than documents drawn at random."""
    near = np.asarray(cKDTree(points).query(points, k=NEIGHBOURS + 1)[1])[:, 1:]
    shared = float((concepts[near] == concepts[:, None]).mean())
    shares = np.bincount(concepts) / len(concepts)
    return shared / float((shares**2).sum())


def trustworthy(shares: Floats, points: Floats) -> float:
    """Whether neighbours on the map are neighbours by their shares."""
    from sklearn.manifold import trustworthiness  # noqa: PLC0415 - comes with umap-learn

    sample = np.random.default_rng(0).permutation(len(points))[:SAMPLE]
    return float(trustworthiness(shares[sample], points[sample], n_neighbors=NEIGHBOURS))


def tag_positions(snapshot: Snapshot) -> NDArray[np.int64]:
    """The position of the concept of every tag."""
    return all_tag_concepts(snapshot.partition, snapshot.tail)


def concepts_of(version: PreviousVersion) -> NDArray[np.int64]:
    """The concept of every document."""
    assert version.documents.table is not None  # noqa: S101 - these corpora have documents
    return np.asarray(version.documents.table.concepts, dtype=np.int64)


def shares_of(version: PreviousVersion) -> Floats:
    """The share of each concept in the tags of each document."""
    assert version.documents.table is not None  # noqa: S101 - these corpora have documents
    index, count = version.documents.table.index, len(version.snapshot.clusters)
    rows = np.repeat(np.arange(index.document_count), np.diff(index.document_starts))
    found = np.zeros((index.document_count, count + 1))
    np.add.at(found, (rows, tag_positions(version.snapshot)[index.tags]), 1.0)
    return np.asarray(found / np.maximum(found.sum(axis=1, keepdims=True), 1.0))


def umap_of(shares: Floats) -> tuple[Floats, float] | None:
    """UMAP of the shares, and the processor seconds; None if it is not installed."""
    try:
        from umap import UMAP  # noqa: PLC0415 - optional, and slow to import
    except ImportError:
        return None
    began = time.process_time()
    points = UMAP(n_neighbors=15, random_state=0).fit_transform(shares)
    spent = time.process_time() - began
    points = np.asarray(points, dtype=np.float64)
    return (points - points.min(axis=0)) / np.ptp(points, axis=0).max(), spent


def version_of(declared: Corpus, listed: list[Document], previous: PreviousVersion | None) -> PreviousVersion:
    """One run."""
    tagged = gather(listed)
    return PreviousVersion(*cluster(declared, tagged, START, Stages(lambda *_: None), previous=previous, notes={}))


def ids_of(documents: Documents) -> list[bytes]:
    """The ids of all documents, in the order of the table."""
    assert documents.table is not None  # noqa: S101 - these corpora have documents
    return [documents.table.ids.get(each) for each in range(documents.table.index.document_count)]


def places_of(documents: Documents) -> Floats:
    """The places of all documents, in widths."""
    assert documents.table is not None  # noqa: S101 - these corpora have documents
    return np.asarray(documents.table.places, dtype=np.float64) / 65535


def layout_seconds(version: PreviousVersion) -> float:
    """Processor seconds of the layout alone, computed once more."""
    snapshot, table = version.snapshot, version.documents.table
    assert table is not None  # noqa: S101 - these corpora have documents
    index = table.index
    matrix: Any = csr_array(
        (
            np.ones(len(index.tags), dtype=np.float64),
            index.tags.astype(np.int64),
            index.document_starts.astype(np.int64),
        ),
        shape=(index.document_count, index.tag_count),
    )
    began = time.process_time()
    regions = map_regions(snapshot.tree, snapshot.partition, snapshot.cluster_documents, {})
    map_places(
        ids_of(version.documents),
        matrix,
        [*snapshot.keys, *snapshot.tail.keys],
        tag_concepts=tag_positions(snapshot),
        concepts=table.concepts.astype(np.int64),
        regions=regions,
    )
    return time.process_time() - began


def measured(name: str, most: int) -> list[str]:
    """The lines of one corpus: Cotag's map, and UMAP's."""
    listed = documents(name, 0, most)
    declared = corpus(name, inertia=Corpus.model_fields["inertia"].default)
    first = version_of(declared, listed[: round(len(listed) / 1.05)], None)
    second = version_of(declared, listed, first)
    before, after = ids_of(first.documents), ids_of(second.documents)
    place = {each: number for number, each in enumerate(after)}
    rows = np.array([place[each] for each in before if each in place])
    kept = np.array([number for number, each in enumerate(before) if each in place])
    shares, concepts = shares_of(second), concepts_of(second)
    points = places_of(second.documents)
    ours = (moved(places_of(first.documents)[kept], points[rows]), points, layout_seconds(second))
    lines = [line(name, "Cotag", ours, shares, concepts)]
    old, new = umap_of(shares_of(first)), umap_of(shares)
    if old is not None and new is not None:
        stay = moved(old[0][kept], fitted_to(old[0][kept], new[0][rows]))
        lines.append(line(name, "UMAP", (stay, *new), shares, concepts))
    return lines


def line(
    corpus_name: str, method: str, found: tuple[float, Floats, float], shares: Floats, concepts: NDArray[np.int64]
) -> str:
    """A line of the table, of the share of points that stay, the map and its seconds."""
    stay, points, seconds = found
    cells = (
        corpus_name,
        method,
        f"{len(points):,}",
        f"{100 * stay:.1f}",
        f"{ratio(points, concepts):.1f}",
        f"{trustworthy(shares, points):.3f}",
        f"{seconds:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Measure and write the table; ends with 1 if Cotag's map misses one of its two bars."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.worker.map_layout",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--corpora", nargs="+", default=USUAL)
    parser.add_argument("--most", type=int, default=5000, help="documents of each corpus")
    parser.add_argument("--into", type=Path, default=TABLE, help="the file of the table")
    options = parser.parse_args()
    rows = [
        "| corpus | map | documents | stay, % | neighbours, × random | trustworthiness | seconds |",
        f"|---|---|{'--:|' * 5}",
    ]
    for name in options.corpora:
        rows += measured(name, options.most)
    footer = (
        f"Processor seconds of one layout. {os.cpu_count()} processors, load {os.getloadavg()[1]:.0f}. "
        f"Made by `python -m bench.worker.map_layout --most {options.most}`."
    )
    options.into.write_text("\n".join([*rows, "", footer]) + "\n")
    print(options.into.read_text())
    ours = [row.split("|") for row in rows if "| Cotag |" in row]
    return int(any(float(cells[4].strip(" %")) < 95 or float(cells[5]) < 4 for cells in ours))


if __name__ == "__main__":
    sys.exit(main())
