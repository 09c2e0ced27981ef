"""Schedules in words."""

import pytest

from runtime.schedule_words import schedule_words


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ("24h", "every 24 hours"),
        ("1h", "every hour"),
        ("90s", "every 90 seconds"),
        ("7 d", "every 7 days"),
        ("manual", "only when asked"),
        ("30 3 * * *", "daily 03:30 UTC"),
        ("0 6,18 * * *", "daily 06:00 and 18:00 UTC"),
        ("5 * * * *", "hourly at :05"),
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("10 */6 * * *", "every 6 hours at :10 UTC"),
        ("0 3 * * 1", "Mondays 03:00 UTC"),
        ("0 3 * * 7", "Sundays 03:00 UTC"),
        ("0 3 * * mon-fri", "Mondays to Fridays 03:00 UTC"),
        ("0 3 1 * *", "on day 1 of each month 03:00 UTC"),
        ("0 3 1 * 1", "cron 0 3 1 * 1 UTC"),
        ("0-30/5 3 * * *", "cron 0-30/5 3 * * * UTC"),
        ("0 3 * 2 *", "cron 0 3 * 2 * UTC"),
        ("0 3 * * 9", "cron 0 3 * * 9 UTC"),
    ],
)
def test_usual_schedules_have_words_and_others_stay_as_they_are(schedule, words):
    assert schedule_words(schedule) == words
