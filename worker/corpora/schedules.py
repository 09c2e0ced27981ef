"""Schedules and durations of the corpora file: intervals, cron expressions in UTC, or only when asked."""

import math
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from croniter import croniter

from runtime.schedule_words import MANUAL

UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text: str) -> int:
    """'90s', '15m', '24h' or '7d' in seconds."""
    match = re.fullmatch(r"(\d+)\s*([smhd])", text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a time such as '90s', '15m', '24h' or '7d'")
    return int(match[1]) * UNITS[match[2]]


def check_duration(text: str) -> str:
    """The same text, or ValueError."""
    seconds(text)
    return text


def check_schedule(text: str) -> str:
    """The same text if it is a positive interval, a cron expression of five fields or "manual"; or ValueError."""
    if text != MANUAL and not _is_cron(text):
        try:
            interval = seconds(text)
        except ValueError:
            interval = 0
        if interval == 0:
            raise ValueError(
                f"{text!r} is neither an interval such as '24h' nor a cron expression such as '0 3 * * *' "
                f"nor '{MANUAL}'"
            )
    return text


@lru_cache(maxsize=10_000)
def next_after(schedule: str, moment: float) -> float:
    """The time of the next turn after one at `moment`, in seconds since the epoch; infinite if there is none."""
    if schedule == MANUAL:
        return math.inf
    if _is_cron(schedule):
        return float(croniter(schedule, datetime.fromtimestamp(moment, UTC)).get_next(float))
    return moment + seconds(schedule)


def _is_cron(text: str) -> bool:
    return len(text.split()) == 5 and bool(croniter.is_valid(text))
