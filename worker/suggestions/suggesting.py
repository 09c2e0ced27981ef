from dataclasses import asdict, dataclass
from typing import Any, Final

from cocluster.suggestions import Form
from cocluster.suggestions.weights import form_for
from snapshot import Related
from worker.suggestions.figures import Figures, figures
from worker.suggestions.holding import HeldOut, Matrix, hold_out, paired
from worker.suggestions.tuning import PARTS, UNTUNED, Choice, Report, built, silently, tuned

SEED: Final = 0


@dataclass(frozen=True, eq=False)
class Suggestions:
    """The weights to serve, and what a snapshot says about them."""

    related: Related
    record: dict[str, Any]


def suggestions(matrix: Matrix, min_count: int, report: Report = silently) -> Suggestions:
    """Tune and measure on a split of the documents, then learn from all of them with the settings found.

    Reports how many of five parts are done: the linear weights tuned, the evidence tuned, the tilts chosen, measured,
    and learnt from all documents.
    """
    trial = hold_out(matrix, min_count, SEED)
    form = form_for(matrix.shape[1])
    if trial is None:
        return Suggestions(built(matrix, UNTUNED, form), _settings(form, UNTUNED))
    choice = tuned(trial.train, min_count, SEED, form, report)
    related = built(trial.train, choice, form)
    found, one_tag = (default_figures(each, related, choice) for each in (trial, paired(trial)))
    record = _settings(form, choice) | {"seed": SEED}
    record |= {name: round(value, 6) for name, value in asdict(found).items()}
    record["one_tag_recall"] = round(one_tag.recall, 6)
    report(4, PARTS)
    return Suggestions(built(matrix, choice, form), record)


def default_figures(trial: HeldOut, related: Related, choice: Choice) -> Figures:
    """How well hidden tags are found at specificity ½."""
    return figures(trial, related, (choice.trust,), [choice.by_specificity[1]])[0][0]


def _settings(form: Form, choice: Choice) -> dict[str, Any]:
    """Those that went into the weights; the others are served with them."""
    return {"form": form, "penalty": choice.penalty, "caution": choice.caution}
