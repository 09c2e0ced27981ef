"""Finds how the tables of a database join documents with their tags: by foreign keys, or by names and contents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from sqlalchemy import Select, column, select, table

from worker.recognition.columns import MEASURES, PEOPLE, TAG_NAMES, exact, tag_candidates, words
from worker.sources.sql import DatabaseTable, query_rows, statement_text

NAMES: Final = ("name", "tag", "label", "keyword", "title", "term", "text", "value")
"""What the column with the text of a tag is called, likelier names first."""

GENERAL: Final = {"object", "taggable", "item", "entity", "content", "record", "target"}
"""Words of names such as `object_id`: documents of any kind."""

VALUES: Final = 1000
"""Values of a column that are looked up where no foreign key says what they refer to."""

WIDEST: Final = 8
"""Columns of the widest table that may hold pairs."""

UNLIKELY: Final = len(TAG_NAMES)
"""The first number of the rank of a join if no name says which of two tables has the tags."""

MOST: Final = 0.9
"""The share of them that must be found. A row whose document was deleted is common."""


@dataclass(frozen=True)
class Reference:
    """A column of one table that holds the key of another."""

    column: str
    table: str
    key: str


@dataclass(frozen=True)
class Join:
    """The table of the documents, and how their tags are found."""

    documents: DatabaseTable
    pairs: str
    """The table with a row for each document and tag."""

    to_document: Reference
    to_tag: Reference | None
    """None if the pairs hold the text of the tag."""

    name: str
    """The column with the text of the tag."""

    rank: tuple[int, ...]
    """How likely the table of the tags is one, by its name, and whether it has another for the pairs; least first."""

    @property
    def tag(self) -> str:
        """What the query calls the tag: no column of the documents is called so."""
        return next(name for name in ("tag", "tag_name", "name_of_tag") if name not in self.documents.columns)

    def statement(self, columns: Sequence[str] | None = None) -> Select[Any]:
        """Selects the key, the tag, and these columns of the documents, or all."""
        others = [name for name in self.documents.columns if name != self.to_document.key]
        documents = _table(self.documents.name, self.to_document.key, *others)
        pairs = _table(
            self.pairs, self.to_document.column, self.to_tag.column if self.to_tag is not None else self.name
        )
        joined = documents.outerjoin(pairs, pairs.c[self.to_document.column] == documents.c[self.to_document.key])
        tag = pairs.c.get(self.name)
        if self.to_tag is not None:
            tags = _table(self.to_tag.table, self.to_tag.key, self.name)
            joined = joined.outerjoin(tags, tags.c[self.to_tag.key] == pairs.c[self.to_tag.column])
            tag = tags.c[self.name]
        wanted = [documents.c[name] for name in (others if columns is None else columns) if name in others]
        return select(documents.c[self.to_document.key], tag.label(self.tag), *wanted).select_from(joined)

    @property
    def words(self) -> str:
        """The join as a description says it."""
        if self.to_tag is None:
            return f"{self.documents.name} with its tags in {self.pairs}"
        return f"{self.documents.name} with {self.to_tag.table} by {self.pairs}"


@dataclass(frozen=True)
class JoinFinder:
    """Looks for joins in the tables of a database."""

    url: str
    corpus: str
    tables: Mapping[str, DatabaseTable]

    def joins(self) -> list[Join]:
        """The joins that are equally likely: those to the tables that are likeliest to hold tags."""
        every = [join for pairs in self.tables.values() for join in self._joins_of(pairs)]
        best = min((join.rank for join in every), default=())
        return [join for join in every if join.rank == best]

    def _joins_of(self, pairs: DatabaseTable) -> Iterator[Join]:
        """Every way in which a table may hold the pairs of document and tag."""
        if not _is_link(pairs):
            return
        references = self._references(pairs)
        tags = [each for each in references if _rank(each.table) is not None]
        documents = [each for each in references if each not in tags]
        named = [each for each in documents if not PEOPLE & {word.removesuffix("s") for word in words(each.table)}]
        text = None if tags else self._tag_text(pairs)
        for document in named if text is not None else named or documents:
            if text is not None:
                yield Join(self.tables[document.table], pairs.name, document, None, text, (_rank(pairs.name) or 0, 1))
                continue
            for tag in tags or [each for each in documents if each.table != document.table]:
                rank = _rank(tag.table)
                name = self._name(self.tables[tag.table])
                if name is not None:
                    level = UNLIKELY if rank is None else rank
                    yield Join(self.tables[document.table], pairs.name, document, tag, name, (level, 0))

    def _references(self, pairs: DatabaseTable) -> list[Reference]:
        """What the columns of a table of pairs refer to: by foreign keys, by names, or where both fail by values."""
        found = [self._reference(pairs, name) for name in pairs.columns]
        references = [each for each in found if each is not None and each.table != pairs.name]
        kind = self._any_document(pairs, references)
        if kind is not None:
            return [each for each in references if _rank(each.table) is not None] + [kind]
        if pairs.references or any(_rank(each.table) is None for each in references):
            return references
        if not references and _rank(pairs.name) is None:
            return []
        known = {each.column for each in references}
        rest = [name for name, text in pairs.columns.items() if name not in {*known, *pairs.key} and not text]
        by_values = [self._by_values(pairs, name) for name in rest if not MEASURES & set(words(name))]
        return references + [each for each in by_values if each is not None]

    def _any_document(self, pairs: DatabaseTable, references: Sequence[Reference]) -> Reference | None:
        """What a column such as `object_id` refers to, if one table alone has its values.

        Tables of pairs for documents of any kind have it beside a column that names the kind.
        """
        known = {each.column for each in references}
        names = [name for name in pairs.columns if name not in known and words(name)[:1] and words(name)[-1] == "id"]
        general = [name for name in names if words(name)[0] in GENERAL]
        kinds = [name for name in pairs.columns if "type" in words(name)]
        return self._by_values(pairs, general[0]) if len(general) == 1 and kinds else None

    def _tag_text(self, pairs: DatabaseTable) -> str | None:
        """The column with the text of a tag in a table of pairs."""
        texts = [name for name, text in pairs.columns.items() if text and name not in pairs.references]
        candidates = tag_candidates(texts)
        if len(candidates) == 1:
            return candidates[0]
        return exact(texts, *NAMES) if _rank(pairs.name) is not None else None

    def _name(self, tags: DatabaseTable) -> str | None:
        """The column with the text of a tag in a table of tags."""
        texts = [name for name, text in tags.columns.items() if text and name not in tags.key]
        return exact(texts, *NAMES, " ".join(words(tags.name))) or (texts[0] if len(texts) == 1 else None)

    def _reference(self, holder: DatabaseTable, name: str) -> Reference | None:
        """What a column refers to by its foreign key, or by its name if the values agree."""
        if name in holder.references:
            referred, key = holder.references[name]
            return Reference(name, referred, key) if referred in self.tables else None
        called = [] if holder.references else self._called(holder, name)
        values = self._values(holder, name) if called else set()
        return next(
            (Reference(name, each.name, _key(each) or "") for each in called if self._holds(each, values)), None
        )

    def _by_values(self, holder: DatabaseTable, name: str) -> Reference | None:
        """The only table whose key has the values of a column."""
        values = self._values(holder, name)
        others = [each for each in self.tables.values() if each is not holder and _rank(each.name) is None]
        having = [each for each in others if self._holds(each, values)]
        return Reference(name, having[0].name, _key(having[0]) or "") if len(having) == 1 else None

    def _called(self, holder: DatabaseTable, name: str) -> list[DatabaseTable]:
        """The tables that a column such as `post_id` names, the same word before one with a prefix."""
        wanted = [short for word in words(name) if (short := word.removesuffix("id")) and short != "key"]
        if not wanted:
            return []
        ends = [
            each
            for each in self.tables.values()
            if each is not holder and _same_words(words(each.name)[-len(wanted) :], wanted)
        ]
        return sorted(ends, key=lambda each: len(words(each.name)))

    def _values(self, holder: DatabaseTable, name: str) -> set[Any]:
        statement: Select[Any] = select(column(name)).select_from(table(holder.name)).limit(VALUES)
        return {value for value in self._column(statement) if value is not None}

    def _holds(self, referred: DatabaseTable, values: set[Any]) -> bool:
        """Whether the key of a table has most of these values."""
        key = _key(referred)
        if key is None or not values:
            return False
        statement: Select[Any] = (
            select(column(key)).select_from(table(referred.name)).where(column(key).in_(sorted(values, key=str)))
        )
        found = values & set(self._column(statement))
        return len(found) >= MOST * len(values)

    def _column(self, statement: Select[Any]) -> list[Any]:
        with query_rows(self.url, statement_text(self.url, statement, self.corpus), self.corpus) as (_, rows):
            return [row[0] for row in rows]

    def records(self, join: Join, count: int = 3) -> list[str]:
        """The first documents of a reading with a tag each."""
        query = statement_text(self.url, join.statement([]).limit(50 * count), self.corpus)
        with query_rows(self.url, query, self.corpus) as (_, rows):
            tagged = (f"{row[0]}: {row[1]}" for row in rows if row[1] is not None)
            return list(islice(tagged, count))


def _table(name: str, *columns: str) -> Any:
    return table(name, *(column(each) for each in columns))


def _rank(name: str) -> int | None:
    """How likely a table holds tags, by the last word of its name: 0 is likeliest, None unlikely."""
    last = words(name)[-1:]
    return next((rank for rank, (_, accepted) in enumerate(TAG_NAMES) if accepted & set(last)), None)


def _is_link(pairs: DatabaseTable) -> bool:
    """Whether a table is narrow enough to hold nothing but pairs, and a few facts about them."""
    return 2 <= len(pairs.columns) <= WIDEST


def _key(referred: DatabaseTable) -> str | None:
    """The column that other tables refer to."""
    if len(referred.key) == 1:
        return referred.key[0]
    singular = " ".join(words(referred.name))
    return exact(list(referred.columns), "id", f"{singular} id", f"{singular.removesuffix('s')} id", "key")


def _same_words(left: Sequence[str], right: Sequence[str]) -> bool:
    return len(left) == len(right) and all(_same(one, other) for one, other in zip(left, right, strict=True))


def _same(one: str, other: str) -> bool:
    """Whether two words are the same but for a plural."""
    shorter, longer = sorted((one, other), key=len)
    return longer in {shorter, f"{shorter}s", f"{shorter}es", f"{shorter[:-1]}ies"}
