"""Keeps new tags out of a version until enough documents have them, or an editor admits them."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from snapshot import Snapshot, normalise
from worker.vocabulary.tag_corpus import TagCorpus


@dataclass(frozen=True, eq=False)
class StagedTags:
    """The tags that wait, by key, and which documents of the corpus have each."""

    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    documents: tuple[NDArray[np.int32], ...] = ()


NONE_STAGED: Final = StagedTags()


def stage_new_tags(
    tagged: TagCorpus, *, min_new: int, admitted: Collection[str], previous: Snapshot | None
) -> tuple[TagCorpus, StagedTags]:
    """The corpus without the tags that wait, and those, the commonest first.

    A tag waits if fewer than `min_new` documents have it, the version before did not serve it, and no editor admitted
    it. The documents stay, and keep what their source says: the next run asks again.
    """
    counts = np.bincount(tagged.matrix.indices, minlength=len(tagged.keys))
    served = set() if previous is None else {*previous.keys, *previous.tail.keys}
    known = served | {normalise(tag) for tag in admitted}
    waits = np.array([key not in known for key in tagged.keys], dtype=np.bool_) & (counts < min_new)
    if not waits.any():
        return tagged, NONE_STAGED
    kept = np.flatnonzero(~waits)
    by_tag = tagged.matrix.tocsc()
    columns = np.flatnonzero(waits)
    columns = columns[np.argsort(-counts[columns], kind="stable")].tolist()
    staged = StagedTags(
        tuple(tagged.keys[column] for column in columns),
        tuple(tagged.names[column] for column in columns),
        tuple(np.sort(by_tag.indices[by_tag.indptr[column] : by_tag.indptr[column + 1]]) for column in columns),
    )
    matrix = csr_array(tagged.matrix[:, kept])
    matrix.sort_indices()
    left = replace(
        tagged,
        keys=tuple(tagged.keys[column] for column in kept.tolist()),
        names=tuple(tagged.names[column] for column in kept.tolist()),
        matrix=matrix,
    )
    return left, staged
