"""Reads documents from a database. Its password never appears in a message."""

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, quote_plus

from sqlalchemy import URL, Engine, Inspector, NullPool, Select, String, create_engine, inspect, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.types import NullType

from worker.errors import CorpusError, SourceUnavailable
from worker.sources.card_fields import CardParser
from worker.sources.declarations import SqlSource
from worker.sources.document import Document, Tally
from worker.sources.tag_values import WEIGHTS

BATCH: Final = 1000
"""Rows fetched at once."""

CONNECT_SECONDS: Final = 15
"""How long a database may take to accept a connection, signing in included."""

CONNECT_ARGUMENTS: Final = {
    "psycopg": {"connect_timeout": CONNECT_SECONDS},
    "psycopg2": {"connect_timeout": CONNECT_SECONDS},
    "pymysql": {"connect_timeout": CONNECT_SECONDS},
    "mysqldb": {"connect_timeout": CONNECT_SECONDS},
}
"""How each driver is told so. A parameter of the URL, such as ?connect_timeout=60, overrules it."""

TRANSIENT_STATES: Final = ("08", "40", "53", "57P", "58")
"""Prefixes of SQLSTATE for transient faults: lost connections, conflicts, lack of resources, restarts, I/O."""

TRANSIENT_SQLITE: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}

REFUSALS: Final = ("authentication failed", "does not exist", "pg_hba.conf", "Access denied", "Unknown database")
"""Texts of a server that refuses the connection for good; drivers give no error code while connecting."""


@dataclass(frozen=True)
class DatabaseTable:
    """A table or view as the database describes it."""

    name: str
    columns: dict[str, bool]
    """Their names, and whether they may hold text."""

    key: tuple[str, ...]
    """The columns of the primary key."""

    references: dict[str, tuple[str, str]]
    """By column: the table and column that a foreign key of this column alone refers to."""


@dataclass(frozen=True)
class RowPlaces:
    """The positions of the class label, the card and the weight in a row; id and tags are the first two."""

    label: int | None
    card: CardParser | None
    weight: int | None = None


def sql_documents(source: SqlSource, corpus: str, tally: Tally, *, cards: bool) -> Iterator[Document]:
    """The rows of the query as documents: id, tag or tags, and by name a label and what a card shows."""
    parser = source.parser
    with query_rows(source.sql, source.query, corpus) as (titles, rows):
        places = _row_places(source, titles, corpus, cards=cards)
        for row in rows:
            tally.lines += 1
            try:
                label = None if places.label is None else row[places.label]
                card = None if places.card is None else places.card.parse(row.__getitem__, tally)
                weight = None if places.weight is None else row[places.weight]
                document = parser.parse(row[0], row[1], label, card, weight)
            except ValueError as error:
                tally.pass_over(f"row {tally.lines}", error)
            else:
                yield document


@contextmanager
def query_rows(declared: str, query: str, corpus: str) -> Iterator[tuple[list[str], Iterator[Any]]]:
    """The names of the columns of a query, and its rows as a stream."""
    url = _fill_url(declared, corpus)
    engine = _create_engine(url, corpus)
    with _translate_errors(url, corpus, connecting=True):
        connection = engine.connect()
    with connection, _translate_errors(url, corpus, connecting=False):
        streaming = connection.execution_options(stream_results=True, yield_per=BATCH, no_parameters=True)
        with streaming.exec_driver_sql(query) as result:
            if not result.returns_rows:
                raise CorpusError(f"{corpus}: source.query gives no rows; it must select document and tag")
            yield list(result.keys()), iter(result)


def database_tables(declared: str, corpus: str) -> dict[str, DatabaseTable]:
    """Every table of a database by its name, and every view that can be read here."""
    url = _fill_url(declared, corpus)
    engine = _create_engine(url, corpus)
    with _translate_errors(url, corpus, connecting=True):
        inspector = inspect(engine)
        tables = {name: _inspected(inspector, name) for name in inspector.get_table_names()}
        for view in inspector.get_view_names():
            with suppress(OperationalError):  # it may need functions of the program that owns the database
                tables[view] = _inspected(inspector, view)
        return tables


def _inspected(inspector: Inspector, name: str) -> DatabaseTable:
    columns = {column["name"]: isinstance(column["type"], String | NullType) for column in inspector.get_columns(name)}
    references = {
        key["constrained_columns"][0]: (key["referred_table"], key["referred_columns"][0])
        for key in inspector.get_foreign_keys(name)
        if len(key["constrained_columns"]) == len(key["referred_columns"]) == 1
    }
    return DatabaseTable(name, columns, tuple(inspector.get_pk_constraint(name)["constrained_columns"]), references)


def statement_text(declared: str, statement: Select[Any], corpus: str) -> str:
    """A statement in the SQL of a database."""
    dialect = _create_engine(_fill_url(declared, corpus), corpus).dialect
    return str(statement.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))


def quote_names(declared: str, names: Iterable[str], corpus: str) -> list[str]:
    """Names of tables or columns as the SQL of a database quotes them."""
    quote_name = _create_engine(_fill_url(declared, corpus), corpus).dialect.identifier_preparer.quote_identifier
    return [quote_name(name) for name in names]


def _fill_url(declared: str, corpus: str) -> URL:
    """The declared URL with its environment variables filled in."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise CorpusError(f"{corpus}: source.sql names the environment variable {match[1]}, which is not set")
        return os.environ[match[1]]

    filled = re.sub(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", value, declared)
    try:
        return make_url(filled)
    except (ArgumentError, ValueError):  # its message may contain the password
        raise CorpusError(f"{corpus}: source.sql is no URL such as postgresql+psycopg://user@host/database") from None


def _create_engine(url: URL, corpus: str) -> Engine:
    try:
        arguments = CONNECT_ARGUMENTS.get(url.get_driver_name(), {})
        unset = {name: value for name, value in arguments.items() if name not in url.query}
        return create_engine(url, poolclass=NullPool, connect_args=unset)
    except NoSuchModuleError:
        raise CorpusError(f"{corpus}: source.sql names a kind of database unknown here: {url.drivername}") from None
    except ImportError as error:
        raise CorpusError(f"{corpus}: the driver for {url.drivername} is not installed: {error}") from error
    except (SQLAlchemyError, ValueError, TypeError) as error:
        raise CorpusError(f"{corpus}: source.sql: {_hide_secrets(str(error), url)}") from None


def _row_places(source: SqlSource, titles: list[str], corpus: str, *, cards: bool) -> RowPlaces:
    """Where a row has its values: the first two by position, the others by name. A third of no known name is the label.

    Raises:
        CorpusError: a declared column is missing, or one is left whose meaning nobody declared.
    """
    card, names = source.card_fields, titles[2:]
    for title in (source.label, *card.declared):
        if title is not None and title not in names:
            raise CorpusError(f'{corpus}: source.query gives no column "{title}" after the first two')
    weight = next((name for name in WEIGHTS if name in names), None) if source.weights else None
    known = {source.label or "label", "title", "url", "image", "text", weight, *card.declared}
    unknown = [name for name in names if name not in known]
    label = source.label or "label"
    if unknown and label not in names and unknown[0] == names[0]:
        label = unknown.pop(0)
    if len(titles) < 2 or unknown:
        others = f" (unknown: {', '.join(unknown)})" if unknown else ""
        raise CorpusError(
            f"{corpus}: source.query gives {len(titles)} columns{others}; it must give document and tag, and may give"
            " label, title, url, image, text and declared fields"
        )
    parser = card.by_column([None, None, *names]) if cards else None
    return RowPlaces(
        titles.index(label, 2) if label in names else None,
        parser,
        None if weight is None else titles.index(weight, 2),
    )


@contextmanager
def _translate_errors(url: URL, corpus: str, *, connecting: bool) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        message = f"{corpus}: the database says: {_hide_secrets(' '.join(str(cause).split()), url)}"
        if isinstance(error, DBAPIError) and _is_transient(error, connecting=connecting):
            raise SourceUnavailable(message) from None
        raise CorpusError(message) from None


def _is_transient(error: DBAPIError, *, connecting: bool) -> bool:
    """Whether the same request may work later."""
    if error.connection_invalidated:
        return True
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in TRANSIENT_SQLITE  # the higher bits distinguish variants
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(TRANSIENT_STATES)
    refused = any(refusal in str(error.orig) for refusal in REFUSALS)
    return connecting and isinstance(error, OperationalError | InterfaceError) and not refused


def _hide_secrets(message: str, url: URL) -> str:
    """A driver's message without the password, plain or URL-quoted."""
    secrets = {str(url.password or ""), *(str(value) for key, value in url.query.items() if "pass" in key.lower())}
    for secret in sorted(secrets - {""}):
        for text in (secret, quote(secret, safe=""), quote_plus(secret)):
            message = message.replace(text, "***")
    return message
