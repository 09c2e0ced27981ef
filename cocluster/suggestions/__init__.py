"""Weights from tag to tag by which related tags are suggested.  docs/suggestions.md

A query's tags vote: the score of a tag is the sum of their weights for it. The weights are those of the ridge
regression of each tag on all others, in one closed form for all of them (EASE, Steck 2019), with documents weighted
by 1/√r.
"""

from cocluster.suggestions.cooccurrence import cooccurrence
from cocluster.suggestions.lists import Lists, keep_best
from cocluster.suggestions.local import local_ridge, neighbourhoods
from cocluster.suggestions.ranks import hidden_ranks
from cocluster.suggestions.ridge import ridge
from cocluster.suggestions.weights import EXACT_UP_TO, Form, suggestion_lists

__all__ = [
    "EXACT_UP_TO",
    "Form",
    "Lists",
    "cooccurrence",
    "hidden_ranks",
    "keep_best",
    "local_ridge",
    "neighbourhoods",
    "ridge",
    "suggestion_lists",
]
