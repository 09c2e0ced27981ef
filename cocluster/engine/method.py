"""The parameters of the method: the teleport, the cost, and whether the sides are clustered together."""

from dataclasses import dataclass

from cocluster.engine.weights import Cost


@dataclass(frozen=True)
class Method:
    """λ of (4), and the cost and the sides of (8)."""

    teleport: float
    cost: Cost
    joint: bool
