"""Finds the cluster of a document from its tags, for the documents of a run and for queries alike.  math.md (14)"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tagmodel.partition import Cluster

BLOCK: Final = 8192
"""Documents scored at a time; a document gets the same bits in any block."""

Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Assignments:
    """The nearest cluster of each document by position, and a calibrated confidence: 0 without a known tag."""

    clusters: NDArray[np.int32]
    confidence: Singles


@dataclass(frozen=True, eq=False)
class DocumentClassifier:
    """Finds the cluster of any document by its tags, and that of a new tag by its documents.  math.md (14)

    Documents come as `starts` and `tags`: those of document x are tags[starts[x] : starts[x + 1]], rising.

    Attributes:
        table: what a tag adds to the score of each document cluster, tags × document clusters.
        mass: what it adds to the mass of the document.
        shares: log₂ of each tag cluster's shares over the document clusters, document clusters × tag clusters.
        sharpness: τ, the weight of a difference of scores; fitted so that confidences are calibrated.
        clusters: the document clusters by position, labelled by the tags that set them apart.

    A document with tags 0 and 1, another with tag 2, and two clusters:

    >>> table = np.array([[-1, -4], [-2, -3], [-5, -1]], dtype=np.float32)
    >>> classifier = DocumentClassifier(table, np.ones(3, np.float32), np.zeros((2, 1), np.float32), 1.0, ())
    >>> classifier.classify(np.array([0, 2, 3]), np.array([0, 1, 2])).clusters
    array([0, 1], dtype=int32)
    """

    table: Singles
    mass: Singles
    shares: Singles
    sharpness: float
    clusters: tuple[Cluster, ...]

    def classify(self, starts: NDArray[Any], tags: NDArray[Any]) -> Assignments:
        """The nearest cluster of each document."""
        documents = len(starts) - 1
        clusters, confidence = np.zeros(documents, dtype=np.int32), np.zeros(documents, dtype=np.float32)
        for start in range(0, documents, BLOCK):
            end = min(start + BLOCK, documents)
            probabilities = self.probabilities(starts[start : end + 1], tags)
            clusters[start:end] = np.argmax(probabilities, axis=1)
            confidence[start:end] = probabilities.max(axis=1)
        confidence[np.diff(starts) == 0] = 0.0
        return Assignments(clusters, confidence)

    def probabilities(self, starts: NDArray[Any], tags: NDArray[Any]) -> Singles:
        """The probability of each cluster, documents × clusters: 2^(τ·t·s_a) normalised.  math.md (14)

        t tags drawn from cluster a have the likelihood 2^(t Σ p log q_a), p being the document. Tags of a document are
        not independent: τ (`sharpness`) corrects for that.
        """
        scores = self.scores(starts, tags)
        scores -= scores.max(axis=1, keepdims=True)
        t = np.diff(starts).astype(np.float32)[:, None]
        likelihood: Singles = np.exp2(scores * (t * np.float32(self.sharpness)))
        likelihood /= likelihood.sum(axis=1, keepdims=True)
        return likelihood

    def scores(self, starts: NDArray[Any], tags: NDArray[Any]) -> Singles:
        """s_a = Σ table / Σ mass over the tags of each document, documents × clusters; 0 without tags.  math.md (14)

        Adds the first tag of every document, then the second of those that have one, and so on.
        """
        lengths = np.diff(starts)
        total = np.zeros((len(lengths), self.table.shape[1]), dtype=np.float32)
        weight = np.zeros(len(lengths), dtype=np.float32)
        for place in range(int(lengths.max(initial=0))):
            rows = np.flatnonzero(lengths > place)
            tag = tags[starts[rows] + place]
            total[rows] += self.table[tag]
            weight[rows] += self.mass[tag]
        return np.divide(total, weight[:, None], out=total, where=weight[:, None] > 0)

    def tag_cluster(self, profile: NDArray[Any]) -> tuple[int, float]:
        """The position of a new tag's cluster, and the confidence, from the probabilities of its documents' clusters.

        The nearest cluster in KL: argmax_b Σ_a p_a log(N_ab/C_b).  math.md (14)
        """
        p = np.asarray(profile, dtype=np.float64)
        scores = (p / p.sum()) @ self.shares
        likelihood = np.exp2(scores - scores.max())
        best = int(np.argmax(likelihood))
        return best, float(likelihood[best] / likelihood.sum())
