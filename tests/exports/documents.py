"""The documents that every export holds, and what an export says about them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import topic_documents

COUNT = 60

EXPORTS = {}
"""All exports by name; each writes itself into a folder."""


@dataclass(frozen=True)
class Doc:
    """One document as its owner knows it."""

    number: int
    title: str
    url: str
    image: str
    date: str
    tags: tuple[str, ...]

    @property
    def words(self):
        """The tags as programs write them that allow no white space inside."""
        return [tag.replace(" ", "_") for tag in self.tags]


@dataclass(frozen=True)
class Export:
    """A file or folder, the options its command needs, and which values of a card it holds."""

    target: Path | str
    holds: frozenset[str] = frozenset()
    """Of title, url, image and date."""

    options: Mapping[str, object] = field(default_factory=dict)


def docs(count=COUNT):
    """The documents: a title with a comma and an accent, an address, an image, a date and three to six tags."""
    return [
        Doc(
            number,
            f"Über {document['label']}, part {number}",
            f"https://a.example/{number}",
            f"https://a.example/{number}.png",
            f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}",
            tuple(tag.lower() for tag in document["tags"]),
        )
        for number, document in enumerate(topic_documents(count), start=1)
    ]


def export(target, *holds, **options):
    return Export(target, frozenset(holds), options)


def named(name):
    """Put what writes an export among all exports, under this name."""

    def put(write):
        assert EXPORTS.setdefault(name, write) is write, f"two exports are called {name}"
        return write

    return put
