"""Reads JSON Lines files."""

from collections.abc import Iterator
from pathlib import Path

import orjson

from worker.sources.document import Document, Fields, Tally
from worker.sources.lines import lines


def json_documents(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[Document]:
    """The documents of a JSON Lines file: one object a line."""
    for number, line in lines(path, tally):
        if not line.strip():
            continue
        tally.lines += 1
        try:
            document = record_document(orjson.loads(line), fields, f"{name}:{number}")
        except ValueError as error:
            tally.pass_over(f"{name} line {number}", error)
        else:
            yield document


def record_document(record: object, fields: Fields, place: str) -> Document:
    """The document of an object; its place is the id of one that has none. ValueError with its fault."""
    parser = fields.parser
    tags = fields.tags or ("tag" if parser.pairs else "tags")
    if not isinstance(record, dict):
        raise ValueError("not an object")  # noqa: TRY004 - a bad line is a value, whatever its type
    if tags not in record:
        raise ValueError(f'no field "{tags}"')
    identity = record.get(fields.id or "id")
    if identity is None and fields.id is None and not parser.pairs:
        identity = place
    return parser.parse(identity, record[tags], record.get(fields.label or "label"))
