"""Co-clustering of tagged documents, after Candel & Naccache (2021), one module per group of equations.

The flow: a 0/1 matrix of documents × tags, smoothed along its own similarities, agglomerated on both sides
at once, cut where restricted entropy × information is largest. docs/explanation/math.md numbers the equations.
"""

from cocluster.equations.continuity import Previous
from cocluster.equations.incidence import Incidence, incidence
from cocluster.equations.transition import Scaling
from cocluster.estimator.base import NotFittedError
from cocluster.estimator.model import CoClustering
from cocluster.estimator.suggester import TagSuggester
from cocluster.evaluation.checkerboard import checkerboard
from cocluster.evaluation.cluster_scores import ClusterScores
from cocluster.evaluation.coherence import Coherence, coherence
from cocluster.evaluation.metrics import completeness, homogeneity, v_measure
from cocluster.fit.memory import estimate_memory
from cocluster.fit.plan import Plan
from cocluster.tags.document_index import document_index
from cocluster.tags.relations import TagRelation
from cocluster.tasks import LocalTasks, Tasks

__all__ = [  # noqa: RUF022 — in the order of the flow
    "checkerboard",
    "incidence",
    "Incidence",
    "estimate_memory",
    "Previous",
    "CoClustering",
    "NotFittedError",
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
    "TagSuggester",
    "TagRelation",
]
