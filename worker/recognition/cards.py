"""Finds title, URL, image and text of a document among the columns, if their values can be used."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal

from snapshot import parse_card
from snapshot.version.documents.dates import parse_date
from worker.recognition.columns import exact, named
from worker.recognition.sample import Sample
from worker.sources.card_fields import plain_date

NAMES: Final = {
    "title": (
        "title", "name", "headline", "subject", "original title", "post title", "product title", "product name",
        "display name", "description", "quote", "question", "titel", "titre", "título", "titulo", "titolo", "nombre",
        "nome", "bezeichnung", "название",
    ),
    "url": ("url", "link", "permalink", "href", "canonical url", "uri", "web url", "website"),
    "image": (
        "image", "image url", "cover", "cover url", "cover image", "thumbnail", "thumbnail link", "thumbnail url",
        "poster", "poster path", "picture", "photo", "img", "img url", "feature image", "featured image", "file url",
        "image src", "image link", "photo url", "picture url", "thumb", "bild", "imagen", "immagine", "imagem",
    ),
}  # fmt: skip
TEXTS: Final = ("text", "description", "summary", "abstract", "body", "content")
TEXT_WORDS: Final = 3
"""Words that a text has at least, on average: a column of single words is none."""

DATES: Final = (
    "date", "published", "published at", "publish date", "pub date", "created", "created at", "creation date",
    "post date", "publication date", "release date", "date published", "published date", "published on",
    "created on", "created time", "creation time", "date created", "date time original", "date added", "added",
    "added at", "timestamp", "time", "issued", "updated at", "updated", "last modified", "modified", "date modified",
    "last updated", "datum", "fecha", "data", "year", "publication year", "release year", "original publication year",
)  # fmt: skip
"""What the columns are called, likelier names first."""


@dataclass(frozen=True)
class RecognisedCard:
    """The columns of a card, and the same in words. False: no document has such a value."""

    columns: dict[str, str | Literal[False]]
    words: str
    date: str | None = None


def recognise_card(
    sample: Sample, place: str, wishes: Mapping[str, str | None], tags: Collection[str] = ()
) -> RecognisedCard:
    """The columns that are wished, or have the right name and values; not those of the tags."""
    free = [name for name in sample.names if name not in tags]
    columns: dict[str, str | Literal[False]] = {}
    words = ""
    for key, names in NAMES.items():
        wish = wishes[key]
        if wish is not None:
            columns[key] = named(sample.names, wish, f"--{key}", place)
        elif column := exact(free, *names):
            fault = _fault(sample, key, column)
            if not fault:
                columns[key] = column
            elif key in sample.names:  # by its name the column would be read
                columns[key] = False
                words += f", {key} is not used: {fault}"
        if columns.get(key):
            words += f", {key}s from {columns[key]}"
    texts = [name for name in TEXTS if (column := exact(free, name)) and column not in columns.values()]
    text = next((exact(free, name) for name in texts if _is_text(sample, exact(free, name))), None)
    if text is not None:
        columns["text"] = text
        words += f", texts from {text}"
    dated = next((each for name in DATES if (each := exact(free, name)) and _has_dates(sample, each)), None)
    if dated is not None:
        words += f", dates from {dated}"
    return RecognisedCard(columns, words, dated)


def _is_text(sample: Sample, column: str | None) -> bool:
    """Whether the values of a column are texts of several words."""
    values = [] if column is None else sample.values(column)
    counts = [len(value.split()) for value in values if isinstance(value, str)]
    return len(counts) == len(values) and sum(counts) >= TEXT_WORDS * max(len(counts), 1)


def _has_dates(sample: Sample, column: str) -> bool:
    """Whether most values of a column are dates."""
    values = sample.values(column)
    dates = sum(isinstance(value, date) or parse_date(plain_date(value)) is not None for value in values)
    return dates > len(values) / 2


def _fault(sample: Sample, key: str, column: str) -> str:
    """Why most values of a column cannot be shown; empty if they can. A few bad ones are dropped when they are read."""
    faults = []
    samples = sample.values(column)
    for value in samples:
        values: dict[str, Any] = {"title": None, "url": None, "image": None, key: value}
        try:
            parse_card(**values, fields={}, base_url=None)
        except ValueError as error:
            faults.append(str(error))
    return faults[0] if len(faults) > len(samples) / 2 else ""


def numbered_card(sample: Sample, identity: str | None, tags: str) -> RecognisedCard:
    """The title of a table without column titles: its only text between the id and the tags."""
    texts = [
        name
        for name in sample.names
        if name not in {identity, tags} and not all(str(value).isdigit() for value in sample.values(name))
    ]
    if len(texts) != 1:
        return RecognisedCard({}, "")
    return RecognisedCard({"title": texts[0]}, f", titles from column {texts[0]}")
