"""Other names of tags, as a snapshot stores them."""

from dataclasses import dataclass
from typing import Literal

AliasKind = Literal["synonym", "plural", "spelling"]


@dataclass(frozen=True)
class Alias:
    """Another name of a tag, which documents with it count for: a declared synonym, or a variant that was folded.

    Attributes:
        name: as documents spell it most often, or as declared.
        tag: the key of the tag. A declared synonym may stand for a tag that is too rare for the snapshot.
        how: why it stands for the tag.
        count: how often it occurs.
    """

    name: str
    tag: str
    how: AliasKind
    count: int
