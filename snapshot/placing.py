"""The cluster of a document, told from its tags: one code for all documents of a run and for a query.  math.md (14)"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from snapshot.schema import Placing

BLOCK: Final = 8192
"""Documents looked at together; a document gives the same bits in any block."""


@dataclass(frozen=True, eq=False)
class Placed:
    """The nearest cluster of each document, and how sure that is: up to 1, and 0 for one without a known tag."""

    clusters: NDArray[np.int32]
    confidence: NDArray[np.float32]


def nearest(starts: NDArray[Any], tags: NDArray[Any], placing: Placing) -> Placed:
    """The nearest cluster of each document; the tags of document x are tags[starts[x] : starts[x + 1]], rising."""
    documents = len(starts) - 1
    clusters, confidence = np.zeros(documents, dtype=np.int32), np.zeros(documents, dtype=np.float32)
    for start in range(0, documents, BLOCK):
        end = min(start + BLOCK, documents)
        found = posteriors(starts[start : end + 1], tags, placing)
        clusters[start:end] = np.argmax(found, axis=1)
        confidence[start:end] = found.max(axis=1)
    confidence[np.diff(starts) == 0] = 0.0
    return Placed(clusters, confidence)


def posteriors(starts: NDArray[Any], tags: NDArray[Any], placing: Placing) -> NDArray[np.float32]:
    """How likely each cluster is, documents × clusters: 2^(τ·t·s_a) normalised.  math.md (14)

    t tags drawn from cluster a have the likelihood 2^(t Σ p log q_a), p being the document. Tags come together, so they
    say more or less than independent ones would: τ (`sharpness`) says how much.
    """
    scores = scored(starts, tags, placing)
    scores -= scores.max(axis=1, keepdims=True)
    t = np.diff(starts).astype(np.float32)[:, None]
    likelihood: NDArray[np.float32] = np.exp2(scores * (t * np.float32(placing.sharpness)))
    likelihood /= likelihood.sum(axis=1, keepdims=True)
    return likelihood


def scored(starts: NDArray[Any], tags: NDArray[Any], placing: Placing) -> NDArray[np.float32]:
    """s_a = Σ table / Σ mass over the tags of each document, documents × clusters; 0 without tags.  math.md (14)

    Added up tag by tag, for all documents that have so many at a time.
    """
    lengths = np.diff(starts)
    total = np.zeros((len(lengths), placing.table.shape[1]), dtype=np.float32)
    weight = np.zeros(len(lengths), dtype=np.float32)
    for place in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > place)
        tag = tags[starts[rows] + place]
        total[rows] += placing.table[tag]
        weight[rows] += placing.mass[tag]
    return np.divide(total, weight[:, None], out=total, where=weight[:, None] > 0)


def tag_cluster_of(profile: NDArray[Any], placing: Placing) -> tuple[int, float]:
    """Place among the tag clusters, and confidence, of a new tag whose documents are so likely in each cluster.

    The nearest in KL: argmax_b Σ_a p_a log(N_ab/C_b).  math.md (14)
    """
    p = np.asarray(profile, dtype=np.float64)
    scores = (p / p.sum()) @ placing.shares
    likelihood = np.exp2(scores - scores.max())
    best = int(np.argmax(likelihood))
    return best, float(likelihood[best] / likelihood.sum())
