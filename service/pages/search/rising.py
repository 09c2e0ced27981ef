"""What is rising, for the first page of a corpus whose documents have dates."""

from dataclasses import dataclass
from typing import Final

from service.answers import TrendEntry, TrendsAnswer
from service.pages.concept.params import ConceptParams
from service.pages.frame.colours import concept_hue
from service.pages.search.params import SearchParams
from service.questions.time.trends import trends
from service.view.view import View
from service.view.window import DAY, newest_date
from snapshot.version.documents.dates import shown_date

SHOWN: Final = 8
"""Concepts and tags on the page: as many of either, at most half of them concepts."""

WINDOWS: Final = (("week", 7 * DAY), ("month", 30 * DAY), ("year", 365 * DAY))
"""The first of these in which something rose."""


@dataclass(frozen=True)
class RisingTopic:
    """A concept or a tag that rises; `times` is how many times its share of before, None if it is new."""

    label: str
    address: str
    hue: str
    """The class of its colour; empty without a concept."""

    documents: int
    times: float | None

    @property
    def said(self) -> str:
        """How much it rose."""
        if self.times is None:
            return "new"
        return f"{self.times:.0f} ×" if self.times >= 10 else f"{self.times:.1f} ×"


@dataclass(frozen=True)
class Rising:
    """What rose in the `window` (a word) that ended with the day `until`."""

    window: str
    until: str
    is_now: bool
    """Whether the window is recent beside the version; an old collection has no now."""

    topics: list[RisingTopic]


def rising(view: View, state: SearchParams) -> Rising | None:
    """What rises beyond chance in the shortest window in which anything does; None if nothing does, or without dates.

    Tags of a concept that is listed are not listed beside it.
    """
    if not view.has_documents or not len(view.documents.dates):
        return None
    newest = newest_date(view)
    for word, seconds in WINDOWS:
        answer = trends(view, seconds, "rising", SHOWN)
        topics = _topics(view, state, answer)
        if topics:
            is_now = view.snapshot.created.timestamp() - newest <= 2 * seconds
            return Rising(word, shown_date(newest // DAY * DAY), is_now, topics)
    return None


def _topics(view: View, state: SearchParams, answer: TrendsAnswer) -> list[RisingTopic]:
    concepts = answer.concepts[: SHOWN // 2]
    listed = {entry["cluster"] for entry in concepts}
    tags = [entry for entry in answer.tags if _concept_of(view, entry) not in listed]
    return [_topic(view, state, answer, entry) for entry in (concepts + tags)[:SHOWN]]


def _topic(view: View, state: SearchParams, answer: TrendsAnswer, entry: TrendEntry) -> RisingTopic:
    tag, cluster = entry["tag"], entry["cluster"]
    concept = _concept_of(view, entry)
    share_before = entry["before"] / max(answer.documents_before, 1)
    return RisingTopic(
        label=entry["label"],
        address=state.adding(tag) if tag is not None else ConceptParams(state.corpus, id=cluster).link(),
        hue="" if concept is None else concept_hue(concept, view),
        documents=entry["count"],
        times=entry["count"] / answer.documents / share_before if share_before else None,
    )


def _concept_of(view: View, entry: TrendEntry) -> int | None:
    tag = None if entry["tag"] is None else view.names.tag(entry["tag"])
    return entry["cluster"] if tag is None else view.concept_of(tag)
