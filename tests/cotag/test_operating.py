"""The tables of `cotag corpora` and `cotag jobs`."""

import time

from cotag.job_commands import list_corpora, list_jobs
from snapshot import CorpusRegister, RegisteredCorpus, RunStatus, StatusBoard


def test_the_next_run_is_in_some_time_or_due(redis, capsys):
    now = time.time()
    CorpusRegister(redis).write(
        {
            "late": RegisteredCorpus("late", "Late", "24h", now - 5.0),
            "later": RegisteredCorpus("later", "Later", "24h", now + 5 * 3600 + 12.5 * 60),
        }
    )
    list_corpora(redis, as_json=False)
    late, later = capsys.readouterr().out.splitlines()[1:]
    assert late.split() == ["late", "none", "yet", "24h", "due", "never"]
    assert "in 5 h 12 min" in later


def test_the_start_of_a_job_is_some_time_ago(redis, capsys):
    started = time.time() - 190.0
    StatusBoard(redis).write_job(RunStatus("one", "done", started, started, "topics"))
    list_jobs(redis, as_json=False)
    assert "3 min ago" in capsys.readouterr().out
