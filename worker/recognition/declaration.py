"""Writes a corpora file for recognised sources, with comments."""

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path, PurePath
from typing import Any, Final

import orjson

from worker.corpora.declaration import NAME, Corpus, Declaration, corpus_in
from worker.errors import CorpusError
from worker.recognition.recognise import Recognised

HEAD: Final = """\
# Corpora for Cotag, {origin}. docs/reference/corpora.md explains every key.
"""

SECTION: Final = """
# {description}
[corpora.{name}]
title = {title}
min_count = {min_count}              # tags in fewer documents are left out
schedule = "24h"           # cluster again after this time …
watch = true               # … and when the documents change
{nested}# ban = ["untagged"]       # tags to leave out
# synonyms = {{ "automobile" = "car" }}
# labels = {{ "payment" = "Money" }}       # the label of the cluster that holds this tag
# clean = {{ hashes = false }}  # keep a leading #; also: entities, invisible, punctuation

[corpora.{name}.source]
{source}
"""

NESTED: Final = """\
nested = {separator}               # separates the parts of tags; nested_counts = true counts documents for parents
"""


@dataclass(frozen=True)
class Section:
    """A recognised source, and the name of its corpus."""

    name: str
    title: str
    recognised: Recognised
    min_count: int = 5


def corpus_name(target: str) -> tuple[str, str]:
    """Name and title of the corpus of a file, folder, pattern or database; CorpusError if no name can be used."""
    place = PurePath(target if "://" not in target else target.partition("?")[0].rstrip("/"))
    stem = next((part for part in reversed(place.parts) if not has_magic(part)), "")  # of a pattern, its folder
    title = re.sub(r"(\.[A-Za-z]\w{1,7}){1,2}$", "", stem) or stem
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64]
    if not re.fullmatch(NAME, name):
        raise CorpusError(f"{target}: its name gives no name for a corpus; rename it, for example to recipes.csv")
    return name, title


def refuse_equal_names(targets: Sequence[str]) -> None:
    """CorpusError if two sources would make corpora of one name."""
    seen: dict[str, str] = {}
    for target in targets:
        name = corpus_name(target)[0]
        if name in seen:
            raise CorpusError(f"{seen[name]} and {target} would both be called {name}; rename one of them")
        seen[name] = target


def corpora_file(sections: Sequence[Section], folder: Path, origin: str) -> str:
    """The text of a corpora file in a folder, which names files relative to it."""
    return HEAD.format(origin=origin) + "".join(_section(section, folder) for section in sections)


def declared_source(recognised: Recognised, folder: Path) -> dict[str, Any]:
    """The source as a table of a corpora file in a folder."""
    if recognised.files is None:
        return recognised.source
    absolute = Path(os.path.abspath(recognised.files))  # noqa: PTH100 - links keep their names
    files = absolute.relative_to(folder) if absolute.is_relative_to(folder) else absolute
    return {"files": str(files), **recognised.source}


def section_corpus(section: Section, **keys: Any) -> Corpus:
    """The corpus of a section, with more keys of its declaration."""
    source = declared_source(section.recognised, Path.cwd())
    nested = {"nested": section.recognised.nested} if section.recognised.nested else {}
    content = {"source": source, "title": section.title, "min_count": section.min_count, **nested, **keys}
    declaration = Declaration.model_validate(content)
    return corpus_in(Path.cwd(), section.name, declaration)


def _section(section: Section, folder: Path) -> str:
    recognised = section.recognised
    source = declared_source(recognised, folder)
    return SECTION.format(
        name=section.name,
        title=_toml(section.title),
        min_count=section.min_count,
        nested=NESTED.format(separator=_toml(recognised.nested)) if recognised.nested else "",
        description=" ".join(section.recognised.description.split()),
        source="\n".join(f"{key} = {_toml(value)}" for key, value in source.items()),
    )


def _toml(value: object) -> str:
    """A value as TOML: strings, numbers, booleans and lists are written as in JSON, objects as inline tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return orjson.dumps(value).decode().replace("\x7f", "\\u007f")
