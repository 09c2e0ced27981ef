"""Do the branches of real tag trees make sense? python -m bench.cocluster.paper dendrograms"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from matplotlib.ticker import MaxNLocator
from scipy.cluster.hierarchy import dendrogram
from scipy.sparse import csr_array

from bench.cocluster.paper.corpora import PAPERS_TAGGED, MissingCorpus, Tagged, demo, papers_tagged
from bench.cocluster.paper.style import BLUE, figure, save
from bench.cocluster.paper.workspace import Workspace, markdown
from cocluster import CoClustering
from cocluster.equations.arrays import Floats, Ints
from cocluster.equations.incidence import column_counts
from snapshot import normalise
from tagmodel.language.group_names import name as choose
from worker.vocabulary.breadth import BROAD, breadth


@dataclass(frozen=True)
class Branches:
    """The top of a tag tree: the label and number of tags of each leaf, the merges above them.

    `broadest` holds the broadest tags, their breadth, and the tag that leads the label of their leaf.
    """

    documents: int
    tags: int
    labels: list[list[str]]
    sizes: list[int]
    linkage: list[list[float]]
    information: float
    found: int
    broadest: list[tuple[str, float, str]]


def run(workspace: Workspace) -> str:
    scale = workspace.scale
    subjects = {"demo": partial(demo, scale.documents)} | {tag: partial(papers_tagged, tag) for tag in PAPERS_TAGGED}
    rows: list[list[object]] = []
    for name, read in subjects.items():
        try:
            record = workspace.measured("dendrograms", name, partial(measured, read, scale.leaves))
        except MissingCorpus as missing:
            print(f"  left out: {name}: {missing}")
            continue
        top = Branches(**record)
        draw(workspace, name, top)
        broad = "; ".join(f"{tag} ({wide:.2f}) with *{company}*" for tag, wide, company in top.broadest)
        rows.append([name, top.documents, top.tags, top.found, min(top.sizes), max(top.sizes), broad])
    head = ["corpus", "documents", "tags", "k̂ of tags", "smallest leaf", "largest leaf", "broadest tags, and where"]
    return markdown(head, rows)


def measured(read: Callable[[], Tagged], leaves: int) -> dict[str, object]:
    return asdict(branches(read(), leaves))


def branches(corpus: Tagged, leaves: int) -> Branches:
    """Cluster a corpus and keep the top of its tag tree. Labels: √count × cohesion, broad tags last."""
    matrix = corpus.kept.matrix
    model = CoClustering().fit(matrix)
    labels = model.column_labels(leaves)
    wide = breadth(matrix, model.row_labels_.astype(np.int32))
    counts = column_counts(matrix)
    cohesive = cohesion(model.column_transition_, labels)
    scores = np.sqrt(counts) * (cohesive + 1e-9) * np.where(wide >= BROAD, 1e-6, 1.0)
    best = np.argsort(-scores, kind="stable")
    keys = [normalise(tag) for tag in corpus.tags]
    members = [best[labels[best] == leaf].tolist() for leaf in range(leaves)]
    names = [[corpus.tags[tag] for tag in choose(tags, keys)] for tags in members]
    return Branches(
        *matrix.shape,
        labels=names,
        sizes=[len(tags) for tags in members],
        linkage=np.round(top_of(model.column_dendrogram_.linkage, labels), 6).tolist(),
        information=model.information_,
        found=model.n_column_clusters_,
        broadest=[
            (corpus.tags[tag], round(float(wide[tag]), 2), names[labels[tag]][0])
            for tag in np.argsort(-wide, kind="stable")[:3]
        ],
    )


def cohesion(transition: csr_array[np.float64, tuple[int, int]], clusters: Ints) -> Floats:
    """Share of each tag's transitions to other tags that stay within its own cluster."""
    moves = transition.tocoo()
    others = moves.row != moves.col
    inside = others & (clusters[moves.row] == clusters[moves.col])
    leaving = np.bincount(moves.row[others], weights=moves.data[others], minlength=len(clusters))
    staying = np.bincount(moves.row[inside], weights=moves.data[inside], minlength=len(clusters))
    return np.divide(staying, leaving, out=np.zeros(len(clusters)), where=leaving > 0)


def top_of(linkage: Floats, labels: Ints) -> Floats:
    """The last merges of a linkage, as a linkage of the clusters they merge."""
    leaves, items = int(labels.max()) + 1, len(labels)
    first = items - leaves
    member = np.concatenate([np.arange(items), np.zeros(items - 1, dtype=np.int64)])
    for merge, child in enumerate(linkage[:, 0].astype(np.int64)):
        member[items + merge] = member[child]
    top = linkage[first:].copy()
    for column in (0, 1):
        node = top[:, column].astype(np.int64)
        top[:, column] = np.where(node < items + first, labels[member[node]], node - items - first + leaves)
    held = np.ones(2 * leaves - 1)
    for merge, (a, b) in enumerate(top[:, :2].astype(np.int64)):
        held[leaves + merge] = held[a] + held[b]
    top[:, 3] = held[leaves:]
    return top


def draw(workspace: Workspace, name: str, top: Branches) -> None:
    """The tree from the left, its leaves cut off where they stop being drawn."""
    names = [
        f"{', '.join(tag.replace('_', ' ') for tag in tags)}  ({size})"
        for tags, size in zip(top.labels, top.sizes, strict=True)
    ]
    linkage = np.array(top.linkage)
    picture = figure(9.0, 0.8 + 0.29 * len(names))
    axes = picture.subplots()
    dendrogram(
        linkage,
        orientation="left",
        labels=names,
        ax=axes,
        color_threshold=0,
        above_threshold_color=BLUE,
        leaf_font_size=8.5,
    )
    low, high = linkage[0, 2], linkage[-1, 2]
    margin = 0.06 * (high - low)
    axes.set_xlim(high + margin, low - margin)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(f"information lost, bits (of {top.information:.2f} at the start)")
    axes.set_title(f"{name.replace('_', ' ')}: {top.tags} tags of {top.documents} documents")
    save(picture, workspace.image(f"dendrogram_{name}"))
