"""Cards: documents as the pages show them."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from service.answers import DocumentEntry
from service.pages.document.params import DocumentParams
from service.pages.frame.markup import escaped, escaped_once
from service.pages.frame.pictures import picture_source
from service.view.document_store import DocumentStore

MOST_TAGS: Final = 6
"""Tags on a card, those of the query first; the page of the document has all of them."""


@dataclass(frozen=True)
class DocumentCard:
    """A document on a page, which leads to its own page, and how many tags more it has than are shown.

    Its tags are rows: the address that a tag leads to, its name, and its class.
    Addresses and names of tags are HTML already: a page has hundreds of them, and escaping takes most of its time.
    """

    title: str
    link: str
    image: str | None
    date: str
    """The day of the document; empty without a date."""

    tags: list[tuple[str, str, str]]
    more: int

    @property
    def day(self) -> str:
        """The day as people write it: 18 November 2026; empty without a date."""
        return day(self.date) if self.date else ""

    @property
    def is_match(self) -> bool:
        """Whether it has any tag of the query."""
        return any(kind == "asked" for _, _, kind in self.tags)


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
    own = DocumentParams(corpus).link_adding("id")
    return [_card(document, own(document["id"]), asked, leading_to) for document in documents]


def day(moment: datetime | str) -> str:
    """A day as people write it, 18 November 2026, from a moment or a date in ISO form."""
    moment = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return f"{moment.day} {moment:%B %Y}"


def picture_cards(store: DocumentStore, documents: list[int], corpus: str) -> list[PictureCard]:
    """The pictures of documents, those that have one."""
    own = DocumentParams(corpus).link_adding("id")
    found = []
    for document in documents:
        card = store.card(document)
        if card.image:
            name = store.id(document)
            texts = own(name), card.title or name, picture_source(card.image)
            found.append(PictureCard(*map(escaped_once, texts)))
    return found


def _card(document: DocumentEntry, own: str, asked: Collection[str], leading_to: Callable[[str], str]) -> DocumentCard:
    first = [tag for tag in document["tags"] if tag in asked]
    tags = [*first, *(tag for tag in document["tags"] if tag not in asked)]
    return DocumentCard(
        title=document["title"] or document["id"],
        link=own,
        image=None if document["image"] is None else picture_source(document["image"]),
        date=(document["date"] or "")[:10],
        tags=[
            (leading_to(tag), escaped(tag), "asked" if tag in asked else "rare" if tag in document["rare"] else "")
            for tag in tags[:MOST_TAGS]
        ],
        more=len(tags[MOST_TAGS:]),
    )
