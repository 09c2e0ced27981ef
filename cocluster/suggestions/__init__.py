"""Weights from tag to tag by which related tags are suggested.  docs/explanation/suggestions.md

A tag asked alone suggests what stands beside it. The tags of a longer query vote, twice: by the weights of the ridge
regression of each tag on all others, in one closed form for all of them (EASE, Steck 2019) with documents weighted by
1/√r, and by those of its logistic regression on the tags whose lists have it.
"""

from cocluster.suggestions.cooccurrence import cooccurrence, cooccurrence_shares
from cocluster.suggestions.lists import Lists, keep_best
from cocluster.suggestions.local import local_ridge, neighbourhoods
from cocluster.suggestions.logistic import Evidence, TrainingDocuments, logistic, no_evidence, training_documents
from cocluster.suggestions.ranks import hidden_ranks
from cocluster.suggestions.ridge import SingularRegressionError, ridge
from cocluster.suggestions.weights import EXACT_UP_TO, Form, suggestion_lists

__all__ = [
    "EXACT_UP_TO",
    "Evidence",
    "Form",
    "Lists",
    "SingularRegressionError",
    "TrainingDocuments",
    "cooccurrence",
    "cooccurrence_shares",
    "hidden_ranks",
    "keep_best",
    "local_ridge",
    "logistic",
    "neighbourhoods",
    "no_evidence",
    "ridge",
    "suggestion_lists",
    "training_documents",
]
