"""Samples of the corpora with all their tags."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.places import CORPORA
from cocluster import Incidence
from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.vocabulary.tag_corpus import TagCorpus

NAMES: Final = ("tabler_icons", "lastfm_artists", "citeulike_a", "whatscooking")
DOCUMENTS: Final = 4000
MIN_COUNT: Final = 5

Matrix = csr_array[Any, Any]


def tagged_corpus(name: str) -> TagCorpus:
    """A corpus as the worker reads it."""
    path = CORPORA / f"{name}.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: nothing to measure")
    return load_documents(Corpus(name=name, source=str(path), path=path), Stages(lambda *_: None))[0]


def sample(tagged: TagCorpus, seed: int, documents: int = DOCUMENTS) -> NDArray[np.int64]:
    """Rows of so many documents, or of all if there are fewer."""
    rows = np.random.default_rng(seed).permutation(len(tagged.ids))[:documents]
    return np.sort(rows)


def split_columns(matrix: Matrix, head: Incidence) -> tuple[NDArray[np.int64], Matrix]:
    """The columns of the head, then those of the tail that occur; and the matrix with its columns in this order."""
    used = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
    columns = np.concatenate([head.columns, np.setdiff1d(used, head.columns)])
    whole = csr_array(matrix[:, columns])
    whole.sort_indices()
    return columns, whole
