"""A PostgreSQL server that dies in the middle of reading: the run fails for now, and what is served stays."""

from itertools import islice

import pytest
from sqlalchemy import create_engine, text

from snapshot import SnapshotStore
from tests.conftest import topic_documents
from tests.worker.postgres import running_postgres
from worker.corpora import reader
from worker.corpora.declaration import Corpus
from worker.corpora.reader import read_documents
from worker.errors import SourceUnavailable
from worker.runs import job
from worker.sources.declarations import SqlSource
from worker.sources.document import Tally

COPIES = 400
"""So many times the documents of the topics, so that the server is still sending when it dies."""


@pytest.fixture
def server():
    with running_postgres() as running:
        engine = create_engine(running.url())
        with engine.begin() as connection:
            connection.execute(text("create table pairs (document text, tag text)"))
            rows = [{"d": each["id"], "t": tag} for each in topic_documents() for tag in each["tags"]]
            connection.execute(text("insert into pairs values (:d, :t)"), rows)
        engine.dispose()
        yield running


def declared(server, copies=1):
    query = f"select document || '-' || copy, tag from pairs, generate_series(1, {copies}) copy"  # noqa: S608
    return Corpus(name="dying", source=SqlSource(sql=server.url(), query=query))


def test_a_server_that_dies_while_rows_come_is_away_for_now(server):
    rows = iter(read_documents(declared(server, COPIES), Tally()))
    assert len(list(islice(rows, 10))) == 10
    server.stop()
    try:
        with pytest.raises(SourceUnavailable, match="dying: the database says"):
            for _ in rows:
                pass
    finally:
        server.start()


def test_a_run_whose_database_dies_leaves_what_is_served(server, redis, monkeypatch):
    store = SnapshotStore(redis)
    first = job.run(declared(server), redis, "job-1")["version"]

    def dying(source, corpus, tally, **options):
        for number, document in enumerate(sql_documents(source, corpus, tally, **options)):
            if number == 10:
                server.stop()
            yield document

    sql_documents = reader.sql_documents
    monkeypatch.setattr(reader, "sql_documents", dying)
    try:
        outcome = job.run(declared(server, COPIES), redis, "job-2")
    finally:
        server.start()
    assert (outcome["state"], outcome["transient"]) == ("failed", True)  # so the scheduler tries again
    assert store.current("dying") == first
    monkeypatch.setattr(reader, "sql_documents", sql_documents)
    assert job.run(declared(server, 2), redis, "job-3")["state"] == "done"
    assert store.current("dying") > first
