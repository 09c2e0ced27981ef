"""Corpora that watch their files run again when these change, once they have settled."""

import os
import sqlite3
import time

from tests.clock import Clock
from tests.conftest import topic_documents, write_jsonl
from tests.corpora import read_corpora
from tests.worker.runs.test_schedule import finish
from worker.runs.file_watch import SETTLED_SECONDS, files_state
from worker.runs.scheduler import Scheduler


def declare(folder, *lines):
    write_jsonl(folder / "topics.jsonl", topic_documents(20))
    file = folder / "corpora.toml"
    file.write_text("\n".join(["[corpora.topics]", 'source = "topics.jsonl"', *lines]))
    return file


def touch(path, at):
    os.utime(path, (at, at))


def test_a_changed_file_is_queued_once_when_it_has_settled(redis, tmp_path):
    clock = Clock(1_000_000.0)
    file = declare(tmp_path, "watch = true")
    touch(tmp_path / "topics.jsonl", clock.now - 60)
    scheduler = Scheduler(redis, file, clock)
    assert scheduler.tick() == ["topics"]
    finish(redis, clock)
    assert scheduler.tick() == []
    touch(tmp_path / "topics.jsonl", clock.now)
    assert scheduler.tick() == [], "it may still be written"
    clock.now += SETTLED_SECONDS
    assert scheduler.tick() == ["topics"]
    finish(redis, clock)
    assert scheduler.tick() == []


def test_a_change_is_found_by_the_next_scheduler_too(redis, tmp_path):
    clock = Clock(1_000_000.0)
    file = declare(tmp_path, "watch = true")
    touch(tmp_path / "topics.jsonl", clock.now - 60)
    Scheduler(redis, file, clock).tick()
    finish(redis, clock)
    touch(tmp_path / "topics.jsonl", clock.now - 30)
    assert Scheduler(redis, file, clock).tick() == ["topics"]


def test_without_watch_or_without_the_file_nothing_is_queued(redis, tmp_path):
    clock = Clock(1_000_000.0)
    file = declare(tmp_path)
    scheduler = Scheduler(redis, file, clock)
    scheduler.tick()
    finish(redis, clock)
    touch(tmp_path / "topics.jsonl", clock.now - 30)
    assert scheduler.tick() == []
    file = declare(tmp_path, "watch = true")
    corpus = read_corpora(file)["topics"]
    (tmp_path / "topics.jsonl").unlink()
    assert files_state(corpus) == ""


def test_the_file_of_a_sqlite_database_is_watched(tmp_path):
    database = tmp_path / "d.db"
    with sqlite3.connect(database) as connection:
        connection.execute("create table t (id, tag)")
    connection.close()
    file = tmp_path / "corpora.toml"
    file.write_text(f'[corpora.one]\nwatch = true\nsource = {{ sql = "sqlite:///{database}", query = "table t" }}\n')
    corpus = read_corpora(file)["one"]
    before = files_state(corpus)
    touch(database, time.time() - 500)
    assert before != files_state(corpus) != ""
