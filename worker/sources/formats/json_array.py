"""Reads files that are one JSON array of objects, element by element."""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import orjson

from worker.errors import CorpusError
from worker.sources.document import Document, Fields, Tally
from worker.sources.formats.format import record_documents
from worker.sources.formats.json_lines import json_documents
from worker.sources.formats.json_nested import nested_records
from worker.sources.formats.record_parser import RecordParser
from worker.sources.formats.streams.lines import LONGEST, blocks

SPACE: Final = re.compile(r"\s*")
DECODER: Final = json.JSONDecoder()


def array_or_line_documents(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[Document]:
    """The documents of a JSON file: the records at a declared place, an array of objects, or one object a line."""
    if fields.records is not None:
        return record_documents(nested_records, path, name, fields, tally)
    for block in blocks(path, Tally(), fields.encoding):
        if start := block.lstrip():
            read = array_documents if start.startswith(b"[") else json_documents
            return read(path, name, fields, tally)
    return iter(())


def array_documents(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[Document]:
    """The documents of a JSON array."""
    parser = RecordParser.of(fields)
    for number, element in enumerate(elements(path, tally, fields.encoding), start=1):
        tally.lines += 1
        try:
            document = parser.parse(orjson.loads(element), f"{name}:{number}", tally)
        except ValueError as error:
            tally.pass_over(f"{name} element {number}", error)
        else:
            yield document


def elements(path: Path, tally: Tally, encoding: str | None = None) -> Iterator[str]:
    """The text of each element of an array. The memory holds one element and one block of the file."""
    text = _Text(path, tally, encoding)
    if text.take() != "[":
        raise CorpusError(f"{path}: is no JSON array")
    number, mark = 0, "]" if text.look() == "]" else ","
    if mark == "]":
        text.take()
    while mark != "]":
        number += 1
        yield text.element(number)
        mark = text.take()
        if mark not in {",", "]"}:
            found = repr(mark) if mark else "the end of the file"
            raise CorpusError(f"{path}: after element {number} of the array comes {found}, not a comma")
    if rest := text.take():
        raise CorpusError(f"{path}: after the array comes {rest!r}, not the end of the file")


class _Text:
    """The text of a file, of which only the part in use is in memory."""

    def __init__(self, path: Path, tally: Tally, encoding: str | None) -> None:
        self._path = path
        self._blocks = blocks(path, tally, encoding)
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._text = ""
        self._at = 0

    def look(self) -> str:
        """The next character that is no white space; empty at the end of the file."""
        while True:
            self._at = SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches anything
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self) -> str:
        """The same, and pass over it."""
        character = self.look()
        self._at += len(character)
        return character

    def element(self, number: int) -> str:
        """The text of the element that begins here."""
        self.look()
        while True:
            try:
                end = DECODER.raw_decode(self._text, self._at)[1]
            except (json.JSONDecodeError, RecursionError) as error:
                if len(self._text) - self._at > LONGEST or not self._more():
                    raise CorpusError(f"{self._path}: element {number} is not JSON: {error}") from error
                continue
            if end < len(self._text) or not self._more():  # a number may go on in the next block
                break
        element, self._at = self._text[self._at : end], end
        return element

    def _more(self) -> bool:
        """Read another block; False at the end of the file."""
        block = next(self._blocks, b"")
        try:
            decoded = self._decode(block, not block)
        except UnicodeDecodeError as error:
            raise CorpusError(f"{self._path}: is not UTF-8: {error}") from error
        self._text, self._at = self._text[self._at :] + decoded, 0
        return bool(block)
