"""Reads bookmarks as browsers export them, in Netscape's HTML."""

import codecs
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from worker.sources.document import Fields, Tally
from worker.sources.formats.format import FileFormat
from worker.sources.formats.streams.lines import blocks


def bookmark_records(path: Path, fields: Fields, tally: Tally) -> Iterator[dict[str, Any]]:
    """The bookmarks with their tags and the folders they are in."""
    parser, decode = _Bookmarks(), codecs.getincrementaldecoder("utf-8")("replace").decode
    for block in blocks(path, tally, fields.encoding):
        parser.feed(decode(block))
        yield from parser.take()
    parser.close()
    yield from parser.take()


class _Bookmarks(HTMLParser):
    """Collects bookmarks; a list after a heading is a folder of that name."""

    def __init__(self) -> None:
        super().__init__()
        self._found: list[dict[str, Any]] = []
        self._folders: list[str] = []
        self._heading = ""
        self._text: list[str] | None = None
        self._link: dict[str, str | None] = {}

    def take(self) -> list[dict[str, Any]]:
        """The bookmarks since the last call."""
        taken, self._found = self._found, []
        return taken

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"a", "h3"}:
            self._text = []
            self._link = dict(attrs)
        elif tag == "dl":
            self._folders.append(self._heading)
            self._heading = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "dl" and self._folders:
            self._folders.pop()
        elif tag == "h3" and self._text is not None:
            self._heading, self._text = "".join(self._text).strip(), None
        elif tag == "a" and self._text is not None:
            self._found.append(self._record("".join(self._text).strip()))
            self._text = None

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def _record(self, title: str) -> dict[str, Any]:
        link = self._link
        added = link.get("add_date") or ""
        date = datetime.fromtimestamp(int(added), UTC).date().isoformat() if added.isdigit() and int(added) else None
        tags = [tag.strip() for tag in (link.get("tags") or "").split(",") if tag.strip()]
        folders = [folder for folder in self._folders if folder]
        return {"url": link.get("href"), "title": title or None, "date": date, "tags": tags, "folders": folders}


def _begins(start: bytes) -> bool:
    return b"netscape-bookmark" in start[:200].lower()


FORMAT: Final = FileFormat("bookmarks of a browser", (".html", ".htm"), bookmark_records, _begins)
