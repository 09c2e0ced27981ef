"""How a snapshot's weights become scores: what the service serves is what the worker measured.  suggestions.md"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from snapshot.schema import Related

SPECIFICITIES: Final = (0.0, 0.5, 1.0)


def weights(related: Related, tag: int, size: int) -> NDArray[np.float32]:
    """What one tag of a query of `size` tags says for each of related.indices[related.span(tag)].  suggestions.md (5)

    Asked alone a tag speaks for all that is missing, among others for itself only; older snapshots mix the two.
    """
    span = related.span(tag)
    if size == 1:
        return related.alone[span]
    if related.blend == 0:
        return related.together[span]
    share = np.float32((size - 1) / (size - 1 + related.blend))
    mixed = share * related.together[span]
    mixed += (np.float32(1.0) - share) * related.alone[span]
    return mixed


def odds(related: Related, query: tuple[int, ...], tags: int) -> NDArray[np.float64]:
    """How much speaks for each of all `tags`; 0 for those of the query, and where more speaks against a tag.

    suggestions.md (6), without the tilt.
    """
    votes = np.zeros(tags, dtype=np.float32)
    for tag in query:
        votes[related.indices[related.span(tag)]] += weights(related, tag, len(query))
    votes[list(query)] = 0.0
    found = np.flatnonzero(votes > 0)
    total = np.zeros(tags)
    trust = related.trust if len(query) > 1 else 0.0
    if trust == 0:
        total[found] = votes[found]
        return total
    logits = related.prior.copy()
    for tag in query:
        span = related.span(tag)
        logits[related.indices[span]] += related.evidence[span]
    total[found] = np.exp(
        (1.0 - trust) * np.log(votes[found].astype(np.float64)) + trust * logits[found].astype(np.float64)
    )
    return total


def probable(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Odds as a score between 0 and 1."""
    found: NDArray[np.float64] = odds / (1.0 + odds)
    return found


def tilt_at(related: Related, specificity: float, size: int) -> float:
    """The exponent of a specificity for a query of `size` tags, between those of 0, ½ and 1."""
    return float(np.interp(specificity, SPECIFICITIES, related.lone_tilts if size == 1 else related.tilts))


def tilted(counts: NDArray[np.int32], tilt: float, least: int, most: int) -> NDArray[np.float64]:
    """count^−tilt, scaled so that none is above 1: the rarest tag has 1, or the commonest if the tilt is negative.

    suggestions.md (6)
    """
    factor: NDArray[np.float64] = (counts / (least if tilt > 0 else most)) ** -tilt
    return factor
