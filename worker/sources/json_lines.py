"""Reads JSON Lines files."""

from collections.abc import Iterator
from pathlib import Path

import orjson

from worker.sources.document import Document, Fields, Tally
from worker.sources.lines import lines


def json_documents(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[Document]:
    """The documents of a JSON Lines file: one object a line."""
    parser = fields.parser
    tags = fields.tags or ("tag" if parser.pairs else "tags")
    id_field, label_field = fields.id or "id", fields.label or "label"
    cards = None if fields.card is None else fields.card.by_name()
    for number, line in lines(path, tally):
        if not line.strip():
            continue
        tally.lines += 1
        try:
            record = orjson.loads(line)
            _check(record, tags)
            identity = record.get(id_field)
            if identity is None and fields.id is None and not parser.pairs:
                identity = f"{name}:{number}"
            card = None if cards is None else cards.parse(record.get)
            document = parser.parse(identity, record[tags], record.get(label_field), card)
        except ValueError as error:
            tally.pass_over(f"{name} line {number}", error)
        else:
            yield document


def _check(record: object, tags: str | int) -> None:
    if not isinstance(record, dict):
        raise ValueError("not an object")  # noqa: TRY004 - a bad line is a value, whatever its type
    if tags not in record:
        raise ValueError(f'no field "{tags}"')
