"""Documents in blocks, column by column, so that a reader can parse and store many of them at once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from snapshot import Card
from worker.sources.document import Document

DOCUMENTS: Final = 1000
"""Documents of a block that is made of single ones."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentBlock:
    """Documents in the order of their source: the values of each `Document`, by column."""

    ids: Sequence[str]
    tags: Sequence[Sequence[str]]
    labels: Sequence[str | None] | None = None
    """None if no document has a label."""

    cards: Sequence[Card | None] | None = None
    """None if no document has a card."""

    weights: Sequence[tuple[float, ...] | None] | None = None
    """None if every tag counts 1."""

    def documents(self) -> Iterator[Document]:
        """One after the other."""
        nothing = [None] * len(self.ids)
        others = (self.labels or nothing, self.cards or nothing, self.weights or nothing)
        for name, tags, label, card, weights in zip(self.ids, self.tags, *others, strict=True):
            yield Document(name, tuple(tags), label, card, weights)


def in_blocks(documents: Iterable[Document]) -> Iterator[DocumentBlock]:
    """The same documents in blocks."""
    remaining = iter(documents)
    while block := list(islice(remaining, DOCUMENTS)):
        yield DocumentBlock(
            [document.id for document in block],
            [document.tags for document in block],
            [document.label for document in block],
            [document.card for document in block],
            [document.weights for document in block],
        )
