"""Lists of tags, one a document, as a matrix."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from cocluster.equations.arrays import Sparse


def tag_matrix(lists: Iterable[Iterable[str]]) -> tuple[Sparse, list[str]]:
    """M ∈ {0,1}^{n×m} of documents × tags, and the tags in alphabetical order, one a column.

    A tag that a document repeats counts once. An empty string is no tag, and None or NaN a document without tags.

    >>> M, tags = tag_matrix([["rain", "sun"], ["sun", "sun"], []])
    >>> tags
    ['rain', 'sun']
    >>> M.toarray().astype(int)
    array([[1, 1],
           [0, 1],
           [0, 0]])

    Raises:
        ValueError: a document is no list of strings (named).
    """
    documents = [_tags_of(document, place) for place, document in enumerate(lists)]
    tags = sorted(set().union(*documents))
    column_of = {tag: column for column, tag in enumerate(tags)}
    indices = np.array([column_of[tag] for document in documents for tag in sorted(document)], dtype=np.int64)
    starts = np.cumsum([0, *map(len, documents)])
    return csr_array((np.ones(len(indices)), indices, starts), shape=(len(documents), len(tags))), tags


def _tags_of(document: Any, place: int) -> set[str]:
    """The different tags of one document."""
    if document is None or (isinstance(document, float) and np.isnan(document)):
        return set()  # what pandas has for a missing value
    if isinstance(document, str):
        raise ValueError(  # noqa: TRY004 — bad data
            f"document {place} is the text {document[:40]!r}, not a list of tags; split it first: column.str.split(',')"
        )
    if not isinstance(document, Iterable):
        raise ValueError(f"document {place} is {document!r}, not a list of tags")  # noqa: TRY004 — bad data
    tags = list(document)
    for tag in tags:
        if not isinstance(tag, str):
            raise ValueError(f"document {place} has the tag {tag!r}, which is not a string")  # noqa: TRY004 — bad data
    return set(tags) - {""}
