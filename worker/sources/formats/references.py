"""Reads references: BibTeX entry by entry, and RIS."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from worker.errors import CorpusError
from worker.sources.document import Fields, Tally
from worker.sources.formats.format import FileFormat
from worker.sources.formats.streams.lines import LONGEST, lines

ENTRY: Final = re.compile(r"@\s*(\w+)\s*[{(]\s*([^,\s{}]*)\s*,")
FIELD: Final = re.compile(r"\s*,?\s*([\w-]+)\s*=\s*")
NO_ENTRIES: Final = {"comment", "string", "preamble"}
RIS_LINE: Final = re.compile(r"([A-Z][A-Z0-9])  - ?(.*)")
RIS_NAMES: Final = {
    "ID": "id", "TI": "title", "T1": "title", "UR": "url", "DA": "date", "PY": "year", "Y1": "year", "DO": "doi",
}  # fmt: skip


def bibtex_records(path: Path, fields: Fields, tally: Tally) -> Iterator[dict[str, Any]]:
    """The entries of a BibTeX file, with their fields in lower case; `id` is the key."""
    for number, text in _entries(path, fields, tally):
        head = ENTRY.match(text)
        if head is None or head[1].lower() in NO_ENTRIES:
            continue
        record: dict[str, Any] = {"id": head[2] or f"{path.name}:{number}", "keywords": ""}
        place = head.end()
        while (match := FIELD.match(text, place)) is not None:
            value, place = _value(text, match.end())
            record[match[1].lower()] = value
        yield record


def _entries(path: Path, fields: Fields, tally: Tally) -> Iterator[tuple[int, str]]:
    """The text of each entry, from its @ to the line where its braces are closed, and the number of its line."""
    text, begun, depth = "", 0, 0
    for number, line in lines(path, tally, fields.encoding):
        decoded = line.decode(errors="replace")
        if not text and not decoded.lstrip().startswith("@"):
            continue
        begun = begun if text else number
        text += decoded if text else decoded.lstrip()
        plain = decoded.replace("\\{", "").replace("\\}", "")
        depth += plain.count("{") - plain.count("}")
        if len(text) > LONGEST:
            raise CorpusError(f"{path}: the braces of the entry in line {begun} are not closed")
        if depth <= 0:
            yield begun, text
            text, depth = "", 0
    if text:
        raise CorpusError(f"{path}: the braces of the entry in line {begun} are not closed")


def _value(text: str, place: int) -> tuple[str, int]:
    """The value that begins here without its braces or quotes, and where it ends."""
    opening = text[place : place + 1]
    end, depth = place, 0
    while end < len(text):
        character = text[end]
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0 and opening == "{":
                end += 1
                break
            if depth < 0:
                break
        elif depth == 0 and (
            (character == '"' and opening == '"' and end > place) or (character == "," and opening not in '{"')
        ):
            end += opening == '"'
            break
        end += 1
    value = re.sub(r"[{}]", "", text[place:end].strip().strip('"'))
    return " ".join(value.split()), end


def ris_records(path: Path, fields: Fields, tally: Tally) -> Iterator[dict[str, Any]]:
    """The references of a RIS file, with the names that documents use."""
    record: dict[str, Any] = {"keywords": []}
    for _, line in lines(path, tally, fields.encoding):
        match = RIS_LINE.match(line.decode(errors="replace"))
        if match is None:
            continue
        code, value = match[1], match[2].strip()
        if code == "ER":
            yield record
            record = {"keywords": []}
        elif code == "KW":
            record["keywords"].append(value)
        elif value:
            record.setdefault(RIS_NAMES.get(code, code), value.strip("/") if code in {"PY", "Y1"} else value)


BIBTEX: Final = FileFormat("BibTeX", (".bib", ".bibtex"), bibtex_records)
RIS: Final = FileFormat(
    "RIS", (".ris",), ris_records, lambda start: start.lstrip(b"\xef\xbb\xbf\r\n").startswith(b"TY  - ")
)
