"""The history of runs: a year, one short record each."""

from dataclasses import replace

from snapshot.store import keys
from snapshot.store.operation.run_history import YEAR_SECONDS, PastRun, RunHistory

DAY = 86400.0
NOON = 20_000 * DAY + DAY / 2


def past(number, state="done", ended=NOON):
    return PastRun(f"job-{number}", state, ended, seconds=2.0, version=f"v{number}")


def test_runs_are_read_newest_first_page_by_page(redis):
    history = RunHistory(redis)
    runs = [past(number, ended=NOON + number) for number in range(5)]
    for run in runs:
        history.add("topics", run)
    assert history.count("topics") == 5
    assert history.read("topics", 2) == [runs[4], runs[3]]
    assert history.read("topics", 2, offset=4) == [runs[0]]
    assert history.since("topics", NOON + 3) == [runs[4], runs[3]]
    assert history.read("other", 10) == []


def test_runs_that_found_nothing_to_do_share_a_record_on_one_day(redis):
    """A corpus that is due every minute would fill the store otherwise."""
    history = RunHistory(redis)
    history.add("topics", past(0))
    for number in range(1, 4):
        history.add("topics", past(number, "unchanged", NOON + number))
    history.add("topics", past(4, "unchanged", NOON + DAY))
    tomorrow, today, first = history.read("topics", 10)
    assert (today.times, today.seconds, today.job, today.ended) == (3, 6.0, "job-3", NOON + 3)
    assert (tomorrow.times, first.state) == (1, "done")


def test_what_is_older_than_a_year_is_dropped(redis):
    history = RunHistory(redis)
    for moment in (NOON, NOON + DAY, NOON + DAY + YEAR_SECONDS):
        history.add("topics", past(int(moment), ended=moment))
    assert [run.ended for run in history.read("topics", 10)] == [NOON + DAY + YEAR_SECONDS, NOON + DAY]


def test_long_errors_are_cut_and_damage_heals(redis):
    history = RunHistory(redis)
    redis.set(keys.runs("topics"), "x")
    assert (history.read("topics", 10), history.count("topics")) == ([], 0)
    history.add("topics", replace(past(1, "failed"), error="x" * 1000))
    (run,) = history.read("topics", 10)
    assert run.error == "x" * 300
    redis.lpush(keys.runs("topics"), "garbage")
    assert history.read("topics", 10) == [run]
