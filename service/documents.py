"""The documents behind a query, one document, documents like it, and the documents that stand for a concept."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.answers import DocumentAnswer, DocumentEntry, DocumentsAnswer, SimilarAnswer
from service.cloud import query_answer
from service.document_parameters import Match
from service.document_ranking import RankedDocuments, joint_counts, ranked_documents, similar_documents
from service.errors import UnknownCluster, UnknownDocument
from service.facets import NO_FACETS, Facets
from service.query import ParsedQuery
from service.related import related
from service.view import View

LEADING_TAGS: Final = 10
"""The commonest tags of a concept, by which the documents are chosen that represent it."""


def documents(
    view: View, query: ParsedQuery, *, cluster: int | None, match: Match | None, limit: int, offset: int
) -> DocumentsAnswer:
    """The documents behind a query, best first; without a query, all in the order of their ids."""
    among = None if cluster is None else documents_of(view, cluster)
    ranking = ranked_documents(
        view.documents.index, query.tags, match=match, among=among, limit=limit + 1, offset=offset
    )
    return DocumentsAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        query=query_answer(view, query),
        total=ranking.total,
        offset=offset,
        more=len(ranking.documents) > limit,
        documents=entries(view, ranking)[:limit],
    )


def document(view: View, name: str, limit: int) -> DocumentAnswer:
    """All about one document."""
    position = find_document(view, name)
    tags = view.documents.tags(position)
    ranking = similar_documents(view.documents.index, tags, exclude=position, limit=limit, offset=0)
    query = ParsedQuery("", (), (), tuple(tags))
    return DocumentAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        document=entry(view, position),
        missing=related(view, query, limit=limit, specificity=0.5).related if limit else [],
        similar=entries(view, ranking),
    )


def similar(view: View, name: str | None, query: ParsedQuery, *, limit: int, offset: int) -> SimilarAnswer:
    """The documents like one document, or like one that would have the tags of the query."""
    position = None if name is None else find_document(view, name)
    tags = query.tags if position is None else view.documents.tags(position)
    ranking = similar_documents(view.documents.index, tags, exclude=position, limit=limit + 1, offset=offset)
    return SimilarAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        document=name,
        query=query_answer(view, query),
        offset=offset,
        more=len(ranking.documents) > limit,
        documents=entries(view, ranking)[:limit],
    )


def representatives(view: View, cluster: int, limit: int) -> list[DocumentEntry]:
    """The documents of a concept that are nearest to its commonest tags; none if there are no documents here."""
    if not view.has_documents:
        return []
    among = documents_of(view, cluster)
    tags = view.members[cluster][:LEADING_TAGS]
    return entries(view, ranked_documents(view.documents.index, tags, match="near", among=among, limit=limit, offset=0))


def facets(view: View, tags: tuple[int, ...], *, together: bool, narrow: bool) -> Facets:
    """The number of documents with all tags of a query and each other tag, if asked for."""
    if not (together or narrow):
        return NO_FACETS
    return Facets(joint_counts(view.documents.index, tags), shown=together, narrow=narrow)


def documents_of(view: View, cluster: int) -> NDArray[np.intp]:
    """The positions of the documents of a concept, rising."""
    if cluster not in view.clusters:
        raise UnknownCluster(f"{view.snapshot.corpus} has no cluster {cluster}")
    return view.documents.of_concept(cluster)


def find_document(view: View, name: str) -> int:
    """The position of a document; UnknownDocument names similar ids."""
    position = view.documents.position(name)
    if position is not None:
        return position
    raise UnknownDocument(f"there is no document {name!r} in {view.snapshot.corpus}", view.documents.close_ids(name))


def entries(view: View, ranking: RankedDocuments) -> list[DocumentEntry]:
    """Ranked documents as an answer lists them."""
    names = view.snapshot.names
    return [
        entry(view, position, round(score, 6), [names[tag] for tag in because])
        for position, score, because in zip(ranking.documents, ranking.scores, ranking.because, strict=True)
    ]


def entry(view: View, position: int, score: float = 1.0, because: list[str] | None = None) -> DocumentEntry:
    """One document as an answer lists it."""
    store, names = view.documents, view.snapshot.names
    card = store.card(position)
    return {
        "id": store.id(position),
        "title": card.title,
        "url": card.url,
        "image": card.image,
        "fields": dict(card.fields),
        "tags": [names[tag] for tag in store.tags(position)],
        "left_out": store.left_out(position),
        "cluster": store.concept(position),
        "score": score,
        "because": because or [],
    }
