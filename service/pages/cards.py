"""Cards: documents as the pages show them."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from html import escape

from service.answers import Because, DocumentEntry
from service.pages.document_params import DocumentParams


@dataclass(frozen=True)
class DocumentCard:
    """A document on a page. Its tags are rows: the address that a tag leads to, its name, whether the query has it.

    Addresses and names of tags are HTML already: a page has hundreds of them, and escaping takes most of its time.
    """

    title: str
    link: str
    like: str
    image: str | None
    tags: list[tuple[str, str, bool]]
    left_out: list[str]
    reason: str


def cards(
    documents: list[DocumentEntry], corpus: str, asked: Collection[str], leading_to: Callable[[str], str]
) -> list[DocumentCard]:
    """The cards of documents. `asked` are the tags of the query.

    `leading_to` gives the address of a tag, as HTML; empty if it leads nowhere.
    """
    start = DocumentParams(corpus)
    return [_card(document, start.link(id=document["id"]), asked, leading_to) for document in documents]


def _card(document: DocumentEntry, like: str, asked: Collection[str], leading_to: Callable[[str], str]) -> DocumentCard:
    first = [tag for tag in document["tags"] if tag in asked]
    others = [tag for tag in document["tags"] if tag not in asked]
    return DocumentCard(
        title=document["title"] or document["id"],
        link=document["url"] or like,
        like=like,
        image=document["image"],
        tags=[(leading_to(tag), escape(tag), tag in asked) for tag in [*first, *others]],
        left_out=[escape(tag) for tag in document["left_out"]],
        reason="" if first or not document["because"] else f"near through {', '.join(_names(document['because']))}",
    )


def _names(because: list[Because]) -> list[str]:
    return [reason["tag"] for reason in because]


def as_html(address: str) -> str:
    """An address as HTML writes it: of the special characters, an address has only &."""
    return address.replace("&", "&amp;")
