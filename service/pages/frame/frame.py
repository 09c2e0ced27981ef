"""The frame around every page, and the list of all pages."""

from dataclasses import dataclass, field
from typing import Final


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


PAGES: Final = {
    page.name: page
    for page in (
        Page("search", "/", "Search"),
        Page("map", "/map", "Map"),
        Page("explore", "/explore", "Explore"),
        Page("concept", "/concept", "Concepts", in_navigation=False),
        Page("document", "/document", "Documents", in_navigation=False),
        Page("curate", "/curate", "Curate", in_navigation=False),
        Page("ops", "/ops", "Operate", about_corpus=False),
        Page("embed", "/embed", "Embed"),
        Page("docs", "/docs", "API", about_corpus=False),
    )
}
"""In the order of the navigation; the blueprints take their paths from here."""


@dataclass(frozen=True)
class Frame:
    """The page shown, the corpora to choose from, and whether their data may be out of date."""

    here: Page
    corpus: str = ""
    titles: dict[str, str] = field(default_factory=dict)
    stale: float | None = None
    """Seconds since the store last confirmed the version shown."""

    @property
    def pages(self) -> list[Page]:
        """The pages of the navigation."""
        return [page for page in PAGES.values() if page.in_navigation]

    @property
    def title(self) -> str:
        """The title of the corpus shown."""
        return self.titles.get(self.corpus, self.corpus)
