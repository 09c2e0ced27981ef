"""Learns related tags as a recommender, and tags from text; tunes and measures both on held-out documents."""

from worker.suggestions.evaluation import RankingQuality, evaluate
from worker.suggestions.fit import Suggestions, suggestions
from worker.suggestions.held_out import HeldOut, hold_out, pairs_of_tags
from worker.suggestions.text import NO_TEXT, learn_from_text
from worker.suggestions.tuning import tune

__all__ = [
    "NO_TEXT",
    "HeldOut",
    "RankingQuality",
    "Suggestions",
    "evaluate",
    "hold_out",
    "learn_from_text",
    "pairs_of_tags",
    "suggestions",
    "tune",
]
