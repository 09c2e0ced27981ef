"""Reads Parquet files, with pyarrow from the extra `parquet`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from worker.errors import CorpusError
from worker.sources.document import Document, Fields, Tally
from worker.sources.formats.record_parser import RecordParser
from worker.sources.tag_values import WEIGHTS

BATCH: Final = 2000
"""Rows that are in memory as objects."""


def parquet_documents(path: Path, name: str, fields: Fields, tally: Tally) -> Iterator[Document]:
    """The documents of a Parquet file: one row each, of which only the declared columns are read."""
    file = open_parquet(path)
    titles = file.schema_arrow.names
    parser = RecordParser.of(fields)
    cards = () if fields.card is None else ("title", "url", "image", "text")
    declared = () if fields.card is None else fields.card.declared
    tags = parser.tags if isinstance(parser.tags, tuple) else (parser.tags,)
    for title in (*tags, fields.id, fields.label, *declared):
        if title is not None and title not in titles:
            raise CorpusError(f'{path}: no column "{title}" ({", ".join(titles)})')
    weights = WEIGHTS if fields.parser.weighted else ()
    read = {*weights, *tags, fields.id or "id", fields.label or "label", *cards, *declared}
    columns = [title for title in titles if title in read]
    for number, row in enumerate(parquet_rows(path, file, columns), start=1):
        tally.lines += 1
        try:
            document = parser.parse(row, f"{name}:{number}", tally)
        except ValueError as error:
            tally.pass_over(f"{name} row {number}", error)
        else:
            yield document
    tally.done += path.stat().st_size


def open_parquet(path: Path) -> Any:
    """The open file; CorpusError if it is none."""
    from pyarrow import ArrowException  # noqa: PLC0415 - optional
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - optional

    try:
        return ParquetFile(path)
    except (ArrowException, OSError) as error:
        raise CorpusError(f"{path}: is no Parquet file: {error}") from error


def parquet_rows(path: Path, file: Any, columns: list[str]) -> Iterator[dict[str, Any]]:
    """The rows of some columns as objects, read in batches."""
    from pyarrow import ArrowException  # noqa: PLC0415 - optional

    try:
        for batch in file.iter_batches(BATCH, columns=columns):
            yield from batch.to_pylist()
    except (ArrowException, OSError) as error:
        raise CorpusError(f"{path}: unreadable: {error}") from error
