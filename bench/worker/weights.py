"""What weights are worth: votes that people gave to tags, of which the weak ones are noise.

    python -m bench.worker.weights PATH...        # files of documents, for example of ../shared/corpora

No public corpus here has votes, so they are simulated on real documents: each tag of a document gets 1 + Poisson(8)
votes, and Poisson(4) tags that others use are put beside them with one vote each. Documents are clustered as they were,
with all tags that have a vote (presence), and with the tags that have at least a share of the votes of the strongest. A
row has the agreement (V-measure) of the clusters of tags with those of the documents as they were, at the same number.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from bench.document_files import documents_of, gather
from cocluster import CoClustering, incidence, v_measure
from cocluster.equations.arrays import Sparse

DOCUMENTS = 1500
K = 30
SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)


def votes(M: Sparse, seed: int) -> Sparse:
    """Simulated votes for a matrix of documents and tags."""
    random = np.random.default_rng(seed)
    own = M.tocoo()
    given = 1 + random.poisson(8, own.nnz)
    noise = random.poisson(4, M.shape[0])
    rows = np.repeat(np.arange(M.shape[0]), noise)
    columns = random.choice(own.col, len(rows))
    cells = (np.concatenate([own.row, rows]), np.concatenate([own.col, columns]))
    return csr_array((np.concatenate([given, np.ones(len(rows))]), cells), shape=M.shape)


def without_weak(V: Sparse, share: float) -> Sparse:
    """The tags with at least a share of the votes of the strongest tag of their document, as 0 and 1."""
    entries = V.tocoo()
    strongest = V.max(axis=1).toarray().ravel()
    kept = entries.data >= share * strongest[entries.row]
    return csr_array((np.ones(int(kept.sum())), (entries.row[kept], entries.col[kept])), shape=V.shape)


def main() -> None:
    print("| corpus | " + " | ".join("presence" if not share else f"{share:g}" for share in SHARES) + " |")
    print("|---|" + "--:|" * len(SHARES))
    for path in map(Path, sys.argv[1:]):
        M = gather(documents_of(path)).matrix
        rows = np.sort(np.random.default_rng(0).permutation(M.shape[0])[:DOCUMENTS])
        true = incidence(M[rows])
        model = CoClustering(n_clusters=K, verbose=False).fit(true)
        V = votes(true.matrix, 1)
        scores = []
        for share in SHARES:
            kept = incidence(without_weak(V, share), 1)
            other = CoClustering(n_clusters=K, verbose=False).fit(kept)
            scores.append(v_measure(model.column_labels_[kept.columns], other.column_labels_))
        name = path.name.split(".")[0]
        print(f"| {name} | " + " | ".join(f"{score:.2f}" for score in scores) + " |", flush=True)


if __name__ == "__main__":
    main()
