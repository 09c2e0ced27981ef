"""Learns related tags as a recommender, and tunes and measures it on held-out documents."""

from worker.suggestions.evaluation import RankingQuality, evaluate
from worker.suggestions.fit import Suggestions, suggestions
from worker.suggestions.held_out import HeldOut, hold_out, pairs_of_tags
from worker.suggestions.tuning import tune

__all__ = [
    "HeldOut",
    "RankingQuality",
    "Suggestions",
    "evaluate",
    "hold_out",
    "pairs_of_tags",
    "suggestions",
    "tune",
]
