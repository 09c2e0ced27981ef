"""The page that builds the lines of an embedded cloud: choices, the lines, and what they show."""

from dataclasses import dataclass
from typing import ClassVar, Final

from service.pages.frame.params import State, integer, text
from service.questions.clouds.defaults import MOST_GROUPS, USUAL_GROUPS
from service.view.view import View

MOST_DOCUMENTS: Final = 24


@dataclass(frozen=True)
class EmbedParams(State):
    """The choices. Without tags, a common one is the example; `whole=1` asks for the whole corpus instead."""

    PATH: ClassVar[str] = "/embed"

    tags: str = text("tags", 500)
    groups: int = integer("groups", USUAL_GROUPS, 1, MOST_GROUPS)
    documents: int = integer("documents", 0, 0, MOST_DOCUMENTS)
    href: str = text("href", 500)
    whole: int = integer("whole", 0, 0, 1)


@dataclass(frozen=True)
class EmbedPage:
    """The content of the page; `tags` are those asked about."""

    TEMPLATE: ClassVar = "embed.html"
    status: ClassVar = 200
    most_groups: ClassVar = MOST_GROUPS
    most_documents: ClassVar = MOST_DOCUMENTS

    state: EmbedParams
    tags: str

    @property
    def attributes(self) -> dict[str, str]:
        """Of the element, in order; those that have their defaults are left out."""
        chosen = {
            "corpus": self.state.corpus,
            "tags": self.tags,
            "groups": str(self.state.groups) if self.state.groups != USUAL_GROUPS else "",
            "documents": str(self.state.documents or ""),
            "href": self.state.href,
        }
        return {name: value for name, value in chosen.items() if value}


def embed_page(view: View, state: EmbedParams) -> EmbedPage:
    """The page, about an example if no tags are chosen."""
    names = view.snapshot.names
    example = next((names[tag] for tag in view.by_count if not view.broad[tag]), names[view.by_count[0]])
    return EmbedPage(state, "" if state.whole else state.tags or example)
