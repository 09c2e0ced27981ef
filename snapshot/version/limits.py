"""How long the texts of a document may be, whichever source it comes from; cards.py has the limits of a card."""

from collections.abc import Iterable
from typing import Final

LONGEST_TAG: Final = 500
LONGEST_ID: Final = 500
LONGEST_LABEL: Final = 500
"""Characters of a class label."""


def check_lengths(name: str, tags: Iterable[str], label: str | None) -> None:
    """ValueError if one of these texts of a document is too long."""
    if len(name) > LONGEST_ID:
        raise ValueError(f"the document id has more than {LONGEST_ID} characters")
    if max(map(len, tags), default=0) > LONGEST_TAG:
        raise ValueError(f"a tag has more than {LONGEST_TAG} characters")
    if label is not None and len(label) > LONGEST_LABEL:
        raise ValueError(f"the label has more than {LONGEST_LABEL} characters")
