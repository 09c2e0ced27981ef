"""What is known of one tag, for the top of its page: its meaning, its relations, its other names, its concept."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from service.pages.concept.params import ConceptParams
from service.pages.frame.markdown import html_of
from service.pages.search.params import SearchParams
from service.view.view import View

LISTED: Final = 12
"""Tags of a row; editors may say that hundreds are narrower."""


class Fact(NamedTuple):
    """A name; its address if it leads somewhere, its language if it is in one."""

    name: str
    address: str = ""
    language: str = ""


class FactRow(NamedTuple):
    """A relation, the first tags that have it, and how many more there are."""

    title: str
    listed: list[Fact]
    more: int = 0


class TagFacts(NamedTuple):
    """The description as HTML, empty if there is none, and the rows of relations and names."""

    description: str
    rows: list[FactRow]


def tag_facts(view: View, tag: int, state: SearchParams) -> TagFacts:
    """The facts of a tag; what nobody said has no row."""
    relations = view.relations
    related = [
        _row(view, state, title, tags.get(tag, ()))
        for title, tags in (
            ("Is a kind of", relations.broader),
            ("Kinds of it", relations.narrower),
            ("Implies", relations.implied),
            ("Implied by", relations.implied_by),
        )
    ]
    names = [Fact(alias.name) for alias in view.names.of_tag.get(tag, ()) if alias.how == "synonym"]
    labels = [Fact(label, language=language) for language, label in sorted(relations.labels.get(tag, {}).items())]
    rows = [*related, _cut("Also called", names), _cut("In other languages", labels)]
    rows = [row for row in rows if row.listed]
    concept = view.concept_of(tag)
    if concept is not None:
        label = view.labels[concept]
        rows.append(FactRow("In the concept", [Fact(label, ConceptParams(state.corpus, id=concept).link())]))
    return TagFacts(html_of(relations.descriptions.get(tag, "")), rows)


def _row(view: View, state: SearchParams, title: str, tags: Iterable[int]) -> FactRow:
    ordered = sorted(tags, key=view.count_rank.__getitem__)
    names = [view.tag_names[tag] for tag in ordered]
    return _cut(title, [Fact(name, state.link(tags=(name,))) for name in names])


def _cut(title: str, facts: list[Fact]) -> FactRow:
    return FactRow(title, facts[:LISTED], len(facts[LISTED:]))
