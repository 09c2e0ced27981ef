"""The judge from outside: cosines of sentence embeddings of tags. The product never reads them."""

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.places import SHARED
from snapshot import normalise

EMBEDDINGS: Final = SHARED / "embeddings"


class Judge:
    """The embeddings of the tags of one corpus."""

    def __init__(self, tags: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._row = {tag: row for row, tag in enumerate(tags)}
        self._vectors = vectors

    def known(self, tag: str) -> bool:
        """Whether a tag has an embedding."""
        return normalise(tag) in self._row

    def cosines(self, tags: Sequence[str]) -> NDArray[np.float64]:
        """S: the cosine of each pair of tags, all of which are known."""
        vectors = self._vectors[[self._row[normalise(tag)] for tag in tags]].astype(np.float64)
        return np.asarray(vectors @ vectors.T)


@cache
def judge(corpus: str) -> Judge:
    """The judge of a corpus."""
    path = EMBEDDINGS / f"{corpus}.npz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: nothing can judge")
    with np.load(path, allow_pickle=False) as stored:
        return Judge([str(tag) for tag in stored["tags"]], stored["vectors"].astype(np.float32))
