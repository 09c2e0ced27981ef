"""What an answer shows to whom: errors of runs only to operators, names of corpora to those who may read."""

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

from service.answers import CorporaAnswer, CorpusAnswer, PastRunAnswer, Readiness, RunAnswer, RunsAnswer
from service.live.absence import failure_kind


@singledispatch
def for_strangers(answer: Any) -> Any:
    """An answer without what only operators may see. Most have nothing of the kind."""
    return answer


@for_strangers.register
def _(answer: RunAnswer) -> RunAnswer:
    return replace(answer, error=failure_kind(answer.error)) if answer.state == "failed" else answer


@for_strangers.register
def _(answer: CorpusAnswer) -> CorpusAnswer:
    return answer if answer.run is None else replace(answer, run=for_strangers(answer.run))


@for_strangers.register
def _(answer: CorporaAnswer) -> CorporaAnswer:
    return replace(answer, corpora=[for_strangers(corpus) for corpus in answer.corpora])


@for_strangers.register
def _(answer: PastRunAnswer) -> PastRunAnswer:
    return replace(answer, error=failure_kind(answer.error)) if answer.state == "failed" else answer


@for_strangers.register
def _(answer: RunsAnswer) -> RunsAnswer:
    return replace(answer, runs=[for_strangers(run) for run in answer.runs])


def without_names(answer: Readiness) -> Readiness:
    """Whether questions can be answered, for those who may not read what there is."""
    return replace(answer, corpora={}, stale={}, missing={})


@dataclass(frozen=True)
class Unready:
    """Nothing can be answered: a 503, which is `expected` while the first run of every corpus is under way."""

    readiness: Readiness
    expected: bool
