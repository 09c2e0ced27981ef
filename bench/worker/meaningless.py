"""From which gain on concepts mean something: real corpora beside the same corpora with their tags dealt anew.

python -m bench.worker.meaningless             three samples of 300 and of 1,000 documents, one of 4,000
python -m bench.worker.meaningless 300 1000    only samples of these sizes

bench/results/meaningless.md is its output.
"""

import sys
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from bench.cocluster.stability.table import machine
from bench.places import CORPORA
from bench.worker.suggest.splits import matrix
from cocluster import CoClustering, coherence, incidence
from snapshot.version.gain import LEAST_GAIN, gain, warning
from worker.clustering.concepts import cut_model
from worker.suggestions.held_out import Matrix

SAMPLES: Final = {300: 3, 1000: 3, 4000: 1}
"""How many samples of each size; large shuffled ones take long."""

TITLE: Final = "# Real corpora, and the same with their tags dealt anew"
HEAD: Final = (
    "| corpus | documents | tags | clusters | bits | random | NPMI | random "
    "| shuffled: clusters | bits | random | NPMI | random | gain | shuffled |"
)


def sample(name: str, size: int, seed: int) -> Matrix:
    """Some documents of a corpus, drawn at random."""
    whole = matrix(name, 1)
    rows = np.random.default_rng(seed).permutation(whole.shape[0])[:size]
    return incidence(whole[np.sort(rows)]).matrix


def dealt_anew(documents: Matrix, seed: int) -> Matrix:
    """The same documents with as many tags each, and tags as common as before, but no tag knows of another.

    A tag that a document gets twice counts once.
    """
    row = np.repeat(np.arange(documents.shape[0]), np.diff(documents.indptr))
    tags = np.random.default_rng(seed).permutation(documents.indices)
    pairs = np.unique(np.stack([row, tags]), axis=1)
    shuffled = csr_array((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=documents.shape)
    return incidence(shuffled).matrix


def measure(documents: Matrix) -> dict[str, float]:
    """The figures that a run would record."""
    labels = cut_model(CoClustering().fit(documents), None).tags.labels
    figures = coherence(documents, labels)
    return {**vars(figures), "clusters": float(labels.max() + 1)}


def main() -> int:
    """Print the table; fail if the rule is wrong about any row."""
    sizes = [int(size) for size in sys.argv[1:]] or list(SAMPLES)
    print(TITLE, "", f"`{' '.join(['python -m bench.worker.meaningless', *sys.argv[1:]])}`, {machine()}.", "", sep="\n")
    print(HEAD, "|---" * HEAD.count(" | ") + "|---|", sep="\n", flush=True)
    gains: dict[str, list[float]] = {"real": [], "shuffled": []}
    wrong = 0
    for path in sorted(CORPORA.glob("*.jsonl.gz")):
        name = path.name.removesuffix(".jsonl.gz")
        for size in sizes:
            for seed in range(SAMPLES.get(size, 1)):
                documents = sample(name, size, seed)
                real, shuffled = measure(documents), measure(dealt_anew(documents, seed))
                gained = {"real": gain(real) or 0.0, "shuffled": gain(shuffled) or 0.0}
                for kind, value in gained.items():
                    gains[kind].append(value)
                wrong += (warning(real) is not None) + (warning(shuffled) is None)
                cells = [f"{documents.shape[0]:,}", f"{documents.shape[1]:,}"]
                for figures in (real, shuffled):
                    cells.append(f"{figures['clusters']:.0f}")
                    cells += [f"{figures[figure]:.3f}" for figure in ("bits", "random_bits", "npmi", "random_npmi")]
                cells += [f"{value:.3f}" for value in gained.values()]
                print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"\nLeast gain of a real corpus {min(gains['real']):.3f}, greatest of a shuffled one", end=" ")
    print(f"{max(gains['shuffled']):.3f}; the rule asks for {LEAST_GAIN}. Wrong: {wrong} of {2 * len(gains['real'])}.")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
