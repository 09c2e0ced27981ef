"""Finds the query for a database without one: the table that has tags."""

from worker.errors import CorpusError
from worker.recognition.columns import listed_names, tag_candidates
from worker.sources.sql import quote_names, table_columns


def database_query(url: str, target: str, name: str, wanted: str | None) -> str:
    """The query of the user, or one for the only table with a column of tags; CorpusError with the tables."""
    if wanted is not None:
        return wanted
    tables = table_columns(url, name)
    if not tables:
        raise CorpusError(f"{target}: has no tables")
    tagged = [table for table, columns in tables.items() if tag_candidates(columns)]
    likely = tagged or list(tables)
    if len(likely) == 1:
        (table,) = quote_names(url, likely, name)
        return f"select * from {table}"  # noqa: S608 - a table that the database lists
    described = "; ".join(f"{table} ({listed_names(tables[table])})" for table in likely[:8])
    example = f"--query 'select id, tags from {likely[0]}'"  # noqa: S608 - only shown
    raise CorpusError(f"{target}: say which documents and tags: {example}; its tables are {described}")
