"""Related tags as a recommender: the weights, tuned and measured on documents that were held out."""

from worker.suggestions.figures import Figures, figures
from worker.suggestions.holding import HeldOut, hold_out, paired
from worker.suggestions.suggesting import Suggestions, suggestions
from worker.suggestions.tuning import Choice, built, tuned

__all__ = [
    "Choice",
    "Figures",
    "HeldOut",
    "Suggestions",
    "built",
    "figures",
    "hold_out",
    "paired",
    "suggestions",
    "tuned",
]
