"""The page of one document with those like it, and the list of all documents of a corpus."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Final
from urllib.parse import urlsplit

from service.answers import DocumentAnswer, SuggestedTag
from service.errors import DocumentsUnavailable, NotPossible, UnknownDocument
from service.pages.document.params import DocumentParams
from service.pages.frame.cards import DocumentCard, cards
from service.pages.frame.markup import as_html
from service.pages.frame.pictures import picture_source
from service.pages.search.params import SearchParams
from service.pages.search.results import Results, results
from service.questions.documents.documents import document, documents
from service.questions.tagging.suggest import UntaggedDocument, suggest_tags
from service.questions.text.query import NOTHING
from service.view.view import View
from snapshot import normalise

SIMILAR: Final = 12
LISTED: Final = 48
MISSING: Final = 6
LEAST_LIKELY: Final = 0.05
"""Less likely tags are not said to be missing."""


@dataclass(frozen=True)
class DocumentPage:
    """The content of the page of one document."""

    TEMPLATE: ClassVar = "document.html"
    status: ClassVar = 200

    view: View
    state: DocumentParams
    answer: DocumentAnswer

    @property
    def title(self) -> str:
        """What people call it."""
        return self.answer.document["title"] or self.answer.document["id"]

    @property
    def picture(self) -> str:
        """Where its picture is, or the picture itself."""
        return picture_source(self.answer.document["image"] or "")

    @property
    def host(self) -> str:
        """The host that its own address leads to; empty if that is this one."""
        return urlsplit(self.answer.document["url"] or "").hostname or ""

    @cached_property
    def cards(self) -> list[DocumentCard]:
        """The documents like it."""
        return cards(
            self.answer.similar, self.state.corpus, self.answer.document["tags"], lambda tag: as_html(self.search(tag))
        )

    @cached_property
    def missing(self) -> list[SuggestedTag]:
        """Tags that it may be missing, by its title and the tags that it has."""
        entry = self.answer.document
        asked = UntaggedDocument(entry["title"] or "", "", tuple(entry["tags"]))
        (found,) = suggest_tags(self.view, [asked], MISSING).documents
        return [tag for tag in found["tags"] if tag["score"] >= LEAST_LIKELY]

    @staticmethod
    def why(tag: SuggestedTag) -> str:
        """The reasons of a missing tag."""
        return "; ".join(reason["sentence"] for reason in tag["reasons"])

    def search(self, tag: str) -> str:
        """The address of the cloud around a tag."""
        return SearchParams(self.state.corpus).adding(tag)

    def count(self, tag: str) -> int:
        """The number of documents with a tag."""
        return self.view.counts[self.view.index[normalise(tag)]]


@dataclass(frozen=True)
class DocumentList:
    """A page of all documents; `problem` says why one was not found, or why there is nothing to list."""

    TEMPLATE: ClassVar = "documents.html"

    view: View
    state: DocumentParams
    status: int
    paging: Results | None
    problem: str = ""
    suggestions: list[str] = field(default_factory=list)


def document_page(view: View, state: DocumentParams) -> DocumentPage | DocumentList:
    """The page of one document; without an id, or if no document has it, the list of all."""
    try:
        if state.id:
            return DocumentPage(view, state, document(view, state.id, SIMILAR))
        return _list(view, state, 200)
    except UnknownDocument as error:
        return _list(view, state, 404, str(error), error.suggestions)
    except NotPossible as error:
        return DocumentList(view, state, 409, None, str(error))
    except DocumentsUnavailable as error:
        return DocumentList(view, state, 503, None, str(error))


def _list(
    view: View, state: DocumentParams, status: int, problem: str = "", suggestions: list[str] | None = None
) -> DocumentList:
    answer = documents(view, NOTHING, cluster=None, match=None, limit=LISTED, offset=state.offset)
    paging = results(answer, LISTED, SearchParams(state.corpus), lambda offset: state.link(id="", offset=offset))
    return DocumentList(view, state, status, paging, problem, suggestions or [])
