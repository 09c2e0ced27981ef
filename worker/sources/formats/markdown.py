"""Reads Markdown notes: front matter in YAML, TOML or JSON, and with `inline` the #tags in the text."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson

from worker.sources.document import Fields, Tally
from worker.sources.formats.format import FileFormat
from worker.sources.formats.streams.lines import blocks

FRONT: Final = re.compile(r"(---|\+\+\+)[ \t]*\r?\n(.*?)(?:^|\n)\1[ \t]*(?:\r?\n|$)", re.DOTALL)
KEY: Final = re.compile(r"([A-Za-z][\w .-]*?)\s*:(?:\s+(.*)|\s*)$")
CODE: Final = re.compile(r"```.*?(?:```|$)|`[^`\n]*`", re.DOTALL)
INLINE: Final = re.compile(r"(?<![\w/&#])#([^\W\d][\w/-]*)")
HEADING: Final = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
DATED: Final = re.compile(r"(\d{4}-\d{2}-\d{2})-(.+)")


def markdown_records(path: Path, fields: Fields, tally: Tally) -> Iterator[dict[str, Any]]:
    """The note of a file: what its front matter says, and a title and a date even where that says none."""
    text = b"".join(blocks(path, tally, fields.encoding)).decode(errors="replace")
    matter, body = _front_matter(text)
    dated = DATED.fullmatch(path.stem)
    heading = HEADING.search(body)
    record: dict[str, Any] = {"tags": [], **{key.lower(): value for key, value in matter.items()}}
    record["title"] = record.get("title") or (heading[1] if heading else dated[2] if dated else path.stem)
    if dated:
        record.setdefault("date", dated[1])
    if record.get("date") is not None:
        record["date"] = str(record["date"])
    record["tags"] = _listed(record["tags"])
    if fields.inline:
        record["tags"] += INLINE.findall(CODE.sub("", body))
    yield record


def _listed(tags: object) -> list[Any]:
    """The tags of the front matter as a list: between commas, or else between spaces."""
    if isinstance(tags, str):
        return [tag.strip() for tag in tags.split("," if "," in tags else None)]
    return list(tags) if isinstance(tags, list) else []


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    """What stands before the text, and the text."""
    match = FRONT.match(text)
    if match is None:
        return {}, text
    body = text[match.end() :]
    return (_toml(match[2]) if match[1] == "+++" else _yaml(match[2])), body


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"its front matter is no TOML: {error}") from error


def _yaml(text: str) -> dict[str, Any]:
    """The keys of the first level with a text or a list: all that front matter needs of YAML."""
    values: dict[str, Any] = {}
    key = ""
    for line in text.splitlines():
        item = re.match(r"\s*-\s+(.*)", line)
        if item and key:
            if not isinstance(values[key], list):
                values[key] = []
            values[key].append(_scalar(item[1]))
        elif (match := KEY.match(line)) is not None:
            key = match[1]
            values[key] = _value((match[2] or "").strip())
    return values


def _value(text: str) -> Any:
    if text.startswith("[") and (end := text.rfind("]")) > 0:
        try:
            return orjson.loads(text[: end + 1])
        except orjson.JSONDecodeError:
            parts = re.findall(r"""\s*("[^"]*"|'[^']*'|[^,]+)\s*(?:,|$)""", text[1:end])
            return [_scalar(part) for part in parts if part.strip()]
    return _scalar(text)


def _scalar(text: str) -> str | None:
    """A text without quotes and comment."""
    text = text.strip()
    if text[:1] in {'"', "'"} and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    text = re.sub(r"\s+#.*$", "", text)
    return None if text in {"", "~", "null"} else text


FORMAT: Final = FileFormat("Markdown", (".md", ".markdown", ".mdx"), markdown_records)
