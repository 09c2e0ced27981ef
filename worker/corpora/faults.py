"""Describes what is wrong in a corpora file: every fault with its line, and the key that a misspelt one may mean."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from worker.errors import CorpusError

Place = tuple[str, ...]
"""A key with the tables around it: corpora, name, key, and perhaps a key of the source."""

HEADING: Final = re.compile(r"\s*\[+\s*([^]]+?)\s*]+\s*(?:#.*)?$")
KEY: Final = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
PART: Final = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")


@dataclass(frozen=True)
class Fault:
    """What is wrong, and at which key."""

    place: Place
    text: str


def corpora_error(path: Path, text: str, faults: Iterable[Fault]) -> CorpusError:
    """One error for all faults of a file, in the order of their lines."""
    lines = key_lines(text)
    numbered = sorted(((_line(lines, fault.place), fault.text) for fault in faults), key=lambda each: each[0])
    messages = [f"line {line}: {message}" if line else message for line, message in numbered]
    if len(messages) == 1:
        return CorpusError(f"{path}: {messages[0]}")
    return CorpusError("\n  ".join([f"{path}: {len(messages)} errors", *messages]))


def declaration_faults(name: str, error: ValidationError, known: Mapping[Place, Iterable[str]]) -> list[Fault]:
    """The faults that pydantic finds in one section, one for each key; `known` are the keys of each of its tables."""
    faults: dict[Place, Fault] = {}
    for fault in error.errors(include_input=False):
        described = _declaration_fault(name, dict(fault), known)
        faults.setdefault(described.place, described)
    return list(faults.values())


def _declaration_fault(name: str, fault: dict[str, Any], known: Mapping[Place, Iterable[str]]) -> Fault:
    key, table = _faulty_key(fault["loc"])
    if fault["type"] == "extra_forbidden":
        text = "unknown key" + _suggestion(key[-1], table, known)
    else:
        text = fault["msg"].removeprefix("Value error, ")
    return Fault(("corpora", name, *key), f"[corpora.{name}] {'.'.join(key)}: {text}")


def _faulty_key(loc: tuple[int | str, ...]) -> tuple[Place, Place]:
    """The key at fault, and its table; pydantic puts the kind of a source between `source` and its key."""
    place = tuple(str(part) for part in loc)
    if place[0] == "source":
        return (place[0], *place[2:3]), place[:2]
    if place[0] == "webhooks":
        return (place[0], *place[2:3]), place[:1]
    return place[:2] if place[0] == "clean" else place[:1], place[:-1]


def _suggestion(key: str, table: Place, known: Mapping[Place, Iterable[str]]) -> str:
    """The key of the same table that is spelled like this one, or the table that has this key."""
    near = get_close_matches(key, known.get(table, ()), n=1)
    if near:
        return f"; did you mean {near[0]}?"
    owner = next((place for place, keys in known.items() if key in keys and place != table), None)
    if owner is None:
        return f"; the keys are {', '.join(known[table])}" if table in known and table else ""
    return f"; it belongs to {'the table ' + owner[0] if owner else 'the corpus'}"


def key_lines(text: str) -> dict[Place, int]:
    """The line of every table and key of a TOML file. Keys of inline tables have none of their own."""
    lines: dict[Place, int] = {}
    table: Place = ()
    closing = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if closing:
            closing = "" if closing in line else closing
            continue
        if heading := HEADING.match(line):
            table = _parts(heading[1])
            lines.setdefault(table, number)
        elif key := KEY.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
            value = line[key.end() :].lstrip()
            quotes = next((quotes for quotes in ('"""', "'''") if value.startswith(quotes)), "")
            closing = quotes if quotes and quotes not in value[3:] else ""
    return lines


def _parts(dotted: str) -> Place:
    return tuple(part.strip("\"'") for part in PART.findall(dotted))


def _line(lines: Mapping[Place, int], place: Place) -> int:
    """The line of a key, or of the innermost table around it, or of the first table in it; 0 if none has one."""
    around = (lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in lines)
    inside = (line for key, line in lines.items() if key[: len(place)] == place)
    return next(around, None) or next(inside, 0)
