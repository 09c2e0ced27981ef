"""Reads XML as a stream: dumps of Stack Exchange, feeds, exports of WordPress, outlines, and any list of elements."""

from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError

from worker.errors import CorpusError
from worker.sources.document import Fields, Tally
from worker.sources.formats.format import FileFormat
from worker.sources.formats.streams.byte_stream import ByteStream

SEVERAL: Final = {"tag", "keyword", "category", "subject", "genre", "label", "topic"}
"""Elements that a record has one of each, or several."""

NO_POSTS: Final = {"attachment", "nav_menu_item", "revision", "custom_css", "wp_global_styles", "wp_navigation"}
"""What WordPress stores as posts and nobody reads as such."""


def xml_records(path: Path, fields: Fields, tally: Tally) -> Iterator[dict[str, Any]]:
    """The records of an XML file. No entity and no reference to anything outside is followed."""
    from defusedxml import DefusedXmlException  # noqa: PLC0415 - optional
    from defusedxml.ElementTree import iterparse  # noqa: PLC0415 - optional

    open_elements: list[Element] = []
    try:
        with ByteStream(path, tally, fields.encoding) as stream:
            for event, element in iterparse(stream, ("start", "end")):
                if event == "start":
                    open_elements.append(element)
                    continue
                open_elements.pop()
                record = _record(element, open_elements)
                if record is not None:
                    yield record
                if record is not None or not _inside_record(open_elements):
                    _forget(element, open_elements)
    except DefusedXmlException as error:
        raise CorpusError(
            f"{path}: declares entities or refers to other files, which Cotag does not read: {error}"
        ) from error
    except ParseError as error:
        raise CorpusError(f"{path}: is no well-formed XML: {error}") from error


def _inside_record(above: list[Element]) -> bool:
    """Whether one of these elements is a record, whose parts are needed until it ends."""
    root = _local(above[0].tag) if above else ""
    if root not in RECORDS:
        return len(above) > 1
    return any(_local(element.tag) == RECORDS[root][0] for element in above)


def _forget(element: Element, above: list[Element]) -> None:
    """Free the memory of an element that has been read."""
    element.clear()
    if above and above[-1].tag != "outline":
        above[-1].remove(element)


def _record(element: Element, above: list[Element]) -> dict[str, Any] | None:
    """The record of an element that ends here; None if it is only a part of one."""
    name = _local(element.tag)
    parents = [_local(parent.tag) for parent in above]
    root = parents[0] if parents else ""
    if root in RECORDS:
        wanted, make = RECORDS[root]
        return make(element, above) if name == wanted else None
    return _any_record(element) if len(parents) == 1 else None


def _feed_item(element: Element, _: list[Element]) -> dict[str, Any] | None:
    """An item of RSS or of WordPress, or an entry of Atom."""
    texts: dict[str, str] = {}
    tags: list[str] = []
    categories: list[str] = []
    image = None
    for child in element:
        name, text = _local(child.tag), (child.text or "").strip()
        if name == "category":
            term = child.get("term") or text
            (categories if child.get("domain") == "category" else tags).append(child.get("label") or term)
        elif name == "link" and child.get("href") and child.get("rel", "alternate") == "alternate":
            texts.setdefault("link", child.get("href", ""))
        elif name in {"thumbnail", "content", "enclosure"} and child.get("url"):
            if name == "thumbnail" or "image" in (child.get("type") or child.get("medium") or ""):
                image = image or child.get("url")
        elif name == "image" and child.get("href"):
            image = image or child.get("href")
        elif text:
            texts.setdefault(name, text)
    if texts.get("post_type") in NO_POSTS:
        return None
    return {
        "id": texts.get("post_id") or texts.get("guid") or texts.get("id") or texts.get("link"),
        "title": texts.get("title"),
        "url": texts.get("link"),
        "image": image,
        "date": _date(texts.get("pubDate") or texts.get("published") or texts.get("updated") or texts.get("date")),
        "tags": tags,
        "categories": categories,
    }


def _stack_exchange_row(element: Element, _: list[Element]) -> dict[str, Any] | None:
    """A question; answers have no tags of their own."""
    return None if element.get("PostTypeId", "1") != "1" else dict(element.attrib)


def _outline(element: Element, above: list[Element]) -> dict[str, Any] | None:
    """A feed of an outline: its categories, or the folders around it, are its tags."""
    if not element.get("xmlUrl"):
        return None
    folders = [_title(parent) for parent in above if _local(parent.tag) == "outline"]
    categories = [part.strip("/ ") for part in element.get("category", "").split(",") if part.strip("/ ")]
    return {
        "id": element.get("xmlUrl"),
        "title": _title(element),
        "url": element.get("htmlUrl") or element.get("xmlUrl"),
        "date": _date(element.get("created")),
        "tags": categories or [folder for folder in folders if folder],
    }


def _any_record(element: Element) -> dict[str, Any] | None:
    """An element of a list: its attributes and the texts of its parts; what comes again is a list."""
    record: dict[str, Any] = dict(element.attrib)
    for child in element:
        name = _local(child.tag)
        value: Any = [_text(part) for part in child] if len(child) else _text(child)
        if name in SEVERAL and isinstance(value, str):
            value = [value] if value else []
        if name in record:
            earlier = record[name] if isinstance(record[name], list) else [record[name]]
            value = [*earlier, *(value if isinstance(value, list) else [value])]
        record[name] = value
    return record or None


RECORDS: Final[dict[str, tuple[str, Callable[[Element, list[Element]], dict[str, Any] | None]]]] = {
    "rss": ("item", _feed_item),
    "feed": ("entry", _feed_item),
    "RDF": ("item", _feed_item),
    "opml": ("outline", _outline),
    "posts": ("row", _stack_exchange_row),
}
"""By the name of the first element: which elements are records, and what they hold."""


def _local(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition("}")[2]


def _text(element: Element) -> str:
    return (element.text or "").strip()


def _title(element: Element) -> str | None:
    return element.get("title") or element.get("text")


def _date(text: str | None) -> str | None:
    """A date of mail and RSS as ISO 8601; any other as it is."""
    if not text:
        return None
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except ValueError:
        return text


def _begins(start: bytes) -> bool:
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return text.startswith((b"<?xml", b"<rss", b"<feed", b"<opml", b"<posts"))


FORMAT: Final = FileFormat(
    "XML", (".xml", ".rss", ".atom", ".opml", ".wxr"), xml_records, _begins, package=("defusedxml", "xml")
)
