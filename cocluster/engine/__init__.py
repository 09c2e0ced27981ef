"""Exact agglomeration of both sides of a positive matrix, math.md (5)–(9)."""

from cocluster.engine.agglomeration import Merges, agglomerate

__all__ = ["Merges", "agglomerate"]
