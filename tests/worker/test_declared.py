"""Broken corpora files and missing files: they harm their own corpus at most, and everybody is told why."""

import os

import pytest

from cotag.up import Launch, declared_names
from snapshot import CorpusRegister, RegisteredCorpus, SnapshotStore, StatusBoard
from tests.clustered import published
from worker.declared import Declarations, declarations_in
from worker.errors import CorpusError
from worker.job import recluster
from worker.queue import job_queue
from worker.schedule import Scheduler

SECOND = '[corpora.second]\nsource = "gone.jsonl"\n'


def rewrite(path, text):
    before = path.stat().st_mtime_ns
    path.write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


@pytest.fixture
def settings(environment, corpora_file, redis, redis_url):
    """The settings of a worker; no other test knows its declarations."""
    declarations_in.cache_clear()
    environment.setenv("COTAG_CORPORA", str(corpora_file))
    environment.setenv("COTAG_REDIS_URL", redis_url)


@pytest.mark.usefixtures("settings")
def test_a_missing_file_fails_its_own_corpus_and_no_other(redis, corpora_file):
    """Both runs end: one is published, the other says which file is missing."""
    corpora_file.write_text(corpora_file.read_text() + SECOND)
    assert recluster("topics", "job-1")["state"] == "done"
    assert recluster("second", "job-2")["state"] == "failed"
    failed = StatusBoard(redis).read("second")
    assert (failed.job, failed.state) == ("job-2", "failed")
    assert failed.error.endswith("gone.jsonl is not a file")


@pytest.mark.usefixtures("settings")
def test_a_job_runs_with_the_last_good_declaration_that_its_worker_read(redis, corpora_file):
    """Without one it fails, with the error of the file as its reason."""
    good = corpora_file.read_text()
    rewrite(corpora_file, "[corpora.topics\n")
    assert "corpora.toml: " in recluster("topics", "job-1")["error"]
    assert StatusBoard(redis).read("topics").state == "failed"
    assert b"runs|topics|failed" in redis.hgetall("cotag:metrics")
    rewrite(corpora_file, good)
    declarations_in(corpora_file).refresh()
    rewrite(corpora_file, good + "min_cuont = 3\n")
    assert recluster("topics", "job-2")["state"] == "done"
    with pytest.raises(CorpusError, match="declares no corpus other"):
        Declarations(corpora_file).corpus("other")


def test_a_broken_section_keeps_its_last_good_declaration_and_the_others_change(redis, corpora_file):
    declarations = Declarations(corpora_file)
    good = corpora_file.read_text()
    rewrite(corpora_file, good + SECOND)
    declarations.refresh()
    rewrite(corpora_file, good + "min_count = 3\n" + SECOND + "min_count = 0\n")
    declarations.refresh()
    assert {name: corpus.min_count for name, corpus in declarations.corpora.items()} == {"topics": 3, "second": 5}
    assert "[corpora.second] min_count" in str(declarations.error)
    corpora_file.unlink()
    declarations.refresh()
    assert list(declarations.corpora) == ["topics", "second"]


def test_a_scheduler_that_starts_with_a_broken_file_forgets_no_corpus_and_takes_up_the_mended_one(redis, corpora_file):
    registered = {"topics": RegisteredCorpus("topics", "Four topics", "1h", 5.0)}
    CorpusRegister(redis).write(registered)
    good = corpora_file.read_text()
    rewrite(corpora_file, "[corpora.topics\n")
    scheduler = Scheduler(redis, corpora_file)
    assert scheduler.tick() == []
    assert CorpusRegister(redis).read() == registered
    rewrite(corpora_file, good)
    assert scheduler.tick() == ["topics"]
    assert len(job_queue(redis).get_job_ids()) == 1


class Lines(list):
    def say(self, text, level="info"):
        self.append((level, text))


def test_cotag_up_starts_with_a_broken_file_if_there_is_something_to_serve(redis, redis_url, tmp_path):
    """Else it ends with the error."""
    file = tmp_path / "corpora.toml"
    file.write_text("[corpora.small\n")
    names, broken = declared_names(file)
    assert names == []
    assert "corpora.toml" in str(broken)
    lines = Lines()
    launch = Launch(Settings(redis_url), tmp_path, names, None, lines, external_store=True, broken=broken)
    with pytest.raises(CorpusError, match=r"corpora\.toml"):
        launch._start_store()
    SnapshotStore(redis).publish(published())
    CorpusRegister(redis).write({"small": RegisteredCorpus("small", "Small", "1h", 5.0)})
    launch._start_store()
    ((level, line),) = lines
    assert level == "error"
    assert line.endswith("; the last good declarations stay in force")
    assert launch._names == ["small"]


class Settings:
    def __init__(self, url):
        self.redis_url = url
