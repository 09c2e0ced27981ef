"""Log lines for people, as structlog writes them, for a small part of the cost."""

import time
from collections.abc import Mapping
from typing import Any, Final

ESCAPES: Final = {
    code: chr(code).encode("unicode_escape").decode() for code in (*range(32), *range(127, 160), 0x2028, 0x2029)
}
"""Control characters and separators of lines, by code."""

QUOTED: Final = frozenset(" \t=\r\n\"'")
"""Texts with one of these characters are written in quotes."""


def console_line(event: str, fields: Mapping[str, Any]) -> bytes:
    """One line of the level info: the time here, the event, and the fields in the order of their names."""
    values = " ".join([f"{name}={_shown(fields[name])}" for name in sorted(fields)])
    return f"{time.strftime('%H:%M:%S')} [info] {event} {values}\n".encode(errors="backslashreplace")


def _shown(value: Any) -> str:
    """A value without control characters: a name must not begin a line, nor move the cursor of a terminal."""
    if not isinstance(value, str):
        return repr(value)
    if not value.isprintable():
        value = value.translate(ESCAPES)
    return value if QUOTED.isdisjoint(value) else repr(value)
