"""Lets the narrower tags of a query count as its tags: who asks for animal, wants cat and dog, too."""

from dataclasses import replace
from typing import Final

import numpy as np

from service.questions.documents.sets import Mask
from service.questions.text.query import ParsedQuery
from service.view.view import View

MOST_TAGS: Final = 50
"""The query tags and narrower tags, commonest first, by which other tags and documents are ranked."""


def with_narrower(view: View, query: ParsedQuery) -> ParsedQuery:
    """The query with the narrower tags of its tags, for a ranking. The answer names the query as it was."""
    others = narrower_tags(view, query)
    return replace(query, tags=(*query.tags, *others)[: max(MOST_TAGS, len(query.tags))])


def narrower_tags(view: View, query: ParsedQuery) -> list[int]:
    """All tags that are narrower than one of the query, commonest first, without the query's own."""
    narrower = {tag for each in query.tags for tag in view.relations.all_narrower(each)}
    return sorted(narrower - {*query.tags, *query.excluded}, key=view.count_rank.__getitem__)


def documents_within(view: View, query: ParsedQuery) -> Mask:
    """For every document, whether it has each tag of the query or one that is narrower. Exact."""
    index = view.documents.index
    within = np.zeros(index.position_count, dtype=np.bool_)
    within[index.positions()] = True
    for tag in query.asked:
        within &= documents_with(view, tag)
    return within


def documents_with(view: View, tag: int) -> Mask:
    """For every document, whether it has a tag or one that is narrower. Exact."""
    index = view.documents.index
    found = np.zeros(index.position_count, dtype=np.bool_)
    for each in (tag, *view.relations.all_narrower(tag)):
        found[index.documents_of(each)] = True
    return found
