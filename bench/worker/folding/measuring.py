"""The same documents clustered with and without folding, judged on the folded tags."""

from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.document_files import documents_of
from bench.meaning.judge import EMBEDDINGS, judge
from bench.meaning.measures import Labels, bits, gain
from bench.places import CORPORA
from cocluster import CoClustering, incidence, v_measure
from snapshot import normalise
from worker.clustering.concepts import cut_model
from worker.sources.blocks import in_blocks
from worker.sources.document import Document
from worker.vocabulary.rules import vocabulary
from worker.vocabulary.tag_corpus import TagCorpus, build_corpus, read_entries

NAMES: Final = ("radio_large", "lastfm_artists", "debtags", "dblp_v12_fos")
SEEDS: Final = (0, 1, 2)
DOCUMENTS: Final = 20_000
READ: Final = 100_000
"""Documents to draw from, at most: any prefix of radio_large, the one longer corpus, is a uniform sample."""

TRAINING: Final = 0.8
MIN_COUNT: Final = 5
KS: Final = (15, 30)


@dataclass(frozen=True, eq=False)
class Clustered:
    """The tags of a run, and its tree of them."""

    keys: tuple[str, ...]
    counts: NDArray[np.float64]
    model: CoClustering
    clusters: int

    def labels(self, k: int) -> Labels:
        """The cluster of each tag, of k."""
        return np.asarray(self.model.column_labels(k), dtype=np.int64)


def measure(corpus: str, seed: int, documents: int) -> dict[str, Any]:
    """Tags, concepts, gain and bits with folding and without, over the folded tags that both have."""
    training, held_out = _split(corpus, seed, documents)
    plain, folded = _gather(training, "off"), _gather(training, "spelling")
    before, after = _clustered(plain), _clustered(folded)
    tag_of = {normalise(alias.name): alias.tag for alias in folded.aliases}
    home = _homes(before, tag_of)
    common = [column for column, key in enumerate(after.keys) if key in home]
    keys = [after.keys[column] for column in common]
    own = _columns(folded, keys)
    tests = _columns(_gather(held_out, "spelling"), keys)
    figures: dict[str, Any] = {
        "documents": len(training),
        "tags": [len(before.keys), len(after.keys)],
        "concepts": [before.clusters, after.clusters],
        "common": len(common),
        "folds": len(folded.aliases),
    }
    for k in KS:
        old = before.labels(k)[[home[key] for key in keys]]
        new = after.labels(k)[common]
        figures[str(k)] = {
            "gain": [_gain(corpus, keys, labels) for labels in (old, new)],
            "bits": [bits(own, tests, labels) for labels in (_compact(old), _compact(new))],
            "v": float(v_measure(old, new)),
        }
    return figures


def _split(corpus: str, seed: int, documents: int) -> tuple[list[Document], list[Document]]:
    path = CORPORA / f"{corpus}.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: nothing to measure")
    found = list(islice(documents_of(path), READ))
    order = np.random.default_rng(seed).permutation(len(found))[:documents].tolist()
    cut = round(TRAINING * len(order))
    return [found[place] for place in order[:cut]], [found[place] for place in order[cut:]]


def _gather(documents: list[Document], variants: str) -> TagCorpus:
    return build_corpus(read_entries(in_blocks(documents), pairs=False), vocabulary({}, (), variants))  # type: ignore[arg-type]


def _clustered(corpus: TagCorpus) -> Clustered:
    filtered = incidence(corpus.matrix, MIN_COUNT)
    model = CoClustering().fit(filtered)
    counts: NDArray[np.float64] = np.asarray(filtered.matrix.sum(axis=0)).ravel()
    keys = tuple(corpus.keys[column] for column in filtered.columns)
    return Clustered(keys, counts, model, len(cut_model(model, None).tags.ids))


def _homes(before: Clustered, tag_of: dict[str, str]) -> dict[str, int]:
    """For each folded tag, its commonest spelling among the tags before: where people would look for it."""
    home: dict[str, int] = {}
    for column in np.argsort(-before.counts, kind="stable").tolist():
        home.setdefault(tag_of.get(before.keys[column], before.keys[column]), column)
    return home


def _columns(corpus: TagCorpus, keys: list[str]) -> csr_array[np.float64, tuple[int, int]]:
    """The columns of some tags, which these documents may spell otherwise, or not have."""
    place = {key: column for column, key in enumerate(corpus.keys)}
    place |= {normalise(alias.name): place[alias.tag] for alias in corpus.aliases if alias.tag in place}
    empty = corpus.matrix.shape[1]
    wide = csr_array(
        (corpus.matrix.data, corpus.matrix.indices, corpus.matrix.indptr), shape=(len(corpus.ids), empty + 1)
    )
    return csr_array(wide[:, [place.get(key, empty) for key in keys]])


def _gain(corpus: str, keys: list[str], labels: Labels) -> float | None:
    """The gain over the tags that the judge knows; None for a corpus without a judge."""
    if not (EMBEDDINGS / f"{corpus}.npz").exists():
        return None
    known = [place for place, key in enumerate(keys) if judge(corpus).known(key)]
    return gain(judge(corpus).cosines([keys[place] for place in known]), labels[known])


def _compact(labels: Labels) -> Labels:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
