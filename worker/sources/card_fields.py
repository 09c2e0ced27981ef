"""Where a source has the card of a document: title, URL, image and extra fields, and its text."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, Protocol

from snapshot import Card, parse_card
from worker.sources.tag_values import plain_value

Place = str | int

LONGEST_LEARNT: Final = 20_000
"""Characters of a text that a run learns from, the first ones."""


@dataclass(frozen=True)
class CardParser:
    """Parses the values at certain places of a line, or of a row, into a card."""

    title: Place | None
    url: Place | None
    image: Place | None
    fields: Mapping[str, Place]
    base_url: str | None
    text: Place | None = None

    @cached_property
    def places(self) -> frozenset[Place]:
        """Where values of a card may be."""
        places = (self.title, self.url, self.image, self.text, *self.fields.values())
        return frozenset(place for place in places if place is not None)

    def parse(self, value: Callable[[Any], object], tally: "Dropping") -> Card | None:
        """The card of one line; None if it is empty. A value that cannot be shown is dropped and counted."""
        card = self._shown(value, tally)
        text = None if self.text is None else value(self.text)
        if not isinstance(text, str) or not text.strip():
            return card
        return replace(card or Card(), text=text[:LONGEST_LEARNT])

    def _shown(self, value: Callable[[Any], object], tally: "Dropping") -> Card | None:
        title = None if self.title is None else value(self.title)
        url = None if self.url is None else value(self.url)
        image = None if self.image is None else value(self.image)
        if title is None and url is None and image is None and not self.fields:
            return None
        fields = {name: plain_date(value(place)) for name, place in self.fields.items()}
        return showable_card(title, url, image, fields, self.base_url, tally=tally)


class Dropping(Protocol):
    """Counts values that cannot be shown."""

    def drop(self, reason: object) -> None:
        """Count one."""


def plain_date(value: object) -> object:
    """The date of an object as in `{"date-parts": [[2024, 5, 1]]}` or `{"$date": …}`; any other value as it is."""
    if isinstance(value, dict) and "$date" in value:
        return plain_value(value["$date"])
    if isinstance(value, dict) and isinstance(parts := value.get("date-parts"), list) and parts:
        return "-".join(f"{int(part):02}" for part in parts[0])
    return value


def showable_card(
    title: object,
    url: object,
    image: object,
    fields: Mapping[str, object],
    base_url: str | None,
    *,
    tally: Dropping,
) -> Card | None:
    """The card of the values that can be shown; the tally counts the others. None if nothing is left."""
    try:
        return parse_card(title, url, image, fields, base_url)
    except ValueError:
        pass
    card = Card()
    values: list[tuple[object, object, object, Mapping[str, object]]] = [
        (title, None, None, {}),
        (None, url, None, {}),
        (None, None, image, {}),
        *((None, None, None, {name: each}) for name, each in fields.items()),
    ]
    for one in values:
        try:
            part = parse_card(*one, base_url)
        except ValueError as error:
            tally.drop(error)
            continue
        if part is not None:
            card = Card(
                card.title or part.title,
                card.url or part.url,
                card.image or part.image,
                {**card.fields, **part.fields},
            )
    return None if card == Card() else card


@dataclass(frozen=True)
class CardFields:
    """What the corpora file declares: the place of each value, None for the default, False for no such value.

    `fields` has the names that people see, each with its place in the source.
    """

    title: Place | Literal[False] | None = None
    url: Place | Literal[False] | None = None
    image: Place | Literal[False] | None = None
    fields: Mapping[str, Place] = field(default_factory=dict)
    base_url: str | None = None
    text: Place | Literal[False] | None = None

    @property
    def declared(self) -> tuple[Place, ...]:
        """The places that are declared, and so must exist in a table."""
        places = (self.title, self.url, self.image, self.text, *self.fields.values())
        return tuple(place for place in places if place is not None and place is not False)

    def by_name(self) -> CardParser:
        """The parser of an object, whose fields may be missing."""
        title, url, image, text = self._places()
        return CardParser(title, url, image, self.fields, self.base_url, text)

    def by_column(self, columns: Iterable[Place | None]) -> CardParser:
        """The parser of a row with these columns; those that are declared must be among them."""
        position: dict[Place | None, int] = {}
        for place, column in enumerate(columns):
            position.setdefault(column, place)
        title, url, image, text = (None if place is None else position.get(place) for place in self._places())
        return CardParser(
            title,
            url,
            image,
            {name: position[place] for name, place in self.fields.items()},
            self.base_url,
            text,
        )

    def _places(self) -> tuple[Place | None, ...]:
        """The places of title, URL, image and text: as declared, or those of the same name; None if there is none."""

        def place(declared: Place | Literal[False] | None, default: str) -> Place | None:
            return None if declared is False else declared or default

        named = {"title": self.title, "url": self.url, "image": self.image, "text": self.text}
        return tuple(place(declared, name) for name, declared in named.items())
