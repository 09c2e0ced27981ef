"""The state of a page, all of it in the address: read within ranges, and linked to without what is as usual.

A page's state is a frozen dataclass derived from `State`. One of the functions here makes each of its fields: it says
how the field is read from an address and how it is written into one. A value that makes no sense is as usual.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

Arguments = MultiDict[str, str]


@dataclass(frozen=True)
class Parameter:
    """How a field is called in the address, how it is read from there, and how it is written."""

    name: str
    read: Callable[[Arguments], Any]
    write: Callable[[Any], Iterable[str]]


@dataclass(frozen=True)
class State:
    """What all pages about a corpus have in their addresses."""

    PATH: ClassVar[str]

    corpus: str

    @classmethod
    def read(cls, arguments: Arguments, corpus: str) -> Self:
        """The state that an address describes; `corpus` if it names none."""
        values = {each.name: each.metadata["parameter"].read(arguments) for each in fields(cls)[1:]}
        return cls(arguments.get("corpus", corpus), **values)

    def link(self, **changes: Any) -> str:
        """The address of this state, with some changes."""
        state = replace(self, **changes)
        pairs = [("corpus", state.corpus)]
        for each in fields(state)[1:]:
            value, parameter = getattr(state, each.name), each.metadata["parameter"]
            if value != each.default:
                pairs += [(parameter.name, text) for text in parameter.write(value)]
        return f"{self.PATH}?{urlencode(pairs)}"


def whole(name: str, usual: int, low: int, high: int) -> Any:
    """A whole number, moved into its range."""

    def read(arguments: Arguments) -> int:
        return min(max(arguments.get(name, usual, type=int), low), high)

    return _field(usual, Parameter(name, read, lambda value: [str(value)]))


def share(name: str, usual: float) -> Any:
    """A number from 0 to 1, in hundredths."""

    def read(arguments: Arguments) -> float:
        value = arguments.get(name, usual, type=float)
        return round(value, 2) if 0.0 <= value <= 1.0 else usual

    return _field(usual, Parameter(name, read, lambda value: [f"{value:g}"]))


def text(name: str, longest: int) -> Any:
    """Words as typed."""

    def read(arguments: Arguments) -> str:
        return arguments.get(name, "")[:longest].strip()

    return _field("", Parameter(name, read, lambda value: [value]))


def texts(name: str, most: int) -> Any:
    """A parameter that comes several times, each time with another text."""

    def read(arguments: Arguments) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for each in arguments.getlist(name) if each.strip()))[:most]

    return _field((), Parameter(name, read, lambda value: value))


def indices(name: str, most: int) -> Any:
    """A parameter that comes several times, each time with another number of digits alone."""

    def read(arguments: Arguments) -> tuple[int, ...]:
        return tuple(dict.fromkeys(arguments.getlist(name, type=_digits)))[:most]

    return _field((), Parameter(name, read, lambda value: map(str, value)))


def _digits(value: str) -> int:
    if not (value.isascii() and value.isdecimal()):
        raise ValueError(value)
    return int(value)


def _field(usual: Any, parameter: Parameter) -> Any:
    return field(default=usual, metadata={"parameter": parameter})
