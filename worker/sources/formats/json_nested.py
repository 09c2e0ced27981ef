"""Finds and reads the records inside a JSON document, whatever is wrapped around them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson

from worker.errors import CorpusError
from worker.sources.document import Fields, Tally
from worker.sources.formats.streams.lines import blocks

TOP: Final = "."
ANY_DEPTH: Final = "*"
"""After a name: also inside the same name, as in folders of folders."""

DEEPEST: Final = 6


def load_json(path: Path, tally: Tally, encoding: str | None) -> Any:
    """The whole document; CorpusError if it is none."""
    content = b"".join(blocks(path, tally, encoding))
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise CorpusError(f"{path}: is not JSON: {error}") from error


def nested_records(path: Path, fields: Fields, tally: Tally) -> Iterator[dict[str, Any]]:
    """The records at the declared place."""
    place = fields.records or TOP
    found = records_at(load_json(path, tally, fields.encoding), place)
    if found is None:
        raise CorpusError(f"{path}: holds no records at {place}")
    yield from found


def records_at(value: Any, place: str) -> list[dict[str, Any]] | None:
    """The records at a place such as `data.items`; a list on the way means each of its elements."""
    values = [value]
    for name in [] if place == TOP else place.split("."):
        if name.endswith(ANY_DEPTH):
            values = _everywhere(values, name.removesuffix(ANY_DEPTH))
        else:
            values = _inside(values, name)
    records: list[dict[str, Any]] = []
    for each in values:
        found = as_records(each) if isinstance(each, dict) and len(values) == 1 else None
        records += found if found is not None else [one for one in _elements(each) if isinstance(one, dict)]
    return records or None


def _inside(values: list[Any], name: str) -> list[Any]:
    """What these objects, and those in these lists, have under a name."""
    return [each[name] for one in values for each in _elements(one) if isinstance(each, dict) and name in each]


def _everywhere(values: list[Any], name: str) -> list[Any]:
    """The same, and what is under the same name inside that, without what only holds others: folders of folders."""
    found: list[Any] = []
    while values := _inside(values, name):
        found += [each for one in values for each in _elements(one) if not (isinstance(each, dict) and each.get(name))]
    return found


def record_places(value: Any) -> list[tuple[str, list[dict[str, Any]]]]:
    """Every place of a document that holds records, nearest to the top first."""
    places: list[tuple[str, list[dict[str, Any]]]] = []
    level = [("", value)]
    for _ in range(DEEPEST):
        below: list[tuple[str, Any]] = []
        for place, each in level:
            records = as_records(each)
            if records:
                places.append((place or TOP, records))
            if isinstance(each, dict):
                below += [(f"{place}.{name}".lstrip("."), one) for name, one in each.items()]
            elif isinstance(each, list) and each and isinstance(each[0], dict):
                for name in dict.fromkeys(name for one in each if isinstance(one, dict) for name in one):
                    if place.rpartition(".")[2] == name:  # folders of folders: all together
                        every = records_at(value, f"{place}{ANY_DEPTH}")
                        places += [(f"{place}{ANY_DEPTH}", every)] if every else []
                        continue
                    inner = [one[name] for one in each if isinstance(one, dict) and name in one]
                    inner = inner[0] if len(inner) == 1 else [one for one in inner if isinstance(one, dict)]
                    below.append((f"{place}.{name}".lstrip("."), inner))
        level = below
    return places


def as_records(value: Any) -> list[dict[str, Any]] | None:
    """A list of objects, or an object that holds as much in another shape; None if it does not."""
    if isinstance(value, list):
        return value if value and all(isinstance(each, dict) for each in value) else None
    if not isinstance(value, dict) or not value:
        return None
    return _related(value) or _split(value) or _by_column_or_key(value)


def _related(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Tables such as posts, tags and posts_tags, joined, as Ghost exports them."""
    tags = value.get("tags")
    for name, pairs in value.items():
        owner = name.removesuffix("_tags")
        if owner == name or not isinstance(tags, list) or not isinstance(value.get(owner), list) or not pairs:
            continue
        tag_of = {tag.get("id"): tag.get("name") for tag in tags}
        reference = next((key for key in pairs[0] if key.endswith("_id") and key != "tag_id"), "")
        tags_of: dict[Any, list[str]] = {}
        for pair in pairs:
            if tag_of.get(pair.get("tag_id")):
                tags_of.setdefault(pair.get(reference), []).append(tag_of[pair["tag_id"]])
        return [{**record, "tags": tags_of.get(record.get("id"), [])} for record in value[owner]]
    return None


def _split(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Titles and rows apart, as pandas writes with orient="split"."""
    titles, rows = value.get("columns"), value.get("data")
    if not isinstance(titles, list) or not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        return None
    return [dict(zip(map(str, titles), row, strict=False)) for row in rows]


def _by_column_or_key(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """An object of columns, each with the values by row, or an object of records by key."""
    inner = list(value.values())
    if len(inner) > 1 and all(isinstance(each, list) and len(each) == len(inner[0]) for each in inner) and inner[0]:
        return [dict(zip(value, row, strict=True)) for row in zip(*inner, strict=True)]
    if len(inner) < 2 or not all(isinstance(each, dict) and each for each in inner):
        return None
    keys = list(inner[0])
    if all(key.isdigit() for key in keys):  # the rows of a frame have numbers
        return [{name: column.get(key) for name, column in value.items()} for key in keys]
    return inner if len(set(keys) & set(inner[1])) > 1 else None


def _elements(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
