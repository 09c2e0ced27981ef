"""Makes the table of documents that services map, from a run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cocluster import Incidence, document_index
from snapshot import NO_CONCEPT, DocumentTable, MapRegion, TailTags, Texts
from snapshot.version.documents.cards import decode_card, image_origin
from snapshot.version.documents.dates import NO_DATE, date_of_card
from tagmodel import Partition
from tagmodel.language.text import TextModel
from worker.clustering.documents.tail import WholeCorpus
from worker.clustering.documents.titles import title_words
from worker.clustering.drawing.map_layout import map_places
from worker.vocabulary.tag_corpus import TagCorpus

MOST_ORIGINS: Final = 20
"""Browsers read them with every page; documents of further hosts have no image."""


def document_table(
    tagged: TagCorpus,
    incidence: Incidence,
    whole: WholeCorpus,
    concepts: NDArray[np.int64],
    clusters: NDArray[np.int32],
    *,
    cluster_count: int,
    tag_concepts: NDArray[np.int64],
    regions: Sequence[MapRegion],
    text: TextModel,
) -> DocumentTable:
    """All documents: `concepts` and `clusters` are those of each; `cluster_count` is how many document clusters.

    `tag_concepts` are the positions of the concepts of all tags, and `regions` says where concepts lie on the map.
    """
    rows = whole.rows.tolist()
    ids = [tagged.ids[row].encode() for row in rows]
    keys = [tagged.keys[column] for column in whole.columns]
    cards = Texts.none()
    if tagged.cards is not None:
        cards = Texts.of(tagged.cards.get(row) for row in rows)
    document_clusters = np.full(len(rows), cluster_count, dtype=np.int64)
    document_clusters[whole.in_matrix] = clusters
    words, titles = title_words(tagged, rows, (tagged.keys[column] for column in whole.columns.tolist()))
    return DocumentTable(
        index=replace(document_index(incidence.matrix, whole.matrix), titles=titles),
        ids=Texts.of(ids),
        concepts=_narrow(concepts),
        clusters=_narrow(document_clusters),
        cards=cards,
        text=text,
        dates=_dates(cards),
        title_words=words,
        places=map_places(ids, whole.matrix, keys, tag_concepts=tag_concepts, concepts=concepts, regions=regions),
    )


def all_tag_concepts(partition: Partition, tail: TailTags) -> NDArray[np.int64]:
    """The position of the concept of every tag, head and tail; the number of clusters for none."""
    none = len(partition.ids)
    position = {cluster: place for place, cluster in enumerate(partition.ids)} | {NO_CONCEPT: none}
    of_tail = [position[concept] for concept in tail.concepts.tolist()]
    return np.concatenate([partition.labels.astype(np.int64), np.array(of_tail, dtype=np.int64)])


def image_origins(tagged: TagCorpus, whole: WholeCorpus) -> list[str]:
    """Where the images of the documents come from, most first; pages load images from nowhere else."""
    if tagged.cards is None:
        return []
    images = (decode_card(tagged.cards.get(row)).image for row in whole.rows.tolist())
    counts = Counter(origin for image in images if image and (origin := image_origin(image)) is not None)
    return [origin for origin, _ in counts.most_common(MOST_ORIGINS)]


def _dates(cards: Texts) -> NDArray[np.int64]:
    """The dates in the fields of the cards; none at all if there is none."""
    dates = np.fromiter((date_of_card(cards.get(row)) for row in range(len(cards))), dtype=np.int64, count=len(cards))
    return dates if (dates != NO_DATE).any() else dates[:0]


def all_concepts(
    whole: WholeCorpus, concepts: NDArray[np.int64], partition: Partition, tag_concepts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The position of the tag cluster of every document: as in the matrix, else that of most of its tags.

    The number of clusters where no tag has one.
    """
    none = len(partition.ids)
    all_of = np.full(whole.matrix.shape[0], none, dtype=np.int64)
    all_of[whole.in_matrix] = concepts
    outside = np.setdiff1d(np.flatnonzero(np.diff(whole.matrix.indptr)), whole.in_matrix)
    for row in outside.tolist():
        tags = whole.matrix.indices[whole.matrix.indptr[row] : whole.matrix.indptr[row + 1]]
        votes = np.bincount(tag_concepts[tags], minlength=none + 1)[:none]
        if votes.any():
            all_of[row] = votes.argmax()
    return all_of


def _narrow(values: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
    """Whole numbers ≥ 0 in the narrowest type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
