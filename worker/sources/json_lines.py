from collections.abc import Iterator
from pathlib import Path

import orjson

from worker.sources.declared import FileSource
from worker.sources.document import Document, Tally
from worker.sources.opening import lines


def json_documents(path: Path, name: str, source: FileSource, tally: Tally) -> Iterator[Document]:
    """The documents of a JSON Lines file: one object a line."""
    for number, line in lines(path, tally):
        if not line.strip():
            continue
        tally.lines += 1
        try:
            document = _document(orjson.loads(line), source, f"{name}:{number}")
        except ValueError as error:
            tally.pass_over(f"{name} line {number}", error)
        else:
            yield document


def _document(record: object, source: FileSource, place: str) -> Document:
    if not isinstance(record, dict):
        raise ValueError("not an object")  # noqa: TRY004 - a bad line is a value, whatever its type
    tags = source.tags or ("tag" if source.shape.pairs else "tags")
    if tags not in record:
        raise ValueError(f'no field "{tags}"')
    nameless = source.id is None and not source.shape.pairs
    identity = record.get(source.id or "id")
    return source.shape.document(
        place if nameless and identity is None else identity, record[tags], record.get(source.label or "label")
    )
