"""The tags of a concept as an outline: each below what it is a kind of."""

from dataclasses import dataclass, field
from typing import Final

from service.view.view import View

MOST: Final = 100
"""Tags of an outline."""


@dataclass(frozen=True)
class OutlineTag:
    """A tag, and those of the concept that are a kind of it."""

    tag: str
    count: int
    narrower: "list[OutlineTag]" = field(default_factory=list)


def outline(view: View, concept: int) -> list[OutlineTag]:
    """The tags of a concept with relations among them, commonest first. A tag with several parents is below each."""
    inside = {*view.members.get(concept, ()), *view.tail_members.get(concept, ())}
    relations = view.relations
    if len(relations.narrower) < len(inside):
        tops = [tag for tag in relations.narrower if tag in inside]
    else:
        tops = [tag for tag in inside if tag in relations.narrower]
    tops = [tag for tag in tops if inside.isdisjoint(relations.broader.get(tag, ()))]
    left = MOST

    def branch(tag: int) -> OutlineTag:
        nonlocal left
        left -= 1
        below = sorted(inside.intersection(relations.narrower.get(tag, ())), key=view.count_rank.__getitem__)
        return OutlineTag(view.tag_names[tag], view.counts[tag], [branch(each) for each in below if left > 0])

    found = [branch(tag) for tag in sorted(tops, key=view.count_rank.__getitem__) if left > 0]
    return [each for each in found if each.narrower]
