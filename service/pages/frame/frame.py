"""The frame around every page, and the list of all pages."""

from dataclasses import dataclass, field
from typing import Final

from service.settings import PAGE_NAMES, VISITORS_PAGES


@dataclass(frozen=True)
class Page:
    """A page, with its title in the navigation."""

    name: str
    path: str
    title: str
    about_corpus: bool = True
    """Whether it shows one corpus, named in its address."""

    in_navigation: bool = True
    """Whether every page links to it; to others, only the content of pages does."""

    @property
    def for_visitors(self) -> bool:
        """Whether it is for everybody; the others are for operators and builders."""
        return self.name in VISITORS_PAGES


PAGES: Final = {
    page.name: page
    for page in (
        Page("search", "/", "Search"),
        Page("map", "/map", "Map"),
        Page("concepts", "/concepts", "Concepts"),
        Page("concept", "/concept", "Concept", in_navigation=False),
        Page("document", "/document", "Documents", in_navigation=False),
        Page("tag-it", "/tag-it", "Tag it"),
        Page("ops", "/ops", "Operate", about_corpus=False),
        Page("curate", "/curate", "Curate"),
        Page("embed", "/embed", "Embed"),
        Page("docs", "/docs", "API", about_corpus=False),
        Page("explore", "/explore", "Explore"),
    )
}
"""In the order of the navigation; the blueprints take their paths from here."""

NOWHERE: Final = Page("search", "", "", about_corpus=False, in_navigation=False)
"""Stands for an address that leads to no page: a visitor is lost, not an operator."""


@dataclass(frozen=True)
class Frame:
    """The page shown, the corpora to choose from, and whether their data may be out of date."""

    here: Page
    corpus: str = ""
    titles: dict[str, str] = field(default_factory=dict)
    stale: float | None = None
    """Seconds since the store last confirmed the version shown."""

    served: frozenset[str] = frozenset(PAGE_NAMES)
    """The names of the pages that this service shows."""

    @property
    def visitors_pages(self) -> list[Page]:
        """The menu that everybody sees."""
        return [page for page in self._navigation if page.for_visitors]

    @property
    def builders_pages(self) -> list[Page]:
        """The menu for operators and builders."""
        return [page for page in self._navigation if not page.for_visitors]

    def serves(self, name: str) -> bool:
        """Whether a link to a page leads somewhere."""
        return name in self.served

    @property
    def title(self) -> str:
        """The title of the corpus shown."""
        return self.titles.get(self.corpus, self.corpus)

    @property
    def _navigation(self) -> list[Page]:
        return [page for page in PAGES.values() if page.in_navigation and page.name in self.served]
