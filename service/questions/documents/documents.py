"""The documents behind a query, one document, documents like it, and the documents that stand for a concept."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from service.answers import DocumentAnswer, DocumentEntry, DocumentsAnswer, SimilarAnswer
from service.errors import UnknownCluster, UnknownDocument
from service.questions.clouds.cloud import query_answer
from service.questions.documents.ranking import (
    Match,
    RankedDocuments,
    no_documents,
    ranked_documents,
    similar_documents,
)
from service.questions.documents.reasons import Reason
from service.questions.documents.sets import Mask, documents_of_group, documents_with_all, joint_counts
from service.questions.related.joint_counts import NO_COUNTS, JointCounts
from service.questions.related.related import related
from service.questions.text.narrower import documents_within, with_narrower
from service.questions.text.query import ParsedQuery
from service.view.view import View

Sort = Literal["best", "date"]
"""Documents by how well they fit, or by date, newest first."""

BALANCED: Final = 0.5
"""The specificity of the tags that a document may be missing."""

LEADING_TAGS: Final = 10
"""The commonest tags of a concept, by which the documents are chosen that represent it."""


def documents(
    view: View,
    query: ParsedQuery,
    *,
    cluster: int | None,
    match: Match | None,
    limit: int,
    offset: int,
    narrower: bool = False,
    sort: Sort = "best",
) -> DocumentsAnswer:
    """The documents behind a query, best first; without a query, all in the order of their ids.

    With `narrower`, those that have each tag of the query or a narrower one. Sorted by date, only those that have all
    tags are listed, newest first, those without a date last.
    """
    among = without_excluded(view, query, None if cluster is None else documents_of(view, cluster))
    index = view.documents.index
    if narrower and query.tags:
        return _narrower_documents(view, query, among, limit=limit, offset=offset, sort=sort)
    ranking = (
        no_documents()
        if query.nothing_known
        else newest_documents(view, query.asked, among, limit=limit, offset=offset)
        if sort == "date"
        else ranked_documents(
            index,
            query.asked or query.group,
            match="any" if query.group and not query.asked else match,
            among=among,
            limit=limit,
            offset=offset,
        )
    )
    if query.group and not query.asked and among is not None:
        ranking = replace(ranking, total=int(np.count_nonzero(among)))
    return _documents_answer(view, query, ranking, offset)


def _narrower_documents(
    view: View, query: ParsedQuery, among: Mask | None, *, limit: int, offset: int, sort: Sort
) -> DocumentsAnswer:
    within = documents_within(view, query)
    if among is not None:
        within &= among
    if sort == "date":
        newest = newest_documents(view, (), within, limit=limit, offset=offset)
        return _documents_answer(view, query, newest, offset)
    tags = with_narrower(view, query).asked
    ranking = ranked_documents(view.documents.index, tags, match="any", among=within, limit=limit, offset=offset)
    return _documents_answer(view, query, replace(ranking, total=int(np.count_nonzero(within))), offset)


def _documents_answer(view: View, query: ParsedQuery, ranking: RankedDocuments, offset: int) -> DocumentsAnswer:
    return DocumentsAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        fresh=view.fresh,
        query=query_answer(view, query),
        total=ranking.total,
        offset=offset,
        more=ranking.more,
        documents=entries(view, ranking),
    )


def newest_documents(
    view: View, tags: Sequence[int], among: Mask | None, *, limit: int, offset: int
) -> RankedDocuments:
    """The documents with all tags, newest first; at equal dates, by id."""
    index, dates = view.documents.index, view.documents.dates
    found = documents_with_all(index, tuple(dict.fromkeys(tags)), among)
    moments = dates[found] if len(dates) else np.zeros(len(found), dtype=np.int64)
    order = np.lexsort((index.order_of(found), -moments.astype(np.float64)))[offset : offset + limit]
    page = found[order]
    none = ((),) * len(page)
    return RankedDocuments(len(found), page, np.zeros(len(page), dtype=np.float32), none, len(found) > offset + limit)


def document(view: View, name: str, limit: int) -> DocumentAnswer:
    """All about one document."""
    position = find_document(view, name)
    tags = view.documents.tags(position)
    query = ParsedQuery("", (), (), tuple(tags))
    return DocumentAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        fresh=view.fresh,
        document=entry(view, position),
        missing=related(view, query, limit=limit, specificity=BALANCED).related if limit else [],
        similar=entries(view, similar_documents(view.documents.index, tags, exclude=position, limit=limit)),
    )


def similar(view: View, name: str | None, query: ParsedQuery, *, limit: int, offset: int) -> SimilarAnswer:
    """The documents like one document, or near to the tags of the query.

    A document has enough tags to compare the company they keep; a few tags are better ranked as a query.
    """
    index = view.documents.index
    if query.nothing_known:
        ranking = no_documents()
    elif name is None:
        ranking = ranked_documents(
            index, query.asked, match="near", among=without_excluded(view, query), limit=limit, offset=offset
        )
    else:
        position = find_document(view, name)
        tags = view.documents.tags(position)
        ranking = similar_documents(
            index, tags, exclude=position, among=without_excluded(view, query), limit=limit, offset=offset
        )
    return SimilarAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        fresh=view.fresh,
        document=name,
        query=query_answer(view, query),
        offset=offset,
        more=ranking.more,
        documents=entries(view, ranking),
    )


def representatives(view: View, cluster: int, limit: int) -> list[DocumentEntry]:
    """The documents of a concept that are nearest to its commonest tags; none if there are no documents here."""
    if not view.has_documents:
        return []
    tags = view.members[cluster][:LEADING_TAGS]
    among = documents_of(view, cluster)
    return entries(view, ranked_documents(view.documents.index, tags, match="near", among=among, limit=limit))


def query_counts(
    view: View, query: ParsedQuery, *, together: bool, narrow: bool, narrower: bool = False
) -> JointCounts:
    """The number of documents with all tags of a query and each other tag, and which tags an answer may list.

    Documents with an excluded tag do not count. A tag goes if most of its documents do, beside the query or, where the
    query has none with it, anywhere. Without documents, only the excluded tags go. With `narrower`, a document counts
    that has each tag of the query or a narrower one.
    """
    if not (together or narrow or query.excluded):
        return NO_COUNTS
    if not (together or narrow or view.has_documents):
        others = np.ones(len(view.counts), dtype=np.bool_)
        others[list(query.excluded)] = False
        return JointCounts(None, others)
    index = view.documents.index
    tags, within = query.asked, None
    if narrower and query.tags:
        tags, within = (), documents_within(view, query)
    among_documents = without_excluded(view, query, None if within is None else within.copy())
    counts = joint_counts(index, tags, among=among_documents)
    among = counts > 0 if narrow else None
    if query.excluded:
        before, remaining = joint_counts(index, tags, among=within), counts.copy()
        alone = np.flatnonzero(before == 0)
        if len(alone):
            before[alone] = np.asarray(view.counts)[alone]
            remaining[alone] = joint_counts(index, (), alone.tolist(), without_excluded(view, query))
        stays = 2 * remaining >= before
        among = stays if among is None else among & stays
    return JointCounts(counts if together else None, among)


def documents_of(view: View, cluster: int) -> Mask:
    """For every document, whether it belongs to a concept."""
    if cluster not in view.clusters:
        raise UnknownCluster(f"{view.snapshot.corpus} has no cluster {cluster}")
    mask = np.zeros(view.documents.index.position_count, dtype=np.bool_)
    for each in (cluster, *(emptied for emptied, heir in view.edited.heirs.items() if heir == cluster)):
        mask[view.documents.of_concept(each)] = True
    return mask


def without_excluded(view: View, query: ParsedQuery, among: Mask | None = None) -> Mask | None:
    """For every document, whether it counts; None if all count.

    It has none of the tags that the query excludes, and belongs to the group that the query opens, if it opens one.
    """
    if not query.excluded and not query.group:
        return among
    index = view.documents.index
    mask = all_documents(view) if among is None else among
    for tag in query.excluded:
        mask[index.documents_of(tag)] = False
    if query.group:
        with_query = np.zeros_like(mask)
        with_query[documents_with_all(index, query.asked, mask)] = True
        mask &= documents_of_group(index, query.group, with_query)
    return mask


def all_documents(view: View) -> Mask:
    """For every position, whether a document is there."""
    mask = np.zeros(view.documents.index.position_count, dtype=np.bool_)
    mask[view.documents.index.positions()] = True
    return mask


def find_document(view: View, name: str) -> int:
    """The position of a document; UnknownDocument names similar ids."""
    position = view.documents.position(name)
    if position is not None:
        return position
    raise UnknownDocument(f"there is no document {name!r} in {view.snapshot.corpus}", view.documents.close_ids(name))


def entries(view: View, ranking: RankedDocuments) -> list[DocumentEntry]:
    """Ranked documents as an answer lists them."""
    ranked = zip(ranking.documents.tolist(), ranking.scores.tolist(), ranking.because, strict=True)
    return [entry(view, position, score, because) for position, score, because in ranked]


def entry(view: View, position: int, score: float = 0.0, because: Iterable[Reason] = ()) -> DocumentEntry:
    """One document as an answer lists it."""
    store, names = view.documents, view.tag_names
    card, tags, concept = store.card(position), store.tags(position), store.concept(position)
    return {
        "id": store.id(position),
        "title": card.title,
        "url": card.url,
        "image": card.image,
        "date": store.date(position),
        "fields": dict(card.fields),
        "tags": [names[tag] for tag in tags],
        "rare": [names[tag] for tag in tags if view.is_tail(tag)],
        "cluster": None if concept is None else view.concept_id(concept),
        "score": round(score, 6),
        "because": [{"tag": names[reason.tag], "share": round(reason.share, 4)} for reason in because],
    }
