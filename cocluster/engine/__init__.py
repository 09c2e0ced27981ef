"""Agglomerates both sides of a positive matrix exactly and fast, math.md (5)–(9).  docs/explanation/engine.md"""

from cocluster.engine.agglomeration import Merges, agglomerate
from cocluster.engine.compilation import warm

__all__ = ["Merges", "agglomerate", "warm"]
