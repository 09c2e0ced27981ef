from dataclasses import asdict, dataclass
from typing import Any, Final

from cocluster.suggestions import Form
from cocluster.suggestions.weights import form_for
from snapshot import Related
from worker.suggestions.figures import Figures, figures
from worker.suggestions.holding import HeldOut, Matrix, hold_out
from worker.suggestions.tuning import UNTUNED, Choice, built, tuned

SEED: Final = 0


@dataclass(frozen=True, eq=False)
class Suggestions:
    """The weights to serve, and what a snapshot says about them."""

    related: Related
    record: dict[str, Any]


def suggestions(matrix: Matrix, min_count: int) -> Suggestions:
    """Tune and measure on a split of the documents, then learn from all of them with the settings found."""
    trial = hold_out(matrix, min_count, SEED)
    form = form_for(matrix.shape[1])
    if trial is None:
        return Suggestions(
            built(matrix, UNTUNED, form), {"form": form, "penalty": UNTUNED.penalty, "dropout": UNTUNED.dropout}
        )
    choice, found = measured(trial, min_count, SEED, form)
    record = {"form": form, "penalty": choice.penalty, "dropout": choice.dropout, "seed": SEED}
    record |= {name: round(value, 6) for name, value in asdict(found[1]).items()}
    return Suggestions(built(matrix, choice, form), record)


def measured(trial: HeldOut, min_count: int, seed: int, form: Form | None = None) -> tuple[Choice, list[Figures]]:
    """Tune on the training documents alone; figures on those held out at specificity 0, ½ (the default) and 1."""
    choice = tuned(trial.train, min_count, seed, form)
    related = built(trial.train, choice, form)
    return choice, figures(trial, related, (choice.blend,), choice.tilts)[0]
