"""Recognises a source: format, columns, layout and separator, with the wishes of the user before any guess."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from worker.errors import CorpusError
from worker.recognition.cards import RecognisedCard, recognise_card
from worker.recognition.columns import equally_likely, exact, id_candidates, listed, named, shell_word, tag_candidates
from worker.recognition.databases import database_query
from worker.recognition.sampling import Sample, is_sqlite, sample_file, sample_query
from worker.recognition.tag_lists import TagList, list_likeness, recognise_list, shortened
from worker.sources.sql import quote_names

REPEATED: Final = 0.1
"""If this share of the rows repeats an id, the rows are pairs of document and tag."""

FORMAT_NAMES: Final = {"csv": "CSV", "tsv": "TSV", "json": "a JSON array", "jsonl": "JSON Lines", "parquet": "Parquet"}
DELIMITER_NAMES: Final = {";": "semicolons", ",": "commas", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Wishes:
    """What the user says about a source; None where Cotag should find out."""

    id: str | None = None
    tags: str | None = None
    label: str | None = None
    separator: str | None = None
    pattern: str | None = None
    layout: Literal["list", "pairs"] | None = None
    title: str | None = None
    url: str | None = None
    image: str | None = None
    query: str | None = None


@dataclass(frozen=True)
class Recognised:
    """How to read a source: the keys of its declaration, and the same in words."""

    source: dict[str, Any]
    description: str
    files: Path | None = None
    """The file that the declaration names; None for a database."""


def recognise(target: str, name: str, wishes: Wishes) -> Recognised:
    """How to read a file, a SQLite file or the URL of a database; CorpusError if it cannot be told."""
    path = Path(target)
    if "://" in target:
        return _of_database(target, name, name, wishes)  # messages do not repeat a URL, which may have a password
    if not path.is_file():
        raise CorpusError(f"{target} is not a file" + (" but a folder; name its files" if path.is_dir() else ""))
    if is_sqlite(path):
        return _of_database(f"sqlite:///{path.resolve()}", target, name, wishes)
    if wishes.query is not None:
        raise CorpusError(f"{target}: --query belongs to a SQLite file or the URL of a database")
    sample = sample_file(path)
    reader = _Reader.of(sample, target, wishes)
    kind = FORMAT_NAMES[sample.format]
    if "delimiter" in sample.source:
        kind += f" with {DELIMITER_NAMES[sample.source['delimiter']]} between the columns"
    return Recognised(sample.source | reader.keys(), f"{kind}, {reader.words()}", path)


def _of_database(url: str, place: str, name: str, wishes: Wishes) -> Recognised:
    query = database_query(url, place, name, wishes.query)
    sample = sample_query(url, query, name)
    reader = _Reader.of(sample, place, wishes)
    keys = reader.keys()
    if "id" not in keys:
        raise reader.no_id()
    columns = [keys.pop("id"), keys.pop("tags")]
    columns += [keys[key] for key in ("label", "title", "url", "image") if keys.get(key)]
    columns = list(dict.fromkeys(columns))
    if list(sample.names) != columns:
        quoted = ", ".join(quote_names(url, columns, name))
        query = f"select {quoted} from ({query.strip().rstrip(';')}) as documents"  # noqa: S608 - the user's own
    return Recognised({"sql": url, "query": query, "layout": "list"} | keys, f"a database, {reader.words()}")


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
        numbered = sample.titled and (wishes.tags or "").isdigit() and wishes.tags not in sample.names
        sample = sample.untitled() if numbered else sample
        if not sample.records:
            raise CorpusError(f"{place}: has column titles but no rows" if sample.titled else f"{place}: has no rows")
        return cls(sample, place, wishes, numbered)

    def keys(self) -> dict[str, Any]:
        """The keys of the declaration."""
        keys: dict[str, Any] = {"layout": "pairs"} if self.layout == "pairs" else {}
        columns = {"id": self.id, "tags": self.tags, "label": self.label, **self.card.columns}
        for key, column in columns.items():
            if column is not None:
                keys[key] = int(column) if self.numbered and column is not False else column
        if self.numbered:
            keys["header"] = False
        if self.layout == "list" and self.how is not None:
            keys |= {key: value for key in ("separator", "pattern") if (value := getattr(self.how, key)) is not None}
        return keys

    def words(self) -> str:
        """The same in words."""
        row = "one row for each document and tag" if self.layout == "pairs" else "one document a row"
        held = f" ({self.how.description})" if self.layout == "list" and self.how is not None else ""
        ids = f"ids from {self.id}" if self.id else "ids by line number"
        labels = f", class labels from {self.label}" if self.label else ""
        return f"{row}: tags from {self.tags}{held}, {ids}{labels}{self.card.words}"

    def no_id(self) -> CorpusError:
        """That there is no id where one is needed."""
        columns = listed(self.sample.names)
        return CorpusError(f"{self.place}: no column looks like an id ({columns}); say which: --id COLUMN")

    @cached_property
    def tags(self) -> str:
        """The column of the tags."""
        if self.wishes.tags is not None:
            return named(self.sample.names, self.wishes.tags, "--tags", self.place)
        candidates = tag_candidates(self.sample.names)
        if len(candidates) > 1:
            raise equally_likely(self.place, candidates, "hold the tags", "--tags")
        if candidates:
            return candidates[0]
        likeness = {name: list_likeness(self.sample.values(name)) for name in self.sample.names if name}
        best = max(likeness, key=lambda name: likeness[name], default="")
        hint = f"perhaps --tags {shell_word(best)}" if likeness.get(best, 0) >= 0.5 else "--tags COLUMN"
        titles = "; if the first row has no titles, by number: --tags 2 --id 1" if self.sample.titled else ""
        columns = listed(self.sample.names)
        raise CorpusError(f"{self.place}: no column is called tags ({columns}); say which one: {hint}{titles}")

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
        values = self.sample.values(self.tags)
        if not values:
            raise CorpusError(f"{self.place}: {self.tags} is empty in the first {len(self.sample.records)} rows")
        ignored = REPEATED if self.repeating else 0.0
        return recognise_list(values, f"{self.place} column {self.tags}", ignored)

    @cached_property
    def layout(self) -> Literal["list", "pairs"]:
        """Whether a row is a document, or a document with one of its tags."""
        if self.wishes.layout is not None:
            return self.wishes.layout
        if self.how is not None:
            if self.repeating and self.how.separator is not None and self.wishes.separator is None:
                raise CorpusError(
                    f"{self.place}: {self.repeating[0]} repeats, as with one row for each document and tag, but "
                    f"tags are {self.how.description}, as with one document a row; "
                    "choose: --layout pairs or --layout list"
                )
            return "list"
        if self.repeating or (not self.sample.complete and self.ids):
            return "pairs"
        example = shortened(self.sample.values(self.tags)[0])
        raise CorpusError(
            f"{self.place}: each row has one tag, such as {example!r}, and no id repeats; say what separates the tags "
            "(--separator ' '), or which column has the ids (--id COLUMN)"
        )

    @cached_property
    def ids(self) -> list[str]:
        """All columns that may have the id."""
        if self.wishes.id is not None:
            return [named(self.sample.names, self.wishes.id, "--id", self.place)]
        others = [name for name in self.sample.names if name != self.tags]
        return others[:1] if self.numbered else id_candidates(others, best_only=False)

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
        best = columns[:1] if self.numbered or self.wishes.id else id_candidates(columns)
        if len(best) > 1:
            raise equally_likely(self.place, best, "be the id", "--id")
        return best[0] if best else None

    @cached_property
    def card(self) -> RecognisedCard:
        """The columns of title, URL and image."""
        wishes = {key: getattr(self.wishes, key) for key in ("title", "url", "image")}
        return recognise_card(self.sample, self.place, wishes)

    @cached_property
    def label(self) -> str | None:
        """The column of the class label, if there is one."""
        if self.wishes.label is not None:
            return named(self.sample.names, self.wishes.label, "--label", self.place)
        label = exact(self.sample.names, "label")
        return None if label == self.tags else label
