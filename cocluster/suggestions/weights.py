"""The linear weights of related tags, exact or local."""

from typing import Final, Literal, TypeAlias

from cocluster.equations.arrays import Sparse
from cocluster.equations.incidence import column_counts
from cocluster.suggestions.cooccurrence import cooccurrence, cooccurrence_shares
from cocluster.suggestions.lists import Lists, keep_best, keep_best_listed
from cocluster.suggestions.local import local_ridge, neighbourhoods
from cocluster.suggestions.ridge import ridge

Form: TypeAlias = Literal["exact", "local"]

EXACT_UP_TO: Final = 8000
"""Most tags for which the m×m inverse is computed."""


def suggestion_lists(M: Sparse, penalty: float, form: Form | None = None) -> Lists:
    """The best weights of every tag, for queries of one tag and for longer ones.  suggestions.md (2), (3)"""
    G, alone = cooccurrence(M), cooccurrence_shares(M)
    if (form or form_for(M.shape[1])) == "exact":
        among = ridge(G.toarray(), penalty)
        return keep_best(lambda tags: (alone[tags].toarray(), among[tags]), column_counts(M))
    near = local_ridge(G, neighbourhoods(G, penalty), penalty)
    return keep_best_listed(alone, near, column_counts(M))


def form_for(tags: int) -> Form:
    """The form in which to compute the weights of so many tags."""
    return "exact" if tags <= EXACT_UP_TO else "local"
