"""Where tags with 5–9 documents are placed if they are pretended to be rare, against the concept that they have."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.meaning.judge import judge
from bench.worker.tail.samples import MIN_COUNT, Matrix
from cocluster import CoClustering, incidence
from cocluster.tags.assignment import company_scores, nearest_clusters, place
from worker.vocabulary.tag_corpus import TagCorpus

RARE: Final = (5, 9)
"""Counts of the tags that are pretended to be rare."""

PRETENDED: Final = 0.5
"""Share of them: the others stay in the tree."""

MOST: Final = 4
"""Documents that a rare tag is placed by."""

Labels = NDArray[np.int64]


def placing(tagged: TagCorpus, rows: NDArray[np.int64], seed: int, name: str) -> dict[str, float]:
    """The share of tags placed in the concept that they have in the tree, and their gain by the judge."""
    head = incidence(tagged.matrix[rows], MIN_COUNT)
    M, columns = head.matrix, head.columns
    model = CoClustering().fit(head)
    labels = model.column_labels(model.column_curve_.best_k)
    random = np.random.default_rng(seed)
    counts = np.bincount(M.indices, minlength=M.shape[1])
    few = np.flatnonzero((counts >= RARE[0]) & (counts <= RARE[1]))
    rare = np.sort(random.choice(few, round(PRETENDED * len(few)), replace=False))
    known = np.setdiff1d(np.arange(M.shape[1]), rare)
    tree = csr_array(M[:, known])
    seen = _few_documents(csr_array(M[:, rare]), random)
    beside = csr_array(seen.T @ tree)
    scores = place(beside, counts[known], company_scores(tree, labels[known], int(labels.max()) + 1))
    placed = nearest_clusters(scores)
    votes = np.asarray(beside @ np.eye(labels.max() + 1)[labels[known]])
    shuffled = random.permutation(labels[rare])
    names = [tagged.names[column] for column in columns]
    found = {"tags pretended to be rare": float(len(rare)), "concepts": float(labels.max() + 1)}
    for what, chosen in (
        ("ours", placed),
        ("votes of the tags beside", nearest_clusters(votes)),
        ("shuffled", shuffled),
    ):
        found[f"same concept, {what}"] = float(np.mean(chosen == labels[rare]))
    for what, chosen in (
        ("in the tree", labels[rare]),
        ("ours", placed),
        ("votes", nearest_clusters(votes)),
        ("shuffled", shuffled),
    ):
        found[f"gain by the judge, {what}"] = _gain(name, names, rare, chosen, known=known, labels=labels[known])
    return found


def _few_documents(matrix: Matrix, random: np.random.Generator) -> Matrix:
    """At most MOST documents of each tag."""
    columns = matrix.tocsc()
    kept = np.zeros(columns.nnz)
    for tag in range(columns.shape[1]):
        span = np.arange(columns.indptr[tag], columns.indptr[tag + 1])
        kept[random.choice(span, min(MOST, len(span)), replace=False)] = 1.0
    columns.data = kept
    columns.eliminate_zeros()
    return csr_array(columns)


def _gain(corpus: str, names: list[str], rare: Labels, chosen: Labels, *, known: Labels, labels: Labels) -> float:
    """The mean cosine of each rare tag with the tags of its concept, above that with all tags."""
    outside = judge(corpus)
    rare_known = np.array([outside.known(names[tag]) for tag in rare.tolist()]) & (chosen >= 0)
    tree_known = np.array([outside.known(names[tag]) for tag in known.tolist()])
    own = [names[tag] for tag in rare[rare_known].tolist()]
    others = [names[tag] for tag in known[tree_known].tolist()]
    cosines = outside.cosines([*own, *others])[: len(own), len(own) :]
    same = chosen[rare_known][:, None] == labels[tree_known][None, :]
    inside = (cosines * same).sum(axis=1) / np.maximum(same.sum(axis=1), 1)
    filled = same.any(axis=1)
    return float((inside - cosines.mean(axis=1))[filled].mean())
