import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from snapshot import normalise
from worker.reading import Document


@dataclass(frozen=True, eq=False)
class TagCorpus:
    """All documents as one 0/1 matrix, documents × tags, before any tag is left out."""

    ids: tuple[str, ...]
    keys: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str | None, ...]
    matrix: csr_array[np.float64, tuple[int, int]]
    fingerprint: str


def gather(documents: Iterable[Document]) -> TagCorpus:
    """Normalise tags and build the matrix; each tag is shown in its commonest spelling (first seen wins a tie)."""
    ids: list[str] = []
    labels: list[str | None] = []
    index: dict[str, int] = {}
    spellings: list[Counter[str]] = []
    rows: list[NDArray[np.int32]] = []
    digest = hashlib.sha256()
    for document in documents:
        found: dict[str, str] = {}
        for tag in document.tags:
            key = normalise(tag)
            if key:
                found.setdefault(key, " ".join(tag.split()))
        columns = []
        for key, spelling in found.items():
            column = index.setdefault(key, len(index))
            if column == len(spellings):
                spellings.append(Counter())
            spellings[column][spelling] += 1
            columns.append(column)
        ids.append(document.id)
        labels.append(document.label)
        rows.append(np.array(sorted(columns), dtype=np.int32))
        digest.update("\x1f".join([document.id, document.label or "", *sorted(found)]).encode() + b"\x1e")
    return TagCorpus(
        ids=tuple(ids),
        keys=tuple(index),
        names=tuple(counter.most_common(1)[0][0] for counter in spellings),
        labels=tuple(labels),
        matrix=_matrix(rows, len(index)),
        fingerprint=digest.hexdigest(),
    )


def _matrix(rows: list[NDArray[np.int32]], width: int) -> csr_array[np.float64, tuple[int, int]]:
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    columns = np.concatenate([*rows, np.empty(0, dtype=np.int32)])
    return csr_array((np.ones(len(columns)), columns, starts), shape=(len(rows), width))
