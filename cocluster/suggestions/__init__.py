"""Learns the weights from tag to tag that suggest related tags.  docs/explanation/suggestions.md

A query of one tag suggests the tags that occur with it. The tags of a longer query vote twice: with the weights of the
ridge regression of each tag on all others, in one closed form for all (EASE, Steck 2019) with documents weighted by
1/√r, and with those of its logistic regression on the tags whose lists contain it.
"""

from cocluster.suggestions.cooccurrence import cooccurrence, cooccurrence_shares
from cocluster.suggestions.lists import Lists, keep_best
from cocluster.suggestions.local import local_ridge, neighbourhoods
from cocluster.suggestions.logistic import LogisticWeights, TrainingDocuments, logistic, no_evidence, training_documents
from cocluster.suggestions.ranks import hidden_ranks
from cocluster.suggestions.related import UNTUNED, Choice, Fitted, fit_related, related_tags
from cocluster.suggestions.ridge import SingularRegressionError, ridge
from cocluster.suggestions.weights import EXACT_UP_TO, Form, suggestion_lists

__all__ = [
    "EXACT_UP_TO",
    "UNTUNED",
    "Choice",
    "Fitted",
    "Form",
    "Lists",
    "LogisticWeights",
    "SingularRegressionError",
    "TrainingDocuments",
    "cooccurrence",
    "cooccurrence_shares",
    "fit_related",
    "hidden_ranks",
    "keep_best",
    "local_ridge",
    "logistic",
    "neighbourhoods",
    "no_evidence",
    "related_tags",
    "ridge",
    "suggestion_lists",
    "training_documents",
]
