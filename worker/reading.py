"""Documents from files: JSON Lines, plain or gzip, one {"id": …, "tags": […], "label": …} a line."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

import orjson

from worker.errors import CorpusError

SHOWN = 5
"""How many bad lines are described one by one."""


@dataclass(frozen=True)
class Document:
    """One tagged document, its tags as found."""

    id: str
    tags: tuple[str, ...]
    label: str | None = None


@dataclass
class Reading:
    """The documents of one file, in order, and what was wrong with the lines that hold none."""

    path: Path
    lines: int = 0
    bad: int = 0
    faults: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Document]:
        try:
            with _opened(self.path) as stream:
                for line in stream:
                    self.lines += 1
                    if line.strip():
                        document = self._parsed(line)
                        if document is not None:
                            yield document
        except (OSError, EOFError, zlib.error) as error:
            raise CorpusError(f"{self.path}: unreadable after line {self.lines}: {error}") from error

    def check(self, allowed: float) -> None:
        """CorpusError if more than this share of the lines was bad."""
        if self.bad > allowed * self.lines:
            raise CorpusError(
                f"{self.path}: {self.bad} of {self.lines} lines are bad, more than the allowed {allowed:.0%}: "
                + "; ".join(self.faults)
            )

    def _parsed(self, line: bytes) -> Document | None:
        try:
            return _document(orjson.loads(line), self.lines)
        except ValueError as error:
            self.bad += 1
            if len(self.faults) < SHOWN:
                self.faults.append(f"line {self.lines}: {error}")
            return None


def _document(record: object, line: int) -> Document:
    if not isinstance(record, dict):
        raise ValueError("not an object")  # noqa: TRY004 - a bad line is a value, whatever its type
    tags = record.get("tags")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise ValueError('"tags" is not a list of strings')
    label = record.get("label")
    return Document(id=str(record.get("id", line)), tags=tuple(tags), label=None if label is None else str(label))


def _opened(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")
