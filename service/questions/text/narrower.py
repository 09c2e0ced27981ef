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
    narrower = {tag for each in query.tags for tag in view.relations.all_narrower(each)}
    others = sorted(narrower - {*query.tags, *query.excluded}, key=view.count_rank.__getitem__)
    return replace(query, tags=(*query.tags, *others)[: max(MOST_TAGS, len(query.tags))])


def documents_within(view: View, query: ParsedQuery) -> Mask:
    """For every document, whether it has each tag of the query or one that is narrower. Exact."""
    index = view.documents.index
    within = np.zeros(index.position_count, dtype=np.bool_)
    within[index.positions()] = True
    for tag in query.asked:
        one = np.zeros(index.position_count, dtype=np.bool_)
        for each in (tag, *view.relations.all_narrower(tag)):
            one[index.documents_of(each)] = True
        within &= one
    return within
