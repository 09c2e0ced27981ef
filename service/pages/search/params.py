"""The state of the search page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Final

from service.api.parameters.documents import MOST_SKIPPED
from service.api.parameters.parameters import MOST_TAGS
from service.pages.frame.markup import as_html
from service.pages.frame.params import State, choice, flag, index, integer, share, text, texts
from service.questions.clouds.defaults import MOST_GROUPS, USUAL_GROUPS
from service.questions.text.close_spelling import LONGEST_QUERY

OPENED_BY: Final = 12
"""An address names so many tags of a group: those that matter most in it."""

SPANS: Final = {"7d": "the last week", "1m": "the last month", "1y": "the last year", "5y": "the last five years"}
"""Spans of time that pages offer, shortest first; they end with the newest document."""


@dataclass(frozen=True)
class SearchParams(State):
    """The typed text, the chosen tags, and the settings of the cloud."""

    PATH: ClassVar[str] = "/"

    q: str = text("q", LONGEST_QUERY)
    tags: tuple[str, ...] = texts("tag", MOST_TAGS)
    excluded: tuple[str, ...] = texts("exclude", MOST_TAGS)
    group: tuple[str, ...] = texts("group", MOST_TAGS)
    """The tags of the group that is opened."""

    words: tuple[str, ...] = texts("word", MOST_TAGS)
    """Words that are no tags but stand in titles."""

    groups: int = integer("groups", USUAL_GROUPS, 1, MOST_GROUPS)
    specificity: float = share("specificity", 0.5)
    offset: int = integer("offset", 0, 0, MOST_SKIPPED)
    """How many documents to skip."""

    concept: int | None = index("concept")
    """Of which concept to show documents; None: of all."""

    last: str = choice("last", SPANS)
    """Which documents count, by date; all without it."""

    sort: str = choice("sort", ("date",))
    """By date, newest first, or by how well they fit."""

    narrower: bool = flag("narrower")
    """Whether a document with a narrower tag counts as having the tag."""

    typing: bool = flag("typing")
    """Whether the text is still being typed: its last word may be unfinished, and it stays in the box."""

    def adding(self, tag: str) -> str:
        """The address with one tag more."""
        return self._link_adding_tag(tag) if tag not in self.tags else self.link()

    def dropping(self, tag: str) -> str:
        """The address with one tag less."""
        return self.link(tags=tuple(other for other in self.tags if other != tag))

    def replacing(self, tag: str, other: str) -> str:
        """The address with another tag in place of one."""
        return self.link(tags=tuple(dict.fromkeys(other if each == tag else each for each in self.tags)))

    def including(self, tag: str) -> str:
        """The address that no longer excludes a tag."""
        return self.link(excluded=tuple(other for other in self.excluded if other != tag))

    def opening(self, tags: Iterable[str]) -> str:
        """The address that opens a group by its first tags."""
        return self.link(group=tuple(tags)[:OPENED_BY], offset=0)

    def chosen(self, tags: Iterable[str], excluded: Iterable[str], words: Iterable[str]) -> "SearchParams":
        """The state after parsing, with tags and words of titles instead of typed words, at the first documents.

        Links start from it.
        """
        return replace(
            self, q="", tags=tuple(tags), excluded=tuple(excluded), words=tuple(words), offset=0, typing=False
        )

    @property
    def text(self) -> str:
        """All words to parse."""
        return " ".join((*self.words, self.q)).strip()

    @property
    def chips(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The tags that are chosen, those that are left out, and the words of titles."""
        return self.tags, self.excluded, self.words

    def forgetting(self, word: str) -> str:
        """The address with one word of titles less."""
        return self.link(words=tuple(other for other in self.words if other != word))

    @cached_property
    def html_adding(self) -> Callable[[str], str]:
        """A function that gives the address with one tag more, which is not chosen yet, as HTML."""
        return self.link_adding("tags", as_html)

    @cached_property
    def html_excluding(self) -> Callable[[str], str]:
        """A function that gives the address that also excludes a tag, as HTML."""
        return self.link_adding("excluded", as_html)

    @cached_property
    def _link_adding_tag(self) -> Callable[[str], str]:
        return self.link_adding("tags")
