"""Broken corpora files and missing files: they harm their own corpus at most, and everybody is told why."""

import os

import pytest

from cotag.launcher.up import Launch, declared_corpora
from snapshot import CorpusRegister, RegisteredCorpus, RunRequest, SnapshotStore
from snapshot.store import keys
from tests.clustered import published
from worker.corpora.current import Declarations
from worker.errors import CorpusError
from worker.runs import job
from worker.runs.scheduler import Scheduler

SECOND = '[corpora.second]\nsource = "gone.jsonl"\n'


def rewrite(path, text):
    before = path.stat().st_mtime_ns
    path.write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def recluster(redis_url, declarations, name):
    """The outcome of a run, as the process of a run reports it."""
    messages = []
    job.recluster(RunRequest("job-1", name), declarations, redis_url, None, messages.append)
    return messages[-1]["outcome"]


def test_a_missing_file_fails_its_own_corpus_and_no_other(redis, redis_url, corpora_file):
    """Both runs end: one is published, the other says which file is missing."""
    corpora_file.write_text(corpora_file.read_text() + SECOND)
    declarations = Declarations(corpora_file)
    declarations.refresh()
    assert recluster(redis_url, declarations, "topics")["state"] == "done"
    failed = recluster(redis_url, declarations, "second")
    assert failed["state"] == "failed"
    assert failed["error"].endswith("gone.jsonl is not a file")


def test_a_job_runs_with_the_last_good_declaration_that_its_worker_read(redis, redis_url, corpora_file):
    """Without one it fails, with the error of the file as its reason."""
    good = corpora_file.read_text()
    declarations = Declarations(corpora_file)
    rewrite(corpora_file, "[corpora.topics\n")
    declarations.refresh()
    failed = recluster(redis_url, declarations, "topics")
    assert failed["state"] == "failed"
    assert "corpora.toml: " in failed["error"]
    rewrite(corpora_file, good)
    declarations.refresh()
    rewrite(corpora_file, good + "min_cuont = 3\n")
    declarations.refresh()
    assert recluster(redis_url, declarations, "topics")["state"] == "done"
    assert recluster(redis_url, declarations, "other")["error"].endswith("did you mean min_count?")


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
    assert redis.llen(keys.QUEUE) == 1


class Lines(list):
    def say(self, text, level="info"):
        self.append((level, text))


def test_cotag_up_starts_with_a_broken_file_if_there_is_something_to_serve(redis, redis_url, tmp_path):
    """Else it ends with the error."""
    file = tmp_path / "corpora.toml"
    file.write_text("[corpora.small\n")
    settings = Settings(redis_url, file, tmp_path)
    names, broken = declared_corpora(settings)
    assert names == {}
    assert "corpora.toml" in str(broken)
    lines = Lines()
    launch = Launch(settings, tmp_path, names, None, lines, external_store=True, broken=broken)
    with pytest.raises(CorpusError, match=r"corpora\.toml"):
        launch._open_store(set())
    SnapshotStore(redis).publish(published())
    CorpusRegister(redis).write({"small": RegisteredCorpus("small", "Small", "1h", 5.0)})
    launch._open_store(set())
    ((level, line),) = lines
    assert level == "error"
    assert line.endswith("; the last good declarations stay in force")
    assert launch._names == ["small"]


class Settings:
    def __init__(self, url, corpora, copies):
        self.redis_url, self.corpora, self.cache_dir = url, corpora, copies


EVERY_KIND = """
[corpora.sql]
source = { sql = "sqlite:///tags.db?password=hunter2", query = "select id, tag from t", fields = { a = "b" } }
memory_limit = "4GB"
critical_size = 3
[corpora.pushed]
source = { pushed = true, base_url = "https://x.example/" }
synonyms = { a = "b" }
distinct = [["c", "d"]]
clean = { hashes = false }
[corpora.table]
source = { files = "*.csv", tags = 2, header = false, fields = { year = 3 } }
"""


def test_the_last_good_declarations_survive_the_process(corpora_file, tmp_path):
    """All of a broken file, those of broken sections, whatever their source is; only their user may read the copy."""
    copies = tmp_path / "copies"
    good = corpora_file.read_text() + EVERY_KIND
    rewrite(corpora_file, good)
    first = Declarations(corpora_file, copies)
    first.refresh()
    assert first.error is None
    assert (copies / "declarations.json").stat().st_mode & 0o077 == 0
    rewrite(corpora_file, "[corpora.topics\n")
    second = Declarations(corpora_file, copies)
    second.refresh()
    assert second.corpora == first.corpora
    assert {name: corpus.digest() for name, corpus in second.corpora.items()} == {
        name: corpus.digest() for name, corpus in first.corpora.items()
    }
    assert "corpora.toml" in str(second.error)
    rewrite(corpora_file, good.replace('schedule = "1h"', 'schedule = "never"'))
    third = Declarations(corpora_file, copies)
    third.refresh()
    assert third.corpora == first.corpora
    assert declared_corpora(Settings("redis://x", corpora_file, copies))[0] == first.corpora


@pytest.mark.parametrize("copy", ["{", "[]", '{"file": 1}', '{"file": "FILE", "corpora": {"x": 3}}'])
def test_a_copy_of_declarations_that_makes_no_sense_or_is_of_another_file_counts_as_none(corpora_file, tmp_path, copy):
    (tmp_path / "declarations.json").write_text(copy.replace("FILE", str(corpora_file)))
    good = corpora_file.read_text()
    rewrite(corpora_file, "[corpora.topics\n")
    broken = Declarations(corpora_file, tmp_path)
    broken.refresh()
    assert broken.corpora == {}
    other = tmp_path / "other.toml"
    other.write_text(good)
    Declarations(other, tmp_path).refresh()
    broken = Declarations(corpora_file, tmp_path)
    broken.refresh()
    assert broken.corpora == {}


def test_a_full_disk_keeps_the_declarations_from_nobody(corpora_file):
    declarations = Declarations(corpora_file, corpora_file)  # a file where the folder should be
    declarations.refresh()
    assert list(declarations.corpora) == ["topics"]
