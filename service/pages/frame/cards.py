"""Cards: documents as the pages show them."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

from service.answers import Because, DocumentEntry
from service.pages.document.params import DocumentParams
from service.pages.frame.markup import escaped, escaped_once
from service.view.document_store import DocumentStore


@dataclass(frozen=True)
class DocumentCard:
    """A document on a page. Its tags are rows: the address that a tag leads to, its name, and its class.

    Addresses and names of tags are HTML already: a page has hundreds of them, and escaping takes most of its time.
    """

    title: str
    link: str
    like: str
    image: str | None
    tags: list[tuple[str, str, str]]
    reason: str


class PictureCard(NamedTuple):
    """A document of which a page shows only the picture. All texts are HTML already."""

    link: str
    title: str
    image: str


def cards(
    documents: list[DocumentEntry], corpus: str, asked: Collection[str], leading_to: Callable[[str], str]
) -> list[DocumentCard]:
    """The cards of documents. `asked` are the tags of the query.

    `leading_to` gives the address of a tag, as HTML; empty if it leads nowhere.
    """
    like = DocumentParams(corpus).link_adding("id")
    return [_card(document, like(document["id"]), asked, leading_to) for document in documents]


def picture_cards(store: DocumentStore, documents: list[int], corpus: str) -> list[PictureCard]:
    """The pictures of documents, those that have one."""
    like = DocumentParams(corpus).link_adding("id")
    found = []
    for document in documents:
        card = store.card(document)
        if card.image:
            name = store.id(document)
            texts = card.url or like(name), card.title or name, card.image
            found.append(PictureCard(*map(escaped_once, texts)))
    return found


def _card(document: DocumentEntry, like: str, asked: Collection[str], leading_to: Callable[[str], str]) -> DocumentCard:
    first = [tag for tag in document["tags"] if tag in asked]
    others = [tag for tag in document["tags"] if tag not in asked]
    return DocumentCard(
        title=document["title"] or document["id"],
        link=document["url"] or like,
        like=like,
        image=document["image"],
        tags=[
            (leading_to(tag), escaped(tag), "asked" if tag in asked else "rare" if tag in document["rare"] else "")
            for tag in [*first, *others]
        ],
        reason="" if first or not document["because"] else f"near through {', '.join(_names(document['because']))}",
    )


def _names(because: list[Because]) -> list[str]:
    return [reason["tag"] for reason in because]
