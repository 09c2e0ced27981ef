"""Recognises a source: format, columns, layout and separator, with the wishes of the user before any guess."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from glob import has_magic
from pathlib import Path
from typing import Any, Final, Literal

from worker.errors import CorpusError
from worker.recognition.cards import RecognisedCard, numbered_card, recognise_card
from worker.recognition.columns import (
    MEASURES,
    NAMES_OF_PEOPLE,
    PEOPLE,
    belong_together,
    equally_likely,
    exact,
    id_candidates,
    listed_names,
    named,
    numbered_tags,
    shell_word,
    tag_candidates,
    words,
)
from worker.recognition.databases import database_query
from worker.recognition.folders import folder_files, sample_files
from worker.recognition.paths import recognise_paths
from worker.recognition.sample import Sample, is_sqlite, sample_file, sample_query
from worker.recognition.tag_lists import (
    SHOWN,
    TagList,
    holds_tags,
    list_likeness,
    marks_only,
    recognise_list,
    recognise_spaces,
    shortened,
    shown_tags,
)
from worker.sources.formats.registry import FORMATS
from worker.sources.sql import quote_names, statement_text

REPEATED: Final = 0.1
"""If this share of the rows repeats an id, the rows are pairs of document and tag."""

STAMP: Final = re.compile(r"1\d{9}")
"""A time in seconds since 1970, from 2001 on."""

DELIMITER_NAMES: Final = {";": "semicolons", ",": "commas", "\t": "tabs", "|": "bars", "::": "two colons"}


@dataclass(frozen=True)
class Wishes:
    """What the user says about a source; None where Cotag should find out."""

    id: str | None = None
    tags: str | Sequence[str] | None = None
    label: str | None = None
    separator: str | None = None
    pattern: str | None = None
    layout: Literal["list", "pairs", "columns"] | None = None
    title: str | None = None
    url: str | None = None
    image: str | None = None
    query: str | None = None
    records: str | None = None
    inline: bool = False

    @property
    def tag_columns(self) -> tuple[str, ...]:
        """The columns of tags that the user names."""
        return (self.tags,) if isinstance(self.tags, str) else tuple(self.tags or ())


@dataclass(frozen=True)
class Recognised:
    """How to read a source: the keys of its declaration, and the same in words."""

    source: dict[str, Any]
    description: str
    files: Path | None = None
    """The file that the declaration names; None for a database."""

    nested: str | None = None
    """What separates the parts of tags that are paths; None if most tags are none."""


def recognise(target: str, name: str, wishes: Wishes) -> Recognised:
    """How to read a file, a SQLite file or the URL of a database; CorpusError if it cannot be told."""
    path = Path(target)
    if "://" in target:
        return _of_database(target, name, name, wishes)  # messages do not repeat a URL, which may have a password
    if path.is_dir() or (not path.is_file() and has_magic(target)):
        files = folder_files(path)
        return _of_file(files.first, target, wishes, files.pattern)
    if not path.is_file():
        raise CorpusError(f"{target} is not a file")
    if is_sqlite(path):
        return _of_database(f"sqlite:///{path.resolve()}", target, name, wishes)
    if wishes.query is not None:
        raise CorpusError(f"{target}: --query belongs to a SQLite file or the URL of a database")
    return _of_file(path, target, wishes, path)


def _of_file(path: Path, target: str, wishes: Wishes, files: Path) -> Recognised:
    """How to read a file, or files that are all like it."""
    sample = sample_file(path, wishes.records, inline=wishes.inline)
    if path != files and len(sample.records) < 2:
        sample = sample_files(files, sample, inline=wishes.inline)
    reader = _Reader.of(sample, target, wishes)
    kind = FORMATS[sample.format].title
    if "encoding" in sample.source:
        kind += f" in {sample.source['encoding']} (assumed)"
    if "records" in sample.source:
        kind += f" at {sample.source['records']}"
    if "delimiter" in sample.source:
        kind += f" with {DELIMITER_NAMES[sample.source['delimiter']]} between the columns"
    return Recognised(sample.source | reader.keys(), f"{kind}, {reader.words()}", files, reader.nested)


def _of_database(url: str, place: str, name: str, wishes: Wishes) -> Recognised:
    found = database_query(url, place, name, wishes.query, tags_known=wishes.tags is not None)
    query, join = found.text, found.join
    if join is not None:
        wishes = replace(wishes, id=wishes.id or join.to_document.key, tags=join.tag, layout="pairs")
    sample = sample_query(url, query, name)
    reader = _Reader.of(sample, place, wishes)
    keys = reader.keys()
    if "id" not in keys:
        raise reader.no_id()
    columns = [keys.pop("id"), keys.pop("tags")]
    columns += [keys[key] for key in ("label", "title", "url", "image", "text") if keys.get(key)]
    columns += list(keys.get("fields", {}).values())
    columns = list(dict.fromkeys(columns))
    if join is not None and wishes.id == join.to_document.key:
        query = " ".join(statement_text(url, join.statement(columns), name).split())
    elif list(sample.names) != columns:
        quoted = ", ".join(quote_names(url, columns, name))
        query = f"select {quoted} from ({query.strip().rstrip(';')}) as documents"  # noqa: S608 - the user's own
    kind = "a database" if join is None else f"a database, {join.words} ({query})"
    source = {"sql": url, "query": query, "layout": "list"} | keys
    return Recognised(source, f"{kind}, {reader.words()}", nested=reader.nested)


@dataclass(frozen=True)
class _Reader:
    """Tells where the records of a sample have their ids and tags. Every answer is found once."""

    sample: Sample
    place: str
    wishes: Wishes
    numbered: bool = False
    """Whether the columns of a table have numbers instead of titles."""

    @classmethod
    def of(cls, sample: Sample, place: str, wishes: Wishes) -> "_Reader":
        wanted = wishes.tag_columns[:1]
        if sample.titled and wanted and wanted[0].isdigit() and wanted[0] not in sample.names:
            sample = sample.untitled()
        numbered = sample.numbered
        if not sample.records:
            raise CorpusError(f"{place}: has column titles but no rows" if sample.titled else f"{place}: has no rows")
        return cls(sample, place, wishes, numbered)

    def keys(self) -> dict[str, Any]:
        """The keys of the declaration."""
        keys: dict[str, Any] = {"layout": "pairs"} if self.layout == "pairs" else {}
        keys |= {"layout": "columns"} if self.one_hot else {}
        tags = self.tag_columns if len(self.tag_columns) > 1 or self.one_hot else self.tags
        columns = {"id": self.id, "tags": tags, "label": self.label, **self.card.columns}
        for key, column in columns.items():
            if column is not None:
                keys[key] = self._place(column)
        if self.date is not None:
            keys["fields"] = {"date": self._place(self.date)}
        if self.numbered:
            keys["header"] = False
        if self.layout == "list" and self.how is not None:
            keys |= {key: value for key in ("separator", "pattern") if (value := getattr(self.how, key)) is not None}
        return keys

    def _place(self, column: Any) -> Any:
        """A column as it is declared: by name, or by number."""
        if isinstance(column, tuple):
            return [self._place(each) for each in column]
        return int(column) if self.numbered and column is not False else column

    def words(self) -> str:
        """The same in words, and what is not used."""
        columns = self.card.columns.values()
        used = {*self.tag_columns, self.id, self.label, self.date, *(each for each in columns if each)}
        unused = [name for name in self.sample.names if name and name not in used and self.sample.values(name)]
        rest = f"; columns not used: {listed_names(unused)}" if unused else ""
        paths = f"; tags are paths: {self.nested} before what is narrower" if self.nested else ""
        return self._used_words() + paths + rest

    def _used_words(self) -> str:
        if self.one_hot:
            ids = f"ids from {self.id}" if self.id else "ids by line number"
            return f"one document a row: {len(self.tag_columns)} columns are tags, {ids}{self.card.words}"
        row = "one row for each document and tag" if self.layout == "pairs" else "one document a row"
        held = f" ({self.how.description})" if self.layout == "list" and self.how is not None else ""
        ids = f"ids from {self.id}" if self.id else "ids by line number"
        labels = f", class labels from {self.label}" if self.label else ""
        return f"{row}: tags from {' and '.join(self.tag_columns)}{held}, {ids}{labels}{self.card.words}"

    def no_id(self) -> CorpusError:
        """That there is no id where one is needed."""
        columns = listed_names(self.sample.names)
        return CorpusError(f"{self.place}: no column looks like an id ({columns}); say which: --id COLUMN")

    @cached_property
    def tags(self) -> str:
        """The column of the tags, or the first of several."""
        return self.tag_columns[0]

    @cached_property
    def one_hot(self) -> bool:
        """Whether each column is a tag."""
        if self.wishes.layout is not None or self.wishes.tags is not None:
            return self.wishes.layout == "columns"
        return bool(self._marked) and not self._named_tags

    @cached_property
    def _marked(self) -> list[str]:
        """The columns of nothing but 0 and 1, or yes and no, if there are at least three."""
        columns = [name for name in self.sample.names if name and marks_only(self.sample.values(name))]
        return columns if len(columns) >= 3 else []

    @cached_property
    def _named_tags(self) -> list[str]:
        """The columns that are equally likely to hold the tags by their names; empty ones count for nothing."""
        filled = [name for name in self.sample.names if self.sample.values(name)]
        return numbered_tags(filled) or tag_candidates(filled) or tag_candidates(self.sample.names)

    @cached_property
    def tag_columns(self) -> tuple[str, ...]:
        """The columns of the tags."""
        names = self.sample.names
        if self.wishes.tags is not None:
            return tuple(named(names, wish, "--tags", self.place) for wish in self.wishes.tag_columns)
        if self.one_hot:
            return tuple(self._marked)
        candidates = self._named_tags
        if len(candidates) > 1 and not belong_together(candidates):
            raise equally_likely(self.place, candidates, "hold the tags", "--tags", self.sample)
        if candidates:
            return tuple(candidates)
        if self.numbered and (column := self._numbered_tags()) is not None:
            return (column,)
        return self._tags_by_content()

    def _tags_by_content(self) -> tuple[str, ...]:
        """The only column whose values can hardly be anything but lists of tags; CorpusError if there is none."""
        names = self.sample.names
        others = [name for name in names if name and not NAMES_OF_PEOPLE & set(words(name))]
        held = [name for name in others if holds_tags(self.sample.values(name))]
        if len(held) == 1:
            return (held[0],)
        if held:
            raise equally_likely(self.place, held, "hold the tags", "--tags", self.sample)
        likeness = {name: list_likeness(self.sample.values(name)) for name in names if name}
        best = max(likeness, key=lambda name: likeness[name], default="")
        hint = f"perhaps --tags {shell_word(best)}" if likeness.get(best, 0) >= 0.5 else "--tags COLUMN"
        titles = "; if the first row has no titles, by number: --tags 2 --id 1" if self.sample.titled else ""
        raise CorpusError(
            f"{self.place}: no column is called tags ({listed_names(names)}); say which one: {hint}{titles}"
        )

    def _numbered_tags(self) -> str | None:
        """The last column of a table without titles that is no number: MovieLens has its genres and tags there."""
        texts = [name for name in self.sample.names if not all(str(v).isdigit() for v in self.sample.values(name))]
        return texts[-1] if texts else None

    @cached_property
    def date(self) -> str | None:
        """The column of the date."""
        if self.numbered:
            stamps = [n for n in self.sample.names if all(STAMP.fullmatch(str(v)) for v in self.sample.values(n))]
            return stamps[0] if stamps and stamps[0] != self.tags else None
        return None if self.card.date in {self.id, *self.tag_columns} else self.card.date

    @cached_property
    def how(self) -> TagList | None:
        """How a value holds several tags; None if it has one."""
        if self.wishes.layout == "pairs":
            return None
        if self.wishes.pattern is not None:
            return TagList(f"found by {self.wishes.pattern}", pattern=self.wishes.pattern)
        if self.wishes.separator is not None:
            separator = self.wishes.separator.replace("\\t", "\t").replace("\\n", "\n")
            return TagList(f"separated by {self.wishes.separator!r}", separator=separator)
        values = [value for column in self.tag_columns for value in self.sample.values(column)]
        if self.one_hot:
            return None
        if not values:
            raise CorpusError(f"{self.place}: {self.tags} is empty in the first {len(self.sample.records)} rows")
        ignored = REPEATED if self.repeating else 0.0
        found = recognise_list(values, f"{self.place} column {self.tags}", ignored)
        if found is None and len(self.tag_columns) > 1:
            return TagList("one in each")
        return found if found is not None or self.repeating else recognise_spaces(values)

    @cached_property
    def nested(self) -> str | None:
        """What separates the parts of tags that are paths."""
        values = [value for column in self.tag_columns for value in self.sample.values(column)]
        return None if self.one_hot else recognise_paths(values, self.how)

    @cached_property
    def layout(self) -> Literal["list", "pairs"]:
        """Whether a row is a document, or a document with one of its tags."""
        if self.one_hot or self.wishes.layout is not None:
            return "pairs" if self.wishes.layout == "pairs" else "list"
        if self.how is not None:
            clear = self.wishes.separator is not None or any(map(self._numbers_rows, self.ids))
            if self.repeating and self.how.separator is not None and not clear:
                raise self._either_layout(self.how.separator)
            return "list"
        if self.repeating or (not self.sample.complete and self.ids):
            return "pairs"
        example = shortened(self.sample.values(self.tags)[0])
        raise CorpusError(
            f"{self.place}: each row has one tag, such as {example!r}, and no id repeats; say what separates the tags "
            "(--separator ' '), which column has the ids (--id COLUMN), or that it is so (--layout pairs)"
        )

    def _either_layout(self, separator: str) -> CorpusError:
        """That rows may be documents or pairs, with three records of each reading."""
        rows = [
            (record.get(self.repeating[0]), tags)
            for record in self.sample.records
            if separator in (tags := str(record.get(self.tags) or ""))
        ][:SHOWN]
        pairs = " · ".join(f"{name}: {shortened(tags)}" for name, tags in rows)
        lists = " · ".join(f"{name}: {shown_tags(tags.split(separator))}" for name, tags in rows)
        return CorpusError(
            f"{self.place}: {self.repeating[0]} repeats, as with one row for each document and tag, but tags are "
            f"separated by {separator}, as with one document a row; choose:"
            f"\n  --layout pairs: {pairs}\n  --layout list: {lists}"
        )

    @cached_property
    def ids(self) -> list[str]:
        """All columns that may have the id."""
        if self.wishes.id is not None:
            return [named(self.sample.names, self.wishes.id, "--id", self.place)]
        others = [name for name in self.sample.names if name not in self.tag_columns and self.sample.values(name)]
        if self.numbered:
            # Where a pair begins with two numbers, as in MovieLens, the first is the user.
            pair = len(others) > 2 and self.sample.names.index(self.tags) == 2
            return others[1:2] if pair else others[:1]
        things = [name for name in others if not PEOPLE & set(words(name))]
        candidates = id_candidates(things, best_only=False) or id_candidates(others, best_only=False)
        if candidates:
            return candidates
        texts = [name for name in things if not MEASURES & set(words(name)) and name != self.label]
        ending = [name for name in texts if name.lower().endswith("id") and self._numbers_rows(name)]
        if ending:
            return ending[:1]
        return texts if len(texts) == 1 and self.sample.repeated(texts[0]) >= REPEATED else []

    def _numbers_rows(self, name: str) -> bool:
        """Whether every row has a value of its own in a column such as `appid`."""
        return len(self.sample.values(name)) == len(self.sample.records) > 1 and not self.sample.repeated(name)

    @cached_property
    def repeating(self) -> list[str]:
        """Those of them whose values come again in other rows."""
        return [name for name in self.ids if self.sample.repeated(name) >= REPEATED]

    @cached_property
    def id(self) -> str | None:
        """The column of the id; None if documents have none, which a list of documents allows."""
        columns = self.ids
        if self.layout == "pairs":
            columns = self.repeating or columns
            if not columns:
                raise self.no_id()
        elif self.wishes.id is None:
            columns = [name for name in columns if not self.sample.repeated(name) or exact([name], "id")]
        best = columns[:1] if self.numbered or self.wishes.id else id_candidates(columns) or columns[:1]
        if len(best) > 1:
            raise equally_likely(self.place, best, "be the id", "--id", self.sample)
        return best[0] if best else None

    @cached_property
    def card(self) -> RecognisedCard:
        """The columns of title, URL and image."""
        wishes = {key: getattr(self.wishes, key) for key in ("title", "url", "image")}
        if self.numbered:
            return (
                numbered_card(self.sample, self.id, self.tags)
                if not any(wishes.values())
                else recognise_card(self.sample, self.place, wishes, self.tag_columns)
            )
        return recognise_card(self.sample, self.place, wishes, self.tag_columns)

    @cached_property
    def label(self) -> str | None:
        """The column of the class label, if there is one."""
        if self.wishes.label is not None:
            return named(self.sample.names, self.wishes.label, "--label", self.place)
        label = exact(self.sample.names, "label")
        return None if label in self.tag_columns else label
