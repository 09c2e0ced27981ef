"""Says a schedule in words: "daily 03:30 UTC" for "30 3 * * *"."""

import re
from typing import Final

MANUAL: Final = "manual"
"""The schedule of a corpus that runs only when somebody asks."""

UNITS: Final = {"s": "second", "m": "minute", "h": "hour", "d": "day"}
DAYS: Final = ("Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
NAMED_DAYS: Final = {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
WEEKDAYS: Final = {"1-5", "mon-fri"}


def schedule_words(schedule: str) -> str:
    """The schedule in words; a cron expression that is too special for them stays as it is."""
    if schedule == MANUAL:
        return "only when asked"
    fields = schedule.split()
    if len(fields) == 5:
        return _cron_words(*fields) or f"cron {schedule} UTC"
    interval = re.fullmatch(r"(\d+)\s*([smhd])", schedule.strip())
    return f"every {_counted(int(interval[1]), UNITS[interval[2]])}" if interval else schedule


def _cron_words(minute: str, hour: str, day: str, month: str, weekday: str) -> str | None:
    """The usual expressions; None for all others."""
    which = _which_days(day, month, weekday)
    if which == "daily" and hour == "*":
        return _within_hours(minute)
    if which is None or not minute.isdecimal():
        return None
    if which == "daily" and (step := re.fullmatch(r"\*/(\d+)", hour)):
        return f"every {_counted(int(step[1]), 'hour')} at :{int(minute):02d} UTC"
    if not re.fullmatch(r"\d+(,\d+)*", hour):
        return None
    return f"{which} {' and '.join(f'{int(each):02d}:{int(minute):02d}' for each in hour.split(','))} UTC"


def _which_days(day: str, month: str, weekday: str) -> str | None:
    if month != "*":
        return None
    if day == "*":
        return "daily" if weekday == "*" else _weekday(weekday)
    return f"on day {int(day)} of each month" if weekday == "*" and day.isdecimal() else None


def _within_hours(minute: str) -> str | None:
    if minute == "*":
        return "every minute"
    if minute.isdecimal():
        return f"hourly at :{int(minute):02d}"
    step = re.fullmatch(r"\*/(\d+)", minute)
    return f"every {_counted(int(step[1]), 'minute')}" if step else None


def _weekday(text: str) -> str | None:
    if text.lower() in WEEKDAYS:
        return "Mondays to Fridays"
    number = NAMED_DAYS.get(text.lower(), int(text) if text.isdecimal() else -1)
    return DAYS[number] if 0 <= number < len(DAYS) else None


def _counted(number: int, unit: str) -> str:
    return unit if number == 1 else f"{number} {unit}s"
