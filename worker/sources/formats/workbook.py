"""Reads spreadsheets: xlsx, xls and ods, with python-calamine from the extra `excel`."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

from worker.errors import CorpusError
from worker.sources.document import Fields, Tally
from worker.sources.formats.format import FileFormat
from worker.sources.formats.streams.archives import check_unpacked_size

ZIP: Final = b"PK\x03\x04"
OLD: Final = b"\xd0\xcf\x11\xe0"


def workbook_records(path: Path, fields: Fields, tally: Tally) -> Iterator[dict[str, Any]]:
    """The rows of a sheet by the titles in its first row: of the declared sheet, or of the first one with rows."""
    book = _open(path)
    try:
        if fields.records is not None and fields.records not in book.sheet_names:
            raise CorpusError(f"{path}: no sheet {fields.records!r} ({', '.join(book.sheet_names)})")
        names = book.sheet_names if fields.records is None else [fields.records]
        for name in names:
            rows = (row for row in book.get_sheet_by_name(name).iter_rows() if any(cell != "" for cell in row))
            titles = next(rows, None)
            if titles is not None:
                keys = [str(title).strip() for title in titles]
                for row in rows:
                    yield {key: _value(cell) for key, cell in zip(keys, row, strict=False) if key}
                break
    finally:
        book.close()
    tally.done += path.stat().st_size


def _open(path: Path) -> Any:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError  # noqa: PLC0415 - optional

    try:
        with path.open("rb") as file:
            start = file.read(4)
        if start == ZIP:
            check_unpacked_size(path)
        return CalamineWorkbook.from_path(path)
    except PasswordError as error:
        raise CorpusError(f"{path}: is protected by a password; save it without one") from error
    except (CalamineError, OSError) as error:
        if start == OLD and path.suffix.lower() == ".xlsx":
            raise CorpusError(f"{path}: is protected by a password; save it without one") from error
        raise CorpusError(f"{path}: is no readable spreadsheet: {error}") from error


def _value(cell: Any) -> Any:
    """A cell as text or number: 7.0 is 7, as spreadsheets show it."""
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell.isoformat() if isinstance(cell, date) else cell


def _begins(start: bytes) -> bool:
    zipped = start.startswith(ZIP) and (b"[Content_Types].xml" in start or b"opendocument.spreadsheet" in start)
    return zipped or start.startswith(OLD)


FORMAT: Final = FileFormat(
    "a spreadsheet",
    (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    workbook_records,
    _begins,
    package=("python_calamine", "excel"),
)
