"""Exact and fast agglomeration of both sides of a positive matrix, math.md (5)–(9); engine.md says how."""

from cocluster.engine.agglomeration import Merges, agglomerate
from cocluster.engine.warming import warm

__all__ = ["Merges", "agglomerate", "warm"]
