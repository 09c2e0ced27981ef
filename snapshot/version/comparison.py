"""Compares the concepts of two versions: new, split, merged, gone, renamed; and tags that came, went or moved."""

from dataclasses import dataclass
from typing import Final

from snapshot.version.changes import Concepts, is_renamed, origins

KINDS: Final = ("new", "split", "merged", "gone", "renamed")
TAG_KINDS: Final = ("came", "went", "moved")


@dataclass(frozen=True)
class ConceptChange:
    """A concept that changed: its label now, or its last one if it is gone, and the one it had before, if any."""

    id: int
    label: str
    before: str | None
    parents: tuple[int, ...]
    """The earlier concepts of which it took a large share of the tags."""


@dataclass(frozen=True)
class TagMove:
    """A tag whose concept changed: the ids before and now."""

    tag: str
    before: int
    after: int


@dataclass(frozen=True)
class Changes:
    """The differences between two versions. A concept may be in two lists: split, and renamed."""

    new: tuple[ConceptChange, ...]
    split: tuple[ConceptChange, ...]
    merged: tuple[ConceptChange, ...]
    gone: tuple[ConceptChange, ...]
    renamed: tuple[ConceptChange, ...]
    came: tuple[str, ...]
    went: tuple[str, ...]
    moved: tuple[TagMove, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind."""
        return {kind: len(getattr(self, kind)) for kind in (*KINDS, *TAG_KINDS)}


def compare(before: Concepts, after: Concepts) -> Changes:
    """The differences between two versions."""
    found = origins(before.clusters, after.clusters)
    by_kind = {
        kind: tuple(
            ConceptChange(number, after.names.get(number, str(number)), before.names.get(number), origin.parents)
            for number, origin in found.items()
            if origin.kind == kind
        )
        for kind in ("new", "split", "merged")
    }
    moved = [
        TagMove(after.tags[key], before.clusters[key], cluster)
        for key, cluster in after.clusters.items()
        if before.clusters.get(key, cluster) != cluster
    ]
    return Changes(
        new=by_kind["new"],
        split=by_kind["split"],
        merged=by_kind["merged"],
        gone=tuple(
            ConceptChange(number, name, name, ())
            for number, name in sorted(before.names.items())
            if number not in after.names
        ),
        renamed=tuple(
            ConceptChange(number, name, before.names[number], (number,))
            for number, name in sorted(after.names.items())
            if is_renamed(before.names.get(number, name), name)
        ),
        came=tuple(sorted(name for key, name in after.tags.items() if key not in before.tags)),
        went=tuple(sorted(name for key, name in before.tags.items() if key not in after.tags)),
        moved=tuple(sorted(moved, key=lambda move: move.tag)),
    )
