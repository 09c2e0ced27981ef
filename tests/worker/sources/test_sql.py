"""The same contract on SQLite and on a real PostgreSQL."""

import json
import socket
import sqlite3

import pytest
from sqlalchemy import create_engine, text

from tests.worker import postgres as server
from tests.worker.gathering import gather
from tests.worker.postgres import ENCODED, PASSWORD, required_binaries, running_postgres
from worker.corpora.declaration import Corpus
from worker.corpora.reader import read_documents
from worker.errors import CorpusError, SourceUnavailable
from worker.sources import sql
from worker.sources.declarations import SqlSource
from worker.sources.document import Document, Tally

PAIRS = [("1", "x"), ("2", "y"), ("1", "50% of: ünï"), ("3", None)]


@pytest.fixture(scope="session")
def postgres():
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    """A database with a few pairs and a few lists."""
    address = f"sqlite:///{tmp_path / 'tags.db'}"
    if request.param == "postgres":
        address = request.getfixturevalue("postgres").url()
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text("drop table if exists pairs"))
        connection.execute(text("drop table if exists lists"))
        connection.execute(text("create table pairs (document varchar(20), tag varchar(20))"))
        connection.execute(text("create table lists (document integer, tags text, kind text)"))
        for document, tag in PAIRS:
            connection.execute(text("insert into pairs values (:d, :t)"), {"d": document, "t": tag})
        connection.execute(text("insert into lists values (1, 'x|y', 'k')"))
        connection.execute(text("insert into lists values (2, '', null)"))
    engine.dispose()
    return address


def corpus_of(url, query, **source):
    return Corpus(name="one", source=SqlSource(sql=url, query=query, **source))


def read(corpus):
    tally = Tally()
    return list(read_documents(corpus, tally)), tally


def test_rows_are_pairs_of_document_and_tag(url):
    documents_read, tally = read(corpus_of(url, "select document, tag from pairs"))
    assert sorted(documents_read, key=str) == sorted(
        [Document(document, () if tag is None else (tag,)) for document, tag in PAIRS], key=str
    )
    assert (tally.lines, tally.bad) == (4, 0)


def test_rows_may_be_lists_with_a_label(url):
    corpus = corpus_of(url, "select document, tags, kind from lists order by 1", layout="list", separator="|")
    assert read(corpus)[0] == [Document("1", ("x", "y"), "k"), Document("2", ())]


def test_the_order_of_rows_does_not_change_the_fingerprint(url):
    forwards = read(corpus_of(url, "select document, tag from pairs order by document, tag"))[0]
    backwards = read(corpus_of(url, "select document, tag from pairs order by document desc, tag desc"))[0]
    assert forwards != backwards
    assert gather(forwards, pairs=True).fingerprint == gather(backwards, pairs=True).fingerprint


def test_the_query_is_sent_as_it_is(url):
    documents_read, _ = read(
        corpus_of(url, "select document, tag from pairs where tag like '50% of: %' and tag <> ':x %s'")
    )
    assert documents_read == [Document("1", ("50% of: ünï",))]


def test_bad_rows_are_counted_and_described(url):
    documents_read, tally = read(corpus_of(url, "select document, tags from lists order by 1", layout="list"))
    assert documents_read == [Document("2", ())]
    assert tally.faults == ["row 1: the tags are not a JSON list; a character between them is declared as separator"]
    _, tally = read(corpus_of(url, "select null, tag from pairs"))
    assert (tally.lines, tally.bad) == (4, 4)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select document, tag from nowhere", r"^one: the database says: .*nowhere"),
        ("selecct", r"^one: the database says: .*syntax error"),
        ("select document from pairs", r"^one: source.query gives 1 columns"),
        ("select 1, 2, 3, 4", r"^one: source.query gives 4 columns"),
    ],
)
def test_a_wrong_query_is_told_in_one_line(url, query, message):
    with pytest.raises(CorpusError, match=message) as refused:
        read(corpus_of(url, query))
    assert "\n" not in str(refused.value)


def test_a_query_that_selects_nothing_is_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"gives no rows; it must select|syntax error"):
        read(corpus_of(f"sqlite:///{tmp_path / 'tags.db'}", "create table t (x)"))


def test_variables_of_the_environment_stand_in_the_url(url, monkeypatch):
    monkeypatch.setenv("TAGS_DATABASE", url)
    assert len(read(corpus_of("${TAGS_DATABASE}", "select document, tag from pairs"))[0]) == 4
    monkeypatch.delenv("TAGS_DATABASE")
    with pytest.raises(CorpusError, match="names the environment variable TAGS_DATABASE, which is not set"):
        read(corpus_of("${TAGS_DATABASE}", "select document, tag from pairs"))


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("hunter2", "source.sql is no URL such as"),
        ("postgresql://me:hunter2@host:hunter2/db", "source.sql is no URL such as"),
        ("oracool://me:hunter2@host/db", "names a kind of database unknown here: oracool"),
        (
            "mysql+mysqldb://me:hunter2@host/db",
            r"the driver for mysql\+mysqldb is not installed: No module named 'MySQLdb'",
        ),
        ("sqlite:////no/such/folder/tags.db", "the database says: unable to open database file"),
    ],
)
def test_a_wrong_url_is_told_without_the_password(address, message):
    with pytest.raises(CorpusError, match=message) as refused:
        read(corpus_of(address, "select 1, 2"))
    assert "hunter2" not in str(refused.value)
    assert refused.value.__cause__ is None or "hunter2" not in str(refused.value.__cause__)


def test_a_server_that_does_not_answer_is_a_passing_fault():
    with pytest.raises(SourceUnavailable, match=r"^one: the database says: .*[Cc]onnection refused") as refused:
        read(corpus_of("postgresql+psycopg://me:hunter2@127.0.0.1:1/db", "select 1, 2"))
    assert "\n" not in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_an_unknown_option_in_the_url_is_no_passing_fault():
    with pytest.raises(CorpusError, match=r'^one: the database says: .*"nonsense"'):
        read(corpus_of("postgresql+psycopg://me:hunter2@127.0.0.1:1/db?nonsense=1", "select 1, 2"))


def test_a_locked_sqlite_file_is_a_passing_fault(tmp_path):
    path = tmp_path / "tags.db"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("create table pairs (document, tag)")
    holder.execute("begin exclusive")
    with pytest.raises(SourceUnavailable, match="database is locked"):
        read(corpus_of(f"sqlite:///{path}?timeout=0.1", "select document, tag from pairs"))
    holder.close()


def test_a_wrong_password_is_no_passing_fault_and_not_shown(postgres):
    with pytest.raises(CorpusError, match="password authentication failed") as refused:
        read(corpus_of(postgres.url("hunter2"), "select 1, 2"))
    assert "hunter2" not in str(refused.value)


def test_a_password_in_a_message_of_the_database_is_blotted_out(postgres):
    with pytest.raises(CorpusError, match=r"\*\*\*") as refused:
        read(corpus_of(postgres.url(), f"select cast('{PASSWORD}' as integer), 2"))
    assert PASSWORD not in str(refused.value)
    assert ENCODED not in str(refused.value)


def test_arrays_and_uuids_of_postgres_are_lists_and_ids(postgres):
    name = "12345678-1234-5678-1234-567812345678"
    query = f"select '{name}'::uuid, array['x', 'y'] union all select null, null"
    documents_read, tally = read(corpus_of(postgres.url(), query, layout="list"))
    assert documents_read == [Document(name, ("x", "y"))]
    assert tally.faults == ["row 2: no document id"]
    documents_read, _ = read(corpus_of(postgres.url(), f"select 1, '{json.dumps(['x'])}'::jsonb", layout="list"))
    assert documents_read == [Document("1", ("x",))]


def test_a_connection_lost_while_reading_is_a_passing_fault(postgres):
    reading = read_documents(corpus_of(postgres.url(), "select i, 'x' from generate_series(1, 100000) i"), Tally())
    next(reading)
    engine = create_engine(postgres.url(), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        others = "pid <> pg_backend_pid() and usename = 'postgres'"
        connection.execute(text(f"select pg_terminate_backend(pid) from pg_stat_activity where {others}"))  # noqa: S608
    engine.dispose()
    with pytest.raises(SourceUnavailable, match=r"^one: the database says: "):
        list(reading)


def test_a_missing_server_fails_under_ci_and_is_told_elsewhere(monkeypatch):
    monkeypatch.setattr(server, "binaries", lambda: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="needs postgresql"):
        required_binaries()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="needs postgresql"):
        required_binaries()


def test_a_database_that_accepts_and_says_nothing_is_given_up(monkeypatch):
    """Otherwise the run waits for its time limit, and every other corpus with it."""
    monkeypatch.setitem(sql.CONNECT_ARGUMENTS, "psycopg", {"connect_timeout": 2})
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql+psycopg://user@127.0.0.1:{silent.getsockname()[1]}/database"
        with pytest.raises(SourceUnavailable, match="timeout"), sql.query_rows(url, "select 1, 'x'", "small"):
            pass
