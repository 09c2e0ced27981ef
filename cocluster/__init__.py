"""Co-clustering of tagged documents, after Candel & Naccache (2021), one module per group of equations.

The flow: a 0/1 matrix of documents × tags, smoothed along its own similarities, agglomerated on both sides
at once, cut where restricted entropy × information is largest. docs/explanation/math.md numbers the equations.
"""

from cocluster.checkerboard import checkerboard
from cocluster.cluster_scores import ClusterScores
from cocluster.coherence import Coherence, coherence
from cocluster.continuity import Previous
from cocluster.document_index import document_index
from cocluster.incidence import Incidence, incidence
from cocluster.memory import estimate_memory
from cocluster.metrics import completeness, homogeneity, v_measure
from cocluster.model import CoClustering
from cocluster.plan import Plan
from cocluster.tasks import LocalTasks, Tasks
from cocluster.transition import Scaling

__all__ = [  # noqa: RUF022 — in the order of the flow
    "checkerboard",
    "incidence",
    "Incidence",
    "estimate_memory",
    "Previous",
    "CoClustering",
    "Plan",
    "ClusterScores",
    "Tasks",
    "LocalTasks",
    "Scaling",
    "homogeneity",
    "completeness",
    "v_measure",
    "coherence",
    "Coherence",
    "document_index",
]
