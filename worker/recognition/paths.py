"""Recognises tags that are paths, such as animals/cat, and what separates their parts."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from worker.recognition.tag_lists import TagList
from worker.sources.cleaning import split_list
from worker.sources.tag_values import tag_names

SEPARATORS: Final = ("/", "::")
MOST: Final = 0.5
"""Tags are paths if more than this share of them has the separator between two parts."""

FEWEST: Final = 10
"""Of fewer different tags, nothing is said."""

SHARED: Final = 0.5
"""Paths have parents in common: at most so many different first parts, as a share of the paths."""


def recognise_paths(values: Sequence[Any], how: TagList | None) -> str | None:
    """What separates the parts of the tags in some values, or None if most of them are no paths."""
    tags = {tag.strip().lstrip("#") for value in values for tag in _tags(value, how)} - {""}
    if len(tags) < FEWEST:
        return None
    for separator in SEPARATORS:
        paths = [tag.split(separator) for tag in tags if "://" not in tag and separator in tag]
        paths = [path for path in paths if all(part.strip() for part in path)]
        if len(paths) > MOST * len(tags) and len({path[0] for path in paths}) <= SHARED * len(paths):
            return separator
    return None


def _tags(value: Any, how: TagList | None) -> Iterator[str]:
    """The tags of one value, as the reader that was recognised finds them."""
    if isinstance(value, str) and how is not None:
        if how.pattern is not None:
            yield from ("".join(each) if isinstance(each, tuple) else each for each in re.findall(how.pattern, value))
            return
        if how.separator is not None:
            yield from split_list(value, how.separator)
            return
        if value.strip().startswith("["):
            value = orjson.loads(value)
    names = tag_names(value) if isinstance(value, list | dict) else [value]
    yield from (str(each) for each in names) if isinstance(names, list | tuple) else ()
