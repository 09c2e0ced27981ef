"""Finds title, URL and image of a document among the columns, if their values can be used."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from snapshot import parse_card
from worker.recognition.columns import exact, named
from worker.recognition.sampling import Sample

NAMES: Final = {
    "title": ("title", "name", "headline", "subject"),
    "url": ("url", "link", "permalink", "href"),
    "image": ("image", "image url", "thumbnail", "picture", "photo", "img"),
}
"""What the columns are called, likelier names first."""


@dataclass(frozen=True)
class RecognisedCard:
    """The columns of a card, and the same in words. False: no document has such a value."""

    columns: dict[str, str | Literal[False]]
    words: str


def recognise_card(sample: Sample, place: str, wishes: Mapping[str, str | None]) -> RecognisedCard:
    """The columns that are wished, or have the right name and values."""
    columns: dict[str, str | Literal[False]] = {}
    words = ""
    for key, names in NAMES.items():
        wish = wishes[key]
        if wish is not None:
            columns[key] = named(sample.names, wish, f"--{key}", place)
        elif column := exact(sample.names, *names):
            fault = _fault(sample, key, column)
            if not fault:
                columns[key] = column
            elif key in sample.names:  # by its name the column would be read
                columns[key] = False
                words += f", {key} is not used: {fault}"
        if columns.get(key):
            words += f", {key}s from {columns[key]}"
    return RecognisedCard(columns, words)


def _fault(sample: Sample, key: str, column: str) -> str:
    """Why the values of a column cannot be shown; empty if they can."""
    for value in sample.values(column):
        values: dict[str, Any] = {"title": None, "url": None, "image": None, key: value}
        try:
            parse_card(**values, fields={}, base_url=None)
        except ValueError as error:
            return str(error)
    return ""
