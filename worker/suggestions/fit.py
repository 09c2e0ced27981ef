"""Learns the related tags of a corpus: tunes and measures on a split, then learns from all documents."""

from dataclasses import asdict, dataclass
from typing import Any, Final

from cocluster import Incidence
from cocluster.suggestions import UNTUNED, Choice, Fitted, Form, fit_related
from cocluster.suggestions.weights import form_for
from tagmodel import RelatedTags
from worker.suggestions.evaluation import RankingQuality, evaluate
from worker.suggestions.held_out import HeldOut, hold_out, pairs_of_tags
from worker.suggestions.tuning import PARTS, Report, no_report, tune

SEED: Final = 0


@dataclass(frozen=True, eq=False)
class TrialWeights:
    """The weights by which the quality was measured: from all documents but those held out."""

    related: RelatedTags
    trial: HeldOut


@dataclass(frozen=True, eq=False)
class Suggestions:
    """The weights to serve, and the record of settings and quality for the snapshot."""

    related: RelatedTags
    record: dict[str, Any]
    trial: TrialWeights | None = None
    """None if the corpus is too small for a trial."""


def suggestions(incidence: Incidence, min_count: int, report: Report = no_report) -> Suggestions:
    """Tune and measure on a split of the documents, then learn from all of them with these settings.

    Reports how many of five parts are done: tune the linear weights, tune the logistic weights, choose the exponents,
    measure, learn from all documents.
    """
    matrix = incidence.matrix
    trial = hold_out(matrix, min_count, SEED)
    form = form_for(matrix.shape[1])
    if trial is None:
        return Suggestions(fit_related(matrix, UNTUNED, form, incidence.distinct_rows), _settings(form, UNTUNED))
    tuned = tune(trial.train, min_count, SEED, form, report)
    choice, related = tuned.choice, fit_related(trial.train, tuned.choice, form, start=tuned.start)
    quality, single = (default_quality(queries, related, choice) for queries in (trial, pairs_of_tags(trial)))
    record = _settings(form, choice) | {"seed": SEED}
    record |= {name: round(value, 6) for name, value in asdict(quality).items()}
    record["one_tag_recall"] = round(single.recall, 6)
    report(4, PARTS)
    start = Fitted(related, trial.columns)
    return Suggestions(
        fit_related(matrix, choice, form, incidence.distinct_rows, start), record, TrialWeights(related, trial)
    )


def default_quality(trial: HeldOut, related: RelatedTags, choice: Choice) -> RankingQuality:
    """How well hidden tags are predicted at specificity ½."""
    return evaluate(trial, related, (choice.logistic_weight,), [choice.by_specificity[1]])[0][0]


def _settings(form: Form, choice: Choice) -> dict[str, Any]:
    """The settings as JSON values: lists instead of tuples."""
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(choice).items()}
    return {"form": form, **settings}
