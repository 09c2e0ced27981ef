"""How alike the tags of a cloud are if some are rare: those stand where the most specific tag beside them does."""

import numpy as np
from numpy.typing import NDArray

from service.view.view import View
from tagmodel.company import Company, Cosines


class RareCompany:
    """The company of head and tail tags."""

    def __init__(self, view: View) -> None:
        self._view = view

    def cosines(self, tags: NDArray[np.intp]) -> Cosines:
        """The cosine of each pair of tags; that of a tag whom nothing stands for is 0 with all others."""
        places = np.array([self._stand_in(tag) for tag in tags.tolist()], dtype=np.intp)
        cosines = self._view.company.cosines(np.maximum(places, 0))
        unknown = places < 0
        cosines[unknown] = 0.0
        cosines[:, unknown] = 0.0
        np.fill_diagonal(cosines, 1.0)
        return cosines

    def _stand_in(self, tag: int) -> int:
        """The rarest head tag beside a rare tag, else the leading tag of its concept; −1 if there is none."""
        view = self._view
        if not view.is_tail(tag):
            return tag
        if view.has_documents:
            near = view.documents.index.neighbours_of(tag)[0]
            heads: list[int] = near[near < view.head_count].tolist()
            if heads:
                return min(heads, key=lambda each: (view.counts[each], each))
        members = view.members.get(view.cluster_of[tag])
        return members[0] if members else -1


def company_of_rare(view: View, tags: NDArray[np.intp]) -> Company | RareCompany:
    """What tells how alike these tags are."""
    return RareCompany(view) if (tags >= view.head_count).any() else view.company
