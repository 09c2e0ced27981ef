"""How a snapshot's weights become scores: what the service serves is what the worker measured.  docs/suggestions.md"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from snapshot.schema import Related

SPECIFICITIES: Final = (0.0, 0.5, 1.0)


def weights(related: Related, tag: int, size: int) -> NDArray[np.float32]:
    """What one tag of a query of `size` tags says for each of related.indices[related.span(tag)].  suggestions.md (4)

    Asked alone a tag speaks for all that is missing; the more others there are, the more it speaks for itself only.
    """
    span = related.span(tag)
    if size == 1:
        return related.alone[span]
    share = np.float32((size - 1) / (size - 1 + related.blend))
    mixed = share * related.together[span]
    mixed += (np.float32(1.0) - share) * related.alone[span]
    return mixed


def votes(related: Related, query: tuple[int, ...], tags: int) -> NDArray[np.float32]:
    """The sum of the query tags' weights for each of all `tags`; 0 for those of the query."""
    total = np.zeros(tags, dtype=np.float32)
    for tag in query:
        total[related.indices[related.span(tag)]] += weights(related, tag, len(query))
    total[list(query)] = 0.0
    return total


def tilt_at(related: Related, specificity: float) -> float:
    """The exponent of a specificity, between those of 0, ½ and 1."""
    return float(np.interp(specificity, SPECIFICITIES, related.tilts))


def tilted(counts: NDArray[np.int32], tilt: float, least: int, most: int) -> NDArray[np.float64]:
    """count^−tilt, scaled so that none is above 1: the rarest tag has 1, or the commonest if the tilt is negative.

    suggestions.md (5)
    """
    factor: NDArray[np.float64] = (counts / (least if tilt > 0 else most)) ** -tilt
    return factor
