"""Answers about the operation of a corpus: what changed, past runs, pauses and pins."""

from dataclasses import dataclass

from snapshot.version.comparison import ConceptChange, TagMove


@dataclass(frozen=True)
class ChangesAnswer:
    """What changed from the version `since` to the version that is served. Tags are compared by their normal form.

    A concept may be in two lists. `parents` are the concepts of `since` of which it took a quarter of the tags or more.
    """

    corpus: str
    since: str
    version: str
    new: list[ConceptChange]
    split: list[ConceptChange]
    merged: list[ConceptChange]
    gone: list[ConceptChange]
    renamed: list[ConceptChange]
    came: list[str]
    went: list[str]
    moved: list[TagMove]


@dataclass(frozen=True)
class PastRunAnswer:
    """A run that ended, or several in a row on one day that found nothing to do; `seconds` is their sum."""

    job: str
    state: str
    ended: float
    seconds: float
    version: str
    error: str
    times: int


@dataclass(frozen=True)
class RunsAnswer:
    """One page of the runs of the last year, newest first."""

    corpus: str
    total: int
    offset: int
    runs: list[PastRunAnswer]


@dataclass(frozen=True)
class ControlAnswer:
    """Whether the schedule of the corpus is paused, and which version is pinned."""

    corpus: str
    paused: bool
    pinned: str | None
