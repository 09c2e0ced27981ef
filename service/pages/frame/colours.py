"""The colour of a concept: the same on every page, and near that of concepts that the tree joins it with.

A class says the hue, another one the tone, by which neighbours of one hue differ; the style sheet has both, for light
and dark pages.
"""

from typing import Final

from service.view.view import View
from tagmodel.hues import CIRCLE

HUES: Final = 24
"""The style sheet has the classes hue0…hue23: hues that are 15 degrees apart in OKLCH."""

TONES: Final = 3
"""It has the classes tone0…tone2."""


def concept_hue(number: int, view: View) -> str:
    """The classes of a concept's colour."""
    return f"hue{view.hues.get(number, 0) * HUES // CIRCLE} tone{number % TONES}"
