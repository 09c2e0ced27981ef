"""How much a cloud shows unless somebody asks for more or less: API, pages and the embedded cloud alike."""

from typing import Final

USUAL_TAGS: Final = 60
USUAL_GROUPS: Final = 9
MOST_GROUPS: Final = 24
"""What pages offer; the API gives more."""
