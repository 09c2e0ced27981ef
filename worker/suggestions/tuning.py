from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from cocluster.suggestions import Form, suggestion_lists
from snapshot import Related
from worker.suggestions.figures import Figures, figures
from worker.suggestions.holding import Matrix, hold_out

PENALTIES: Final = tuple(2.0**power for power in range(-4, 10))
DROPOUTS: Final = (0.5, 2.0)
BLENDS: Final = (0.25, 0.5, 1.0)
TILTS: Final = tuple(round(0.05 * step, 2) for step in range(19))
FEW_TILTS: Final = (0.0, 0.1, 0.2, 0.3)
"""Enough to compare penalties, dropouts and blends by."""

ASKED: Final = 4000
"""Held-out documents that a setting is judged by."""

TAIL_WORTH: Final = 0.5
"""What recall in the tail counts beside recall and MRR, times the share of hidden tags that is not found."""


@dataclass(frozen=True)
class Choice:
    """What is tuned: see suggestions.md (2)–(5). The tilts are those at specificity 0, ½ and 1."""

    penalty: float
    dropout: float
    blend: float
    tilts: tuple[float, float, float]


UNTUNED: Final = Choice(penalty=4.0, dropout=0.5, blend=0.25, tilts=(0.0, 0.1, 0.6))
"""Where the search begins, and what corpora get that are too small to hold anything out."""


def tuned(matrix: Matrix, min_count: int, seed: int, form: Form | None = None) -> Choice:
    """The settings that find most hidden tags of a validation part of these documents."""
    trial = hold_out(matrix, min_count, seed, most=ASKED)
    if trial is None:
        return UNTUNED
    tried: dict[tuple[float, float], tuple[float, float, Related]] = {}

    def value(penalty: float, dropout: float) -> float:
        """What the best blend is worth."""
        if (penalty, dropout) not in tried:
            related = built(trial.train, replace(UNTUNED, penalty=penalty, dropout=dropout), form)
            found = figures(trial, related, BLENDS, FEW_TILTS)
            worths = [max(worth(each) for each in by_tilt) for by_tilt in found]
            tried[penalty, dropout] = (max(worths), BLENDS[worths.index(max(worths))], related)
        return tried[penalty, dropout][0]

    penalty = climbed(lambda each: value(each, UNTUNED.dropout), PENALTIES, UNTUNED.penalty)
    dropout = max(DROPOUTS, key=lambda each: value(penalty, each))
    _, blend, related = tried[penalty, dropout]
    return Choice(penalty, dropout, blend, chosen_tilts(figures(trial, related, (blend,), TILTS)[0]))


def built(matrix: Matrix, choice: Choice, form: Form | None = None) -> Related:
    """The weights of all tags at these settings."""
    lists = suggestion_lists(matrix, choice.penalty, choice.dropout, form)
    return Related(lists.starts, lists.indices, lists.alone, lists.together, choice.blend, choice.tilts)


def climbed(value: Callable[[float], float], steps: tuple[float, ...], start: float) -> float:
    """The step with the largest value, going from the start in the direction that gains until it gains no more."""
    place = steps.index(start)
    for direction in (1, -1):
        while 0 <= place + direction < len(steps) and value(steps[place + direction]) > value(steps[place]):
            place += direction
        if steps[place] != start:
            break
    return steps[place]


def chosen_tilts(by_tilt: list[Figures]) -> tuple[float, float, float]:
    """The tilt of most recall, the one that is worth most, and the one of most recall in the tail, in rising order."""
    recall = max(zip(TILTS, by_tilt, strict=True), key=lambda pair: pair[1].recall)[0]
    middle = max(zip(TILTS, by_tilt, strict=True), key=lambda pair: worth(pair[1]))[0]
    tail = max(zip(TILTS, by_tilt, strict=True), key=lambda pair: pair[1].tail_recall)[0]
    return min(recall, middle), middle, max(middle, tail)


def worth(found: Figures) -> float:
    """What the default setting is chosen by."""
    return found.recall + found.mrr + TAIL_WORTH * (1.0 - found.recall) * found.tail_recall
