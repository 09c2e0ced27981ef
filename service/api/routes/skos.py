"""The endpoint that gives the vocabulary as SKOS. A thread answers it: it writes every tag of a corpus."""

from typing import Final

from flask import request

from service.api.parameters.parameters import CorpusPath
from service.api.parameters.vocabulary import SkosQuery
from service.api.routing import Operation
from service.live.snapshots import LiveSnapshots
from service.questions.vocabulary.skos import MEDIA_TYPES, SkosFormat, skos
from service.web.http import HttpResponse
from service.web.negotiation import NEVER, encode_answer, negotiate
from service.web.slot import Slot

FORMATS: Final[dict[str, SkosFormat]] = {media: form for form, media in MEDIA_TYPES.items()}


def operations(live: LiveSnapshots) -> tuple[Operation, ...]:
    """As openapi.json lists it."""
    return (
        Operation(
            path="/v1/corpora/{corpus}/skos",
            summary="The vocabulary as SKOS: labels, relations and collections",
            group="tags",
            handler=SkosHandlers(live).get_skos,
            media={"text/turtle": None, "application/ld+json": None},
            path_model=CorpusPath,
            query_model=SkosQuery,
            errors=(404, 422, 503),
            headers={"Accept": "text/turtle or application/ld+json, if `format` does not say it"},
            example="/v1/corpora/demo/skos?format=json-ld",
        ),
    )


class SkosHandlers:
    """The handler of this endpoint."""

    def __init__(self, live: LiveSnapshots) -> None:
        self._live = live
        self._slot = Slot("a request for the whole vocabulary")

    def get_skos(self, path: CorpusPath, query: SkosQuery) -> HttpResponse:
        """Tags as concepts with the labels, descriptions and relations that editors gave them; clusters as collections.

        Turtle, or JSON-LD by `format` or the Accept header. Addresses of tags and clusters last. Each process writes
        one at a time: another one gets 503 with Retry-After.
        """
        view = self._live.view(path.corpus)
        form = query.format or FORMATS[request.accept_mimetypes.best_match(FORMATS, default="text/turtle")]
        question = f"skos {form} {query.base}".encode()
        with self._slot.taken():
            answer = encode_answer(skos(view, form, query.base), view.edition, question)
        response = negotiate(answer, NEVER, {name.lower(): value for name, value in request.headers.items()})
        response.headers |= {"Vary": "Accept, Accept-Encoding", "Cotag-Version": view.snapshot.version}
        return response
