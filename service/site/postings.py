"""Which documents have each tag, and what they are called, for the search of a static site.

The browser intersects these lists to answer several words. Both come in shards, of which a page loads the few it needs.
"""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np

from service.view.view import View

DOCUMENTS: Final = 100
"""Documents in a shard."""

Shard = tuple[str, int, list[Any]]
"""The name of the call that a shard makes, which is also its folder; its number; its entries."""


def document_count(view: View) -> int:
    """How many documents the site can list."""
    return len(view.documents) if view.has_documents else 0


def posting_shards(view: View, size: int) -> Iterator[Shard]:
    """For each tag as it is listed, the numbers of its documents: the first, then the steps from each to the next."""
    if not view.has_documents:
        return
    index = view.documents.index
    living = index.positions()
    for number, first in enumerate(range(0, len(view.listed), size)):
        numbers = [np.searchsorted(living, index.documents_of(tag)) for tag in view.listed[first : first + size]]
        yield "postings", number, [np.diff(each, prepend=0).tolist() for each in numbers]


def document_shards(view: View, places: dict[str, int]) -> Iterator[Shard]:
    """For each document its title, its own address if it leads to a site, and the places of its tags."""
    if not view.has_documents:
        return
    store = view.documents
    positions = store.index.positions().tolist()
    for number, first in enumerate(range(0, len(positions), DOCUMENTS)):
        entries = []
        for position in positions[first : first + DOCUMENTS]:
            card = store.card(position)
            url = card.url if urlsplit(card.url or "").scheme in {"http", "https"} else ""
            tags = [places[view.tag_names[tag]] for tag in store.tags(position) if view.tag_names[tag] in places]
            entries.append([card.title or store.id(position), url, tags])
        yield "documents", number, entries
