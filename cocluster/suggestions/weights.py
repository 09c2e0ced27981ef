from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cocluster.arrays import Sparse
from cocluster.incidence import column_counts
from cocluster.suggestions.cooccurrence import Floats32, cooccurrence
from cocluster.suggestions.lists import Lists, keep_best
from cocluster.suggestions.local import local_ridge, neighbourhoods
from cocluster.suggestions.ridge import ridge

Form: TypeAlias = Literal["exact", "local"]

EXACT_UP_TO: Final = 8000
"""Tags up to which the m×m inverse is taken."""


def suggestion_lists(M: Sparse, penalty: float, dropout: float, form: Form | None = None) -> Lists:
    """The weights of every tag, asked alone (with that `dropout`) and among others, cut to the best.

    suggestions.md (2), (3)
    """
    G = cooccurrence(M)
    counts = column_counts(M)
    if (form or form_for(M.shape[1])) == "exact":
        return _exact(G.toarray(), counts, penalty, dropout)
    near = neighbourhoods(G, penalty)
    alone, together = local_ridge(G, near, penalty, (dropout, 0.0))
    return keep_best(lambda tags: (alone[tags].toarray(), together[tags].toarray()), counts)


def form_for(tags: int) -> Form:
    """How the weights of so many tags are found."""
    return "exact" if tags <= EXACT_UP_TO else "local"


def _exact(G: Floats32, counts: NDArray[np.int64], penalty: float, dropout: float) -> Lists:
    alone, together = ridge(G, penalty, dropout), ridge(G, penalty)
    return keep_best(lambda tags: (alone[tags], together[tags]), counts)
