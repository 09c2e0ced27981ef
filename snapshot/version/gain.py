"""Says when the concepts of a version mean little: the only place of the rule."""

from collections.abc import Mapping
from typing import Final

LEAST_GAIN: Final = 0.18
"""Bits. Shuffled corpora gain less, real ones more; `python -m bench.worker.meaningless` measures both."""

ADVICE: Final = "Try more documents, a lower min_count, or another number of groups."


def gain(quality: Mapping[str, float]) -> float | None:
    """How many bits the concepts predict beyond random ones, and beyond the plain shares of the tags.

    None for versions older than this measure.
    """
    if "bits" not in quality or "random_bits" not in quality:
        return None
    return quality["bits"] - max(quality["random_bits"], 0.0)


def warning(quality: Mapping[str, float]) -> str | None:
    """A plain warning, with what to try, if the concepts are hardly better than random ones; otherwise None."""
    gained = gain(quality)
    if gained is None or gained >= LEAST_GAIN:
        return None
    return (
        "These concepts mean little: they tell hardly more about a document than random groups of tags would "
        f"({quality['bits']:.2f} bits against {max(quality['random_bits'], 0.0):.2f}). {ADVICE}"
    )
