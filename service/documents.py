"""The documents behind a query, one document, documents like it, and the documents that stand for a concept."""

from typing import Final

from rapidfuzz import fuzz, process

from service.answers import DocumentAnswer, DocumentEntry, DocumentsAnswer, SimilarAnswer
from service.cloud import query_answer
from service.document_ranking import RankedDocuments, joint_counts, ranked_documents, similar_documents
from service.errors import UnknownCluster, UnknownDocument
from service.facets import NO_FACETS, Facets
from service.parameters import Match
from service.query import NOTHING, ParsedQuery
from service.related import related
from service.view import View

CLOSE_IDS: Final = 5
MOST_COMPARED: Final = 100_000
"""So many ids are compared with an unknown one."""


def documents(
    view: View, query: ParsedQuery, *, cluster: int | None, match: Match | None, limit: int, offset: int
) -> DocumentsAnswer:
    """The documents behind a query, best first; without a query, in the order of the source."""
    if cluster is not None and cluster not in view.clusters:
        raise UnknownCluster(f"{view.snapshot.corpus} has no cluster {cluster}")
    ranking = ranked_documents(view.documents, query.tags, match=match, cluster=cluster, limit=limit + 1, offset=offset)
    return DocumentsAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        query=query_answer(view, query),
        total=ranking.total,
        offset=offset,
        more=len(ranking.documents) > limit,
        documents=entries(view, ranking)[:limit],
    )
