"""The endpoints that answer questions about the documents of a snapshot.

A thread answers them, never the event loop, because they read a mapped file.
"""

from typing import Final

from service.answers import DocumentAnswer, DocumentsAnswer, SimilarAnswer, TrendsAnswer
from service.api.parameters.documents import DocumentQuery, DocumentsQuery, SimilarQuery
from service.api.parameters.time import FeedQuery, TrendsQuery
from service.api.routing import Question
from service.questions.documents import documents
from service.questions.text.narrower import with_narrower
from service.questions.text.query import exact_tags, parse_query
from service.questions.time.feed import feed
from service.questions.time.trends import trends
from service.response_cache import CachedResponse
from service.view.view import View
from service.view.window import span_seconds, window, windowed

JSON: Final = "application/json"
AT: Final = "/v1/corpora/{corpus}"
ERRORS: Final = (404, 409, 422, 503)
"""409 if the corpus leaves its documents out."""


def document_questions() -> tuple[Question, ...]:
    """All of them, as openapi.json lists them."""
    return (
        Question(
            path=f"{AT}/documents",
            summary="The documents behind a query",
            group="documents",
            handler=get_documents,
            media={JSON: DocumentsAnswer},
            query_model=DocumentsQuery,
            errors=ERRORS,
            example="/v1/corpora/demo/documents?tag=payment&tag=card&limit=3",
        ),
        Question(
            path=f"{AT}/document",
            summary="All about one document",
            group="documents",
            handler=get_document,
            media={JSON: DocumentAnswer},
            query_model=DocumentQuery,
            errors=ERRORS,
            example="/v1/corpora/demo/document?id=credit-card&limit=3",
        ),
        Question(
            path=f"{AT}/similar",
            summary="Documents like one document, or like some tags",
            group="documents",
            handler=get_similar,
            media={JSON: SimilarAnswer},
            query_model=SimilarQuery,
            errors=ERRORS,
            example="/v1/corpora/demo/similar?id=credit-card&limit=3",
        ),
        Question(
            path=f"{AT}/trends",
            summary="Tags and concepts that rise or fall",
            group="documents",
            handler=get_trends,
            media={JSON: TrendsAnswer},
            query_model=TrendsQuery,
            errors=ERRORS,
        ),
        Question(
            path=f"{AT}/feed",
            summary="An Atom feed of the newest documents",
            group="documents",
            handler=get_feed,
            media={"application/atom+xml": None},
            query_model=FeedQuery,
            errors=ERRORS,
        ),
    )


def get_documents(view: View, _: None, query: DocumentsQuery) -> DocumentsAnswer:
    """Those with all tags first, then those that are near; `match` asks for one kind alone. `total` is exact."""
    view = windowed(view, window(view, query.start, query.to, query.last))
    return documents.documents(
        view,
        parse_query(view, query.tag, query.q, exclude=query.exclude, group=query.group, unknown=query.unknown),
        cluster=query.cluster,
        match=query.match,
        narrower=query.narrower,
        limit=query.limit,
        offset=query.offset,
        sort=query.sort,
    )


def get_document(view: View, _: None, query: DocumentQuery) -> DocumentAnswer:
    """Its tags and concept, the tags that it may be missing, and the documents nearest to it."""
    return documents.document(view, query.id, query.limit)


def get_similar(view: View, _: None, query: SimilarQuery) -> SimilarAnswer:
    """Nearest first, also documents without a common tag; `because` says through which of their tags."""
    parsed = parse_query(view, query.tag, query.q, exclude=query.exclude, unknown=query.unknown)
    if query.narrower:
        parsed = with_narrower(view, parsed)
    return documents.similar(view, query.id, parsed, limit=query.limit, offset=query.offset)


def get_trends(view: View, _: None, query: TrendsQuery) -> TrendsAnswer:
    """Against the time before, four times as long; surest first, and nothing that may be chance. 409 without dates."""
    return trends(view, span_seconds(query.window, "window"), query.direction, query.limit)


def get_feed(view: View, _: None, query: FeedQuery) -> CachedResponse:
    """Of the corpus, a concept or a tag, newest first. A concept keeps its id when the corpus is clustered again."""
    return feed(view, exact_tags(view, query.tag), query.cluster, query.limit)
