"""The page for somebody who is tagging: tags that fit a title and a text, and what each of them would do."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from service.answers import GivenTag, SuggestedDocument, SuggestedTag
from service.pages.frame.params import State, text
from service.pages.search.params import SearchParams
from service.questions.documents.sets import joint_counts
from service.questions.tagging.suggest import UntaggedDocument, suggest_tags, text_model
from service.view.view import View
from snapshot import normalise

SUGGESTED: Final = 12
LONGEST_TEXT: Final = 4000
"""So much of a text fits into an address; the field itself asks about all of it."""

MOST_GIVEN: Final = 50


@dataclass(frozen=True)
class TagItParams(State):
    """What is to be tagged, and the tags chosen so far, with commas between."""

    PATH: ClassVar[str] = "/tag-it"

    title: str = text("title", 1000)
    tags: str = text("tags", 4000)
    text: str = text("text", LONGEST_TEXT)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The tags as a list."""
        return tuple(dict.fromkeys(tag for part in self.tags.split(",") if (tag := part.strip()[:500])))[:MOST_GIVEN]

    def choosing(self, tag: str, instead: str | None = None) -> str:
        """The address with one tag more, or with one instead of another."""
        tags = [tag if each == instead else each for each in self.chosen]
        return self.link(tags=", ".join(dict.fromkeys(tags if instead else [*tags, tag])))


@dataclass(frozen=True)
class TagItPage:
    """The content of the page."""

    TEMPLATE: ClassVar = "tag_it.html"
    status: ClassVar = 200

    view: View
    state: TagItParams
    answer: SuggestedDocument
    text_known: bool

    @property
    def asked(self) -> bool:
        """Whether there is anything to suggest tags for."""
        return bool(self.state.title.strip() or self.state.text.strip() or self.state.chosen)

    @cached_property
    def known(self) -> tuple[int, ...]:
        """The tags of the corpus that were given."""
        return tuple(dict.fromkeys(self._tag(each["tag"]) for each in self.answer["given"] if each["tag"]))

    @cached_property
    def together(self) -> dict[str, int]:
        """How many documents have each suggested tag and all those given; empty if none is given."""
        if not self.known or not self.view.has_documents:
            return {}
        tags = [each["tag"] for each in self.answer["tags"]]
        counts = joint_counts(self.view.documents.index, self.known, [self._tag(tag) for tag in tags])
        return dict(zip(tags, counts.tolist(), strict=True))

    def why(self, tag: SuggestedTag) -> str:
        """The reasons of a tag as a sentence."""
        return "; ".join(reason["sentence"] for reason in tag["reasons"]).capitalize()

    def fate(self, given: GivenTag) -> str:
        """What becomes of a tag that was given, as a sentence."""
        if given["state"] == "refused":
            by = f", by {given['by']}" if given["by"] else ""
            return f"is refused here{by}"
        documents = f"{given['count']:,} document{'' if given['count'] == 1 else 's'}"
        return {
            "kept": f"is a tag of {documents}",
            "canonical": f"stands for {given['tag']}, a tag of {documents}",
            "near": f"is a tag of {documents}" if given["tag"] else "is new",
            "new": "is new: nothing here is like it",
        }[given["state"]]

    def doubts(self, given: GivenTag) -> list[str]:
        """The tags that may have been meant."""
        if given["state"] == "canonical" and given["tag"]:
            return [given["tag"]]
        return [near["tag"] for near in given["near"]]

    def search(self, tag: str) -> str:
        """The address of the cloud around a tag."""
        return SearchParams(self.state.corpus).adding(tag)

    def _tag(self, name: str | None) -> int:
        return self.view.index[normalise(name or "")]


def tag_it_page(view: View, state: TagItParams) -> TagItPage:
    """The page; without a title, a text or tags, only its fields."""
    document = UntaggedDocument(state.title, state.text, state.chosen)
    (answer,) = suggest_tags(view, [document], SUGGESTED).documents
    return TagItPage(view, state, answer, text_model(view).knows_words)
