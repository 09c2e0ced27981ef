"""Rewrites a version without some of its documents, as if their texts had never been in it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snapshot.version.aliases import Alias
from snapshot.version.documents.document_table import DocumentTable
from snapshot.version.documents.series import counted_series, without_series
from snapshot.version.documents.texts import Texts
from snapshot.version.proposals import Proposal
from snapshot.version.schema import Documents, Snapshot
from snapshot.version.tail import TailTags
from tagmodel import DocumentIndex
from tagmodel.index.document_index import TitleIndex
from tagmodel.language.spelling import normalise


@dataclass(frozen=True, eq=False)
class ErasedVersion:
    """A version without some documents.

    Attributes:
        snapshot: what is left of it; None if a tag of its tree has no document left. The tree would name that tag.
        documents: the rest of the documents.
        removed: the ids of the documents that it had.
    """

    snapshot: Snapshot | None
    documents: Documents
    removed: tuple[str, ...]


def without_documents(
    snapshot: Snapshot, documents: Documents, ids: Collection[str], spellings: Mapping[str, int]
) -> ErasedVersion:
    """A version without the documents of these ids, whose tags were spelled like this; `documents.table` is read too.

    The documents leave the table, the counts, the proposals and the lists. In the dendrogram of documents their leaves
    stay, under another name. Rare tags that no other document has go too. What was learnt from all documents together
    (the trees, the weights, the classifier) stays: it has no text of them.
    """
    table = documents.table
    listed = {name for name in documents.ids if name in ids}
    if table is None:
        renamed = _renamed(documents, ids, None)
        return ErasedVersion(_with_other_names(snapshot, ids, set(), spellings), renamed, tuple(sorted(listed)))
    stays = np.array([table.ids.get(place).decode() not in ids for place in range(len(table.ids))], dtype=np.bool_)
    removed = {table.ids.get(place).decode() for place in np.flatnonzero(~stays).tolist()} | listed
    head, index = len(snapshot.names), table.index
    counts = np.bincount(index.tags_of_all(np.flatnonzero(stays)), minlength=index.tag_count)
    kept_tags = np.concatenate([np.ones(head, dtype=np.bool_), counts[head:] > 0])
    rest = DocumentTable(
        index=_smaller_index(index, stays, kept_tags),
        ids=_kept(table.ids, stays),
        concepts=table.concepts[stays],
        clusters=table.clusters[stays],
        cards=_kept(table.cards, stays) if len(table.cards) else table.cards,
        dates=table.dates[stays] if len(table.dates) else table.dates,
        places=table.places[stays] if len(table.places) else table.places,
        title_words=_kept(table.title_words, _words_left(index, stays)),
    )
    renamed = _renamed(documents, ids, rest)
    if (counts[:head] == 0).any():
        return ErasedVersion(None, renamed, tuple(sorted(removed)))
    gone = {snapshot.tail.keys[place] for place in np.flatnonzero(~kept_tags[head:]).tolist()}
    smaller = _with_other_names(snapshot, ids, gone, spellings)
    in_tree = sum(name in ids for name in documents.ids)
    lost = np.bincount(table.concepts[~stays].astype(np.int64), minlength=len(snapshot.clusters) + 1)
    smaller = replace(
        smaller,
        counts=counts[:head].astype(np.int32),
        tail=_smaller_tail(snapshot.tail, kept_tags[head:], counts[head:]),
        tail_tag_count=int(kept_tags[head:].sum()),
        document_count=snapshot.document_count - in_tree,
        tail_document_count=int(stays.sum()) - (snapshot.document_count - in_tree),
        series=without_series(
            snapshot.series,
            counted_series(table, snapshot.partition.ids, head, ~stays),
            np.where(kept_tags, np.cumsum(kept_tags) - 1, -1),
        ),
        cluster_documents=tuple(
            count - int(less) for count, less in zip(snapshot.cluster_documents, lost, strict=False)
        ),
    )
    return ErasedVersion(smaller, renamed, tuple(sorted(removed)))


def _renamed(documents: Documents, ids: Collection[str], table: DocumentTable | None) -> Documents:
    """The same rows, those of the documents under another name: the dendrogram needs its leaves."""
    names = tuple(f"erased:{row}" if name in ids else name for row, name in enumerate(documents.ids))
    return replace(documents, ids=names, table=table)


def _with_other_names(
    snapshot: Snapshot, ids: Collection[str], gone: Collection[str], spellings: Mapping[str, int]
) -> Snapshot:
    """Without the aliases and proposals that only these documents and these tags had, and without words of texts."""
    written: Counter[str] = Counter()
    for spelling, count in spellings.items():
        written[normalise(spelling)] += count

    def left(alias: Alias) -> bool:
        return alias.tag not in gone and (alias.how == "synonym" or alias.count > written[normalise(alias.name)])

    def about(proposal: Proposal) -> bool:
        return bool(proposal.forms & set(gone)) or bool({normalise(tag) for tag in proposal.shared} & set(gone))

    return replace(
        snapshot,
        aliases=tuple(filter(left, snapshot.aliases)),
        proposals=tuple(
            replace(each, documents=tuple(name for name in each.documents if name not in ids), words=())
            for each in snapshot.proposals
            if not about(each)
        ),
    )


def _smaller_tail(tail: TailTags, stays: NDArray[np.bool_], counts: NDArray[Any]) -> TailTags:
    kept = np.flatnonzero(stays).tolist()
    return TailTags(
        names=tuple(tail.names[place] for place in kept),
        keys=tuple(tail.keys[place] for place in kept),
        counts=counts[stays].astype(np.int32),
        concepts=tail.concepts[stays],
    )


def _smaller_index(index: DocumentIndex, stays: NDArray[np.bool_], kept_tags: NDArray[np.bool_]) -> DocumentIndex:
    """Without some documents, and without some tags that none of the others has. Neighbours and profiles stay."""
    number = (np.cumsum(kept_tags) - 1).astype(index.tags.dtype)
    position = (np.cumsum(stays) - 1).astype(index.documents.dtype)
    in_row = np.repeat(stays, index.sizes)
    in_column = stays[index.documents]
    counts = np.bincount(index.tags[in_row], minlength=index.tag_count)[kept_tags]
    sizes = index.sizes[stays]
    return replace(
        index,
        tag_starts=_starts(counts),
        documents=position[index.documents[in_column]],
        document_starts=_starts(sizes),
        tags=number[index.tags[in_row]],
        sizes=sizes,
        titles=_smaller_titles(index, stays),
    )


def _words_left(index: DocumentIndex, stays: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each word of titles, whether a document is left that has it."""
    return _title_counts(index, stays) > 0


def _title_counts(index: DocumentIndex, stays: NDArray[np.bool_]) -> NDArray[np.int64]:
    words = np.repeat(np.arange(len(index.titles)), np.diff(index.titles.starts))
    return np.bincount(words[stays[index.titles.documents]], minlength=len(index.titles)).astype(np.int64)


def _smaller_titles(index: DocumentIndex, stays: NDArray[np.bool_]) -> TitleIndex:
    position = (np.cumsum(stays) - 1).astype(index.titles.documents.dtype)
    documents = index.titles.documents
    counts = _title_counts(index, stays)
    return TitleIndex(_starts(counts[counts > 0]), position[documents[stays[documents]]])


def _starts(sizes: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def _kept(texts: Texts, stays: NDArray[np.bool_]) -> Texts:
    get: Callable[[int], bytes] = texts.get
    kept: Iterable[int] = np.flatnonzero(stays).tolist()
    return Texts.of(map(get, kept))
