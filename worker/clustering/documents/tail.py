"""The tail of a corpus: the tags that are not in the tree, each with the concept that it is placed in."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster import Incidence
from cocluster.tags.assignment import UNPLACED, company_scores, place, steady_clusters
from snapshot import NO_CONCEPT, Alias, Snapshot, TailTags
from tagmodel import Partition
from worker.vocabulary.aliases import former_keys
from worker.vocabulary.tag_corpus import TagCorpus

ROUNDS: Final = 3
"""How far a concept is handed from rare tag to rare tag."""

KEPT: Final = 0.2
"""β: a rare tag keeps the concept it had if its score is less than this share below the best."""

Matrix = csr_array[np.float64, tuple[int, int]]


@dataclass(frozen=True, eq=False)
class WholeCorpus:
    """All documents × all tags: those of the tree first, in their order, then the tail in the order of its keys.

    Attributes:
        matrix: a 1 for each tag of each document; documents in the order of their ids.
        rows: the rows of the tagged corpus that these documents are.
        columns: its columns that these tags are.
        in_matrix: the positions of the documents that were clustered.
        limited: how many tags the limit left out.
    """

    matrix: Matrix
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    in_matrix: NDArray[np.int64]
    limited: int = 0


def whole_corpus(tagged: TagCorpus, incidence: Incidence, rows: NDArray[np.int64], limit: int) -> WholeCorpus:
    """The matrix of these rows with all tags, `limit` at most: of the tail, the rarest go first, then the last keys."""
    chosen = tagged.matrix[rows]
    counts = np.bincount(chosen.indices, minlength=chosen.shape[1])
    counts[incidence.columns] = 0
    tail = np.flatnonzero(counts)
    room = max(limit - len(incidence.columns), 0)
    kept = np.sort(tail[np.argsort(-counts[tail], kind="stable")[:room]])
    columns = np.concatenate([incidence.columns, kept])
    matrix = csr_array(chosen[:, columns])
    matrix.sort_indices()
    return WholeCorpus(matrix, rows, columns, np.searchsorted(rows, incidence.rows), len(tail) - len(kept))


def tail_tags(
    tagged: TagCorpus,
    incidence: Incidence,
    whole: WholeCorpus,
    partition: Partition,
    *,
    aliases: Iterable[Alias] = (),
    previous: Snapshot | None = None,
) -> TailTags:
    """The tail with the concept of each tag: by the tags beside it, else by its spelling, else none.

    A tag keeps the concept that it has in the previous version unless its company clearly says otherwise.
    """
    head = len(incidence.columns)
    columns = whole.columns[head:].tolist()
    keys = tuple(tagged.keys[column] for column in columns)
    before = _earlier_positions(keys, aliases, previous, partition)
    positions = _by_company(whole.matrix, incidence, partition, before)
    head_keys = {tagged.keys[column]: place for place, column in enumerate(incidence.columns.tolist())}
    labels = np.concatenate([partition.labels, positions])
    positions = _by_spelling(keys, positions, head_keys, labels, head)
    ids = np.array([*partition.ids, NO_CONCEPT], dtype=np.int32)
    return TailTags(
        names=tuple(tagged.names[column] for column in columns),
        keys=keys,
        counts=np.bincount(whole.matrix.indices, minlength=head + len(keys))[head:].astype(np.int32),
        concepts=ids[positions],
    )


def _earlier_positions(
    keys: tuple[str, ...], aliases: Iterable[Alias], previous: Snapshot | None, partition: Partition
) -> NDArray[np.int64]:
    """The position of the cluster with the lasting id of the one that each tag was in; UNPLACED if there is none."""
    if previous is None:
        return np.full(len(keys), UNPLACED)
    concepts = dict(zip(previous.tail.keys, previous.tail.concepts.tolist(), strict=True))
    concepts |= dict(zip(previous.keys, previous.partition.item_ids.tolist(), strict=True))
    positions = {cluster: position for position, cluster in enumerate(partition.ids)}
    former = former_keys(keys, aliases, concepts)
    return np.array([positions.get(concepts.get(key, NO_CONCEPT), UNPLACED) for key in former], dtype=np.int64)


def _by_company(
    matrix: Matrix, incidence: Incidence, partition: Partition, before: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The position of the cluster of each tail tag by the tags of the tree beside it, else by the tail tags beside it.

    The one that it was in before needs a little less to win. UNPLACED where there are no tags beside it.
    """
    head = len(incidence.columns)
    rare = csr_array(matrix[:, head:].T)
    if not rare.shape[0]:
        return np.zeros(0, dtype=np.int64)
    counts = np.bincount(incidence.matrix.indices, minlength=head)
    scores = place(
        csr_array(rare @ matrix[:, :head]),
        counts,
        company_scores(incidence.matrix, partition.labels, len(partition.ids)),
    )
    for _ in range(ROUNDS):
        alone = np.flatnonzero(scores.max(axis=1) <= 0)
        if not len(alone):
            break
        known = scores / np.maximum(scores.max(axis=1, keepdims=True), 1e-12)
        scores[alone] = np.asarray(csr_array(rare[alone] @ csr_array(rare.T)) @ np.maximum(known, 0.0))
    return steady_clusters(scores, before, KEPT)


def _by_spelling(
    keys: tuple[str, ...],
    positions: NDArray[np.int64],
    head_keys: dict[str, int],
    labels: NDArray[np.int64],
    head: int,
) -> NDArray[np.int64]:
    """The rest by their words, the last first: *bass guitar* goes where *guitar* is."""
    index = {**{key: head + place for place, key in enumerate(keys)}, **head_keys}
    placed = positions.copy()
    for place_ in np.flatnonzero(positions == UNPLACED).tolist():
        for word in reversed(keys[place_].replace("-", " ").replace("_", " ").split()):
            tag = index.get(word)
            if tag is not None and labels[tag] != UNPLACED:
                placed[place_] = labels[tag]
                break
    return placed
