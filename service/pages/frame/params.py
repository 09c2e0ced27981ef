"""The state of a page, stored in its address: reading limits values to ranges, links omit defaults.

A page's state is a frozen dataclass derived from `State`. The functions here make its fields: each defines how to read
the field from an address and how to write it into one. An invalid value becomes the default.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import Field, dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, ClassVar, Final, Self
from urllib.parse import quote_plus, urlencode

from werkzeug.datastructures import MultiDict

from service.web.http import Request

Arguments = MultiDict[str, str]

QUOTED: Final = 10_000
"""Texts whose form in addresses is remembered."""


def arguments(request: Request) -> Arguments:
    """The parameters of an address."""
    return MultiDict(request.parameters())


@dataclass(frozen=True)
class Parameter:
    """The name of a field in the address, and how to read and write it."""

    name: str
    read: Callable[[Arguments], Any]
    write: Callable[[Any], Iterable[str]]


@dataclass(frozen=True)
class State:
    """The state that all pages about a corpus share."""

    PATH: ClassVar[str]

    corpus: str

    @classmethod
    def read(cls, arguments: Arguments, corpus: str) -> Self:
        """Read the state from an address; `corpus` is the default corpus."""
        values = {
            state_field.name: state_field.metadata["parameter"].read(arguments) for state_field in fields(cls)[1:]
        }
        return cls(arguments.get("corpus", corpus), **values)

    def link(self, **changes: Any) -> str:
        """The address of this state, with some changes."""
        state = replace(self, **changes)
        return f"{self.PATH}?{_written(state, fields(state))}"

    def link_adding(self, name: str, write: Callable[[str], str] = str) -> Callable[[str], str]:
        """A function that makes the address of this state with a text in a field, or one more in a repeatable field.

        What these addresses have in common is written once, because a page has many of them. A field that is not
        repeatable must have its default. `write` changes how that common part is written.
        """
        every = fields(self)
        (place,) = (place for place, each in enumerate(every) if each.name == name)
        before, after = _written(self, every[: place + 1]), _written(self, every[place + 1 :])
        start = write(f"{self.PATH}?{before}&{every[place].metadata['parameter'].name}=")
        end = write(f"&{after}") if after else ""
        return lambda value: f"{start}{quoted(value)}{end}"


@lru_cache(maxsize=QUOTED)
def quoted(text: str) -> str:
    """A text as addresses write it. Pages show the same tags over and over."""
    return quote_plus(text)


def integer(name: str, default: int, low: int, high: int) -> Any:
    """An integer, clipped to its range."""

    def read(arguments: Arguments) -> int:
        return min(max(arguments.get(name, default, type=int), low), high)

    return _field(default, Parameter(name, read, lambda value: [str(value)]))


def index(name: str) -> Any:
    """A number written in ASCII digits; None if there is none."""

    def read(arguments: Arguments) -> int | None:
        return arguments.get(name, type=_digits)

    return _field(None, Parameter(name, read, lambda value: [str(value)]))


def share(name: str, default: float) -> Any:
    """A number from 0 to 1, in hundredths."""

    def read(arguments: Arguments) -> float:
        value = arguments.get(name, default, type=float)
        return round(value, 2) if 0.0 <= value <= 1.0 else default

    return _field(default, Parameter(name, read, lambda value: [f"{value:g}"]))


def text(name: str, longest: int) -> Any:
    """Words as typed."""

    def read(arguments: Arguments) -> str:
        return arguments.get(name, "")[:longest].strip()

    return _field("", Parameter(name, read, lambda value: [value]))


def texts(name: str, most: int) -> Any:
    """A repeatable parameter whose values are distinct texts."""

    def read(arguments: Arguments) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for value in arguments.getlist(name) if value.strip()))[:most]

    return _field((), Parameter(name, read, lambda value: value))


def choice(name: str, choices: Collection[str]) -> Any:
    """One of some texts; empty if none is chosen."""

    def read(arguments: Arguments) -> str:
        value = arguments.get(name, "")
        return value if value in choices else ""

    return _field("", Parameter(name, read, lambda value: [value]))


def flag(name: str) -> Any:
    """Whether something is so; 1 in an address."""

    def read(arguments: Arguments) -> bool:
        return arguments.get(name) == "1"

    return _field(default=False, parameter=Parameter(name, read, lambda value: ["1"] if value else []))


def indices(name: str, most: int) -> Any:
    """A repeatable parameter whose values are distinct numbers, written in ASCII digits."""

    def read(arguments: Arguments) -> tuple[int, ...]:
        return tuple(dict.fromkeys(arguments.getlist(name, type=_digits)))[:most]

    return _field((), Parameter(name, read, lambda value: map(str, value)))


def _written(state: State, some: "Iterable[Field[Any]]") -> str:
    """Some fields of a state as a query string; those that have their defaults are left out."""
    pairs: list[tuple[str, str]] = []
    for each in some:
        value = getattr(state, each.name)
        if each.name == "corpus":
            pairs.append(("corpus", value))
        elif value != each.default:
            parameter = each.metadata["parameter"]
            pairs += [(parameter.name, text) for text in parameter.write(value)]
    return urlencode(pairs)


def _digits(value: str) -> int:
    if not (value.isascii() and value.isdecimal()):
        raise ValueError(value)
    return int(value)


def _field(default: Any, parameter: Parameter) -> Any:
    return field(default=default, metadata={"parameter": parameter})
