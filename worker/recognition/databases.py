"""Finds the query for a database without one: the table that has tags, or the join of those that have them together."""

from collections.abc import Mapping
from dataclasses import dataclass

from worker.errors import CorpusError
from worker.recognition.columns import listed_names, shell_word, tag_candidates
from worker.recognition.joins import UNLIKELY, Join, JoinFinder
from worker.sources.sql import DatabaseTable, database_tables, quote_names, statement_text


@dataclass(frozen=True)
class DatabaseQuery:
    """What to select, and the join that it makes if Cotag found one."""

    text: str
    join: Join | None = None


def database_query(url: str, target: str, name: str, wanted: str | None, *, tags_known: bool) -> DatabaseQuery:
    """The query of the user, or the only one that gives documents with tags; CorpusError with those to choose from."""
    if wanted is not None:
        return DatabaseQuery(wanted)
    tables = database_tables(url, name)
    if not tables:
        raise CorpusError(f"{target}: has no tables")
    finder = JoinFinder(url, name, tables)
    joins = [] if tags_known else finder.joins()
    tagged = [table for table in tables.values() if tag_candidates(list(table.columns))]
    if tagged and joins and joins[0].rank[0] == UNLIKELY:
        joins = []
    if len(joins) == 1 and joins[0].rank[0] < UNLIKELY:
        return DatabaseQuery(statement_text(url, joins[0].statement(), name), joins[0])
    if joins:
        raise _several(finder, joins, target)
    likely = tagged or list(tables.values())
    if len(likely) == 1:
        return DatabaseQuery(_whole(url, likely[0], name))
    raise _undecided(url, target, name, likely, tables)


def _several(finder: JoinFinder, joins: list[Join], target: str) -> CorpusError:
    """That several joins are equally likely, with the query of each and three records."""
    readings = ""
    for join in joins[:4]:
        query = " ".join(statement_text(finder.url, join.statement([]), finder.corpus).split())
        readings += f"\n  --layout pairs --query {shell_word(query)}: " + " · ".join(finder.records(join))
    return CorpusError(f"{target}: the tags may be in several tables; choose one:{readings}")


def _undecided(
    url: str, target: str, name: str, likely: list[DatabaseTable], tables: Mapping[str, DatabaseTable]
) -> CorpusError:
    """That the user must say what to select; with a query that works if any table has tags."""
    described = "; ".join(f"{table.name} ({listed_names(list(table.columns))})" for table in likely[:8])
    has_tags = any(tag_candidates(list(table.columns)) for table in tables.values())
    example = f"--query {shell_word(_whole(url, likely[0], name))}" if has_tags else "--query SQL"
    return CorpusError(f"{target}: say which documents and tags: {example}; its tables are {described}")


def _whole(url: str, table: DatabaseTable, name: str) -> str:
    (quoted,) = quote_names(url, [table.name], name)
    return f"select * from {quoted}"  # noqa: S608 - a table that the database lists
