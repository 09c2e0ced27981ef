"""Reads JSON Lines files: a block of lines at once, or line by line where one of them is bad or unusual."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from worker.sources.blocks import DocumentBlock, in_blocks
from worker.sources.document import Document, Fields, Tally
from worker.sources.formats.record_parser import RecordParser
from worker.sources.formats.streams.lines import line_blocks


def json_documents(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[Document]:
    """The documents of a JSON Lines file: one object a line."""
    for block in json_blocks(path, name, fields, tally):
        yield from block.documents()


def json_blocks(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[DocumentBlock]:
    """The same in blocks."""
    parser = RecordParser.of(fields)
    for first, lines in line_blocks(path, tally, fields.encoding):
        block = parser.parse_usual(lines, tally) if fields.records is None else None
        if block is not None:
            tally.lines += len(lines)
            yield block
        else:
            yield from in_blocks(_line_by_line(lines, parser, name, first, tally))


def _line_by_line(lines: list[bytes], parser: RecordParser, name: str, first: int, tally: Tally) -> Iterator[Document]:
    for number, line in enumerate(lines, start=first):
        if not line.strip():
            continue
        tally.lines += 1
        try:
            record = unwrapped(orjson.loads(line), parser.fields.records)
            document = parser.parse(record, f"{name}:{number}", tally)
        except ValueError as error:
            tally.pass_over(f"{name} line {number}", error)
        else:
            yield document


def unwrapped(record: Any, place: str | None) -> Any:
    """An object with what one of its fields holds, as Elasticsearch wraps a document into `_source`."""
    if place is not None and isinstance(record, dict) and isinstance(record.get(place), dict):
        return {**{name: value for name, value in record.items() if name != place}, **record[place]}
    return record
