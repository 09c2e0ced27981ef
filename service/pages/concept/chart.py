"""The documents of a concept over time, as a line."""

from dataclasses import dataclass
from typing import Final

from service.questions.time.course import Course, course
from service.view.view import View
from service.view.window import DAY
from snapshot.version.documents.dates import shown_date

WIDTH: Final = 320
HEIGHT: Final = 72
EDGE: Final = 4


@dataclass(frozen=True)
class Chart:
    """The line of a course, and what it says in words."""

    WIDTH = WIDTH
    HEIGHT = HEIGHT

    line: str
    last: tuple[float, float]
    """Where the newest point is."""

    unit: str
    first_day: str
    last_day: str
    total: int
    most: int
    most_day: str
    """The first day of the point with most documents."""

    newest: int
    """Documents of the newest point."""


def chart(view: View, cluster: int) -> Chart | None:
    """The chart of a concept; None if there is no line to draw: no dates, or a single point."""
    found = course(view, cluster)
    return None if found is None or len(found.counts) < 2 or not any(found.counts) else _drawn(found)


def _drawn(found: Course) -> Chart:
    counts, most = found.counts, max(found.counts)
    wide, high = (WIDTH - 2 * EDGE) / (len(counts) - 1), HEIGHT - 2 * EDGE
    points = [
        (round(EDGE + place * wide, 1), round(HEIGHT - EDGE - high * count / most, 1))
        for place, count in enumerate(counts)
    ]
    peak = found.start + counts.index(most) * found.step
    return Chart(
        line="M" + "L".join(f"{x:g} {y:g}" for x, y in points),
        last=points[-1],
        unit=found.unit,
        first_day=shown_date(found.start),
        last_day=shown_date(found.end - DAY),
        total=sum(counts),
        most=most,
        most_day=shown_date(peak),
        newest=counts[-1],
    )
