"""The colour of a concept: the same on every page and in every cloud."""

from typing import Final

HUES: Final = 16
"""The style sheet has the classes hue0…hue15."""


def concept_hue(number: int) -> str:
    """The class of a concept's colour."""
    return f"hue{number % HUES}"
