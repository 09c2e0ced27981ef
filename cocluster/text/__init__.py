"""Learns tags from the words of documents: names of tags, a ridge regression, neighbours, and how to mix them.

docs/explanation/suggestions-from-text.md
"""

from cocluster.text.fitting import TextSettings, fit_text
from cocluster.text.mixing import Case, learn_mix
from cocluster.text.tuning import Learnt, Trial, learn_text
from cocluster.text.word_matrix import TaggedRows, WordMatrix, name_phrases, word_matrix

__all__ = [
    "Case",
    "Learnt",
    "TaggedRows",
    "TextSettings",
    "Trial",
    "WordMatrix",
    "fit_text",
    "learn_mix",
    "learn_text",
    "name_phrases",
    "word_matrix",
]
