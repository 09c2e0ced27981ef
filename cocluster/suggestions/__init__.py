"""Weights from tag to tag by which related tags are suggested.  docs/explanation/suggestions.md

A tag asked alone suggests what stands beside it. The tags of a longer query vote, twice: by the weights of the ridge
regression of each tag on all others, in one closed form for all of them (EASE, Steck 2019) with documents weighted by
1/√r, and by those of its logistic regression on the tags whose lists have it.
"""

from cocluster.suggestions.cooccurrence import beside, cooccurrence
from cocluster.suggestions.lists import Lists, keep_best
from cocluster.suggestions.local import local_ridge, neighbourhoods
from cocluster.suggestions.logistic import Evidence, Known, known, logistic, silent
from cocluster.suggestions.ranks import hidden_ranks
from cocluster.suggestions.ridge import SingularRegressionError, ridge
from cocluster.suggestions.weights import EXACT_UP_TO, Form, suggestion_lists

__all__ = [
    "EXACT_UP_TO",
    "Evidence",
    "Form",
    "Known",
    "Lists",
    "SingularRegressionError",
    "beside",
    "cooccurrence",
    "hidden_ranks",
    "keep_best",
    "known",
    "local_ridge",
    "logistic",
    "neighbourhoods",
    "ridge",
    "silent",
    "suggestion_lists",
]
