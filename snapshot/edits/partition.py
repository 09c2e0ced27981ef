"""Applies edits to a partition of tags. The result depends on the set of edits, not on their order."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from operator import attrgetter
from typing import Final

from snapshot.edits.edit import Edit
from snapshot.version.tail import NO_CONCEPT


@dataclass(frozen=True, eq=False)
class Tags:
    """The tags of a version, by position, and what a partition of them needs to be edited.

    Attributes:
        find: the tag that a name stands for.
        clusters: the cluster of each tag, as the run computed it.
        counts: the documents of each tag.
        nearest: the clusters that fit a tag, best first.
        version: for messages.
        head: how many of the tags are in the tree; they come first. None: all. A cluster without them has no tags.
    """

    find: Callable[[str], int | None]
    clusters: Sequence[int]
    counts: Sequence[int]
    nearest: Callable[[int], Iterable[int]]
    version: str = ""
    head: int | None = None


@dataclass(frozen=True, eq=False)
class EditedPartition:
    """A partition after edits.

    Attributes:
        clusters: the cluster of each tag.
        labels: editors' labels by cluster.
        changed: the clusters that have other tags than before, and those that lost all.
        heirs: for a cluster that lost all its tags, the one that has the commonest of them now.
        blocks: for each tag of a `together`, the number that all tags have which belong together with it.
        apart: for each tag of an `apart`, the tags that must not be grouped with it.
        inactive: why an edit has no effect in this version, by its id.
    """

    clusters: list[int]
    labels: dict[int, str] = field(default_factory=dict)
    changed: frozenset[int] = frozenset()
    heirs: dict[int, int] = field(default_factory=dict)
    blocks: dict[int, int] = field(default_factory=dict)
    apart: dict[int, set[int]] = field(default_factory=dict)
    inactive: dict[str, str] = field(default_factory=dict)


def edit_partition(tags: Tags, edits: Iterable[Edit]) -> EditedPartition:
    """The partition with all edits that its tags allow. Every tag stays in exactly one cluster.

    Tags of a `together` form a block, which is in the cluster of most of them. A `move` takes a whole block along, to
    where the block of the other tag is. If two tags that are to be apart meet, the rarer one leaves with its block and
    all that moved to it, for the nearest cluster that has none of the tags it must not meet.
    """
    return _Editing(tags, edits).result()


ACTING: Final = frozenset({"move", "together", "apart", "label"})
"""The kinds of edits that act on a partition."""


class _Editing:
    """The steps of one application of edits."""

    def __init__(self, tags: Tags, edits: Iterable[Edit]) -> None:
        self._tags = tags
        self._head = len(tags.clusters) if tags.head is None else tags.head
        self._find = cache(tags.find)
        self._inactive: dict[str, str] = {}
        self._anchored: defaultdict[str, list[tuple[Edit, list[int]]]] = defaultdict(list)
        for edit in sorted((edit for edit in edits if edit.kind in ACTING), key=attrgetter("id")):
            self._anchor(edit)
        self._block: dict[int, int] = {}
        self._members: dict[int, list[int]] = {}

    def result(self) -> EditedPartition:
        self._join()
        targets = self._targets()
        clumps = self._clumps(targets)
        apart = self._apart_tags()
        clusters = list(self._tags.clusters)
        for clump, cluster in self._place(clumps, targets, apart).items():
            for block in clumps[clump]:
                for tag in self._members_of(block):
                    clusters[tag] = cluster
        changed = {
            each
            for tags in self._touched(clumps)
            for tag in tags
            if clusters[tag] != self._tags.clusters[tag]
            for each in (clusters[tag], self._tags.clusters[tag])
        }
        changed.discard(NO_CONCEPT)
        blocks = {tag: block for tag, block in self._block.items() if len(self._members[block]) > 1}
        heirs = self._heirs(clusters, changed)
        for tag in range(self._head, len(clusters) if heirs else 0):
            clusters[tag] = heirs.get(clusters[tag], clusters[tag])
        return EditedPartition(
            clusters, self._labels(clusters), frozenset(changed), heirs, blocks, dict(apart), self._inactive
        )

    def _anchor(self, edit: Edit) -> None:
        """Find the tags of an edit in this version; note why it has no effect otherwise."""
        names = edit.tags or ((edit.tag, edit.to) if edit.to else (edit.tag,))
        found = list(map(self._find, names))
        tags = [tag for tag in dict.fromkeys(found) if tag is not None]
        fewest = 1 if edit.kind == "label" else 2
        if None in found and (edit.kind in {"move", "label"} or len(tags) < fewest):
            missing = names[found.index(None)]
            self._inactive[edit.id] = f"there is no tag {missing!r} in version {self._tags.version}"
        elif len(tags) < fewest:
            self._inactive[edit.id] = f"{' and '.join(map(repr, names))} are one tag in this version"
        else:
            self._anchored[edit.kind].append((edit, tags))

    def _join(self) -> None:
        """Put the tags of every `together` into one block."""
        for _, tags in self._anchored["together"]:
            joined: set[int] = set()
            for tag in tags:
                joined.update(self._members.pop(self._block.get(tag, -1), [tag]))
            block = min(joined)
            self._members[block] = sorted(joined, key=self._rank)
            self._block.update(dict.fromkeys(joined, block))

    def _targets(self) -> dict[int, int]:
        """Where each moved block goes: another block. A block goes to one place only, and never round in a circle."""
        targets: dict[int, int] = {}
        for edit, (tag, to) in self._anchored["move"]:
            start, end = self._block_of(tag), self._block_of(to)
            if start == end:
                continue
            if targets.get(start, end) != end:
                self._inactive[edit.id] = f"{edit.tag!r} is together with a tag that goes elsewhere in this version"
            elif self._end(end, targets) == start:
                self._inactive[edit.id] = "it goes round in a circle in this version"
            else:
                targets[start] = end
        for edit, (tag, _) in self._anchored["move"]:
            start = self._block_of(tag)
            if start in targets and self._home(self._end(start, targets)) == NO_CONCEPT:
                self._inactive[edit.id] = f"{edit.to!r} has no concept in this version"
                del targets[start]
        return targets

    def _clumps(self, targets: dict[int, int]) -> dict[int, list[int]]:
        """The blocks that end up in one place, by the block that stands there."""
        clumps: defaultdict[int, list[int]] = defaultdict(list)
        for block in sorted({*self._members, *targets, *targets.values()}):
            clumps[self._end(block, targets)].append(block)
        return dict(clumps)

    def _apart_tags(self) -> dict[int, set[int]]:
        apart: defaultdict[int, set[int]] = defaultdict(set)
        for _, tags in self._anchored["apart"]:
            for one, other in combinations(tags, 2):
                apart[one].add(other)
                apart[other].add(one)
        return apart

    def _place(
        self, clumps: dict[int, list[int]], targets: dict[int, int], apart: dict[int, set[int]]
    ) -> dict[int, int]:
        """The cluster of each clump. Those that must be apart choose in turn, larger and commoner ones first."""
        placed = {clump: self._home(clump) for clump in clumps}
        if not apart:
            return placed
        end_of = {tag: self._end(self._block_of(tag), targets) for tag in apart}
        foes: defaultdict[int, set[int]] = defaultdict(set)
        for one, others in apart.items():
            foes[end_of[one]] |= {end_of[other] for other in others} - {end_of[one]}
        for one in foes:
            clumps.setdefault(one, [one])
        waiting = sorted(foes, key=lambda clump: (-self._size(clumps[clump]), self._rank(self._members_of(clump)[0])))
        taken: dict[int, int] = {}
        for clump in waiting:
            avoided = {taken[foe] for foe in foes[clump] if foe in taken}
            home = placed[clump] if clump in placed else self._home(clump)
            if home in avoided:
                home = next((each for each in self._nearest(clump) if each not in avoided), home)
            taken[clump] = home
        self._note_failed(end_of, taken)
        return {**placed, **taken}

    def _note_failed(self, end_of: dict[int, int], taken: dict[int, int]) -> None:
        """An `apart` fails if two of its tags belong together, or if there are fewer concepts than tags."""
        for edit, tags in self._anchored["apart"]:
            places = [taken.get(end_of[tag], -1) for tag in tags]
            if len(set(places)) < len(places):
                self._inactive[edit.id] = "no other concept of this version is free for one of its tags"
            if len({end_of[tag] for tag in tags}) < len(tags):
                self._inactive[edit.id] = "other edits put two of its tags into one concept in this version"

    def _labels(self, clusters: list[int]) -> dict[int, str]:
        """The label of each cluster: those of the file first, then that of the commonest tag."""
        labels: dict[int, str] = {}
        anchored = sorted(self._anchored["label"], key=lambda each: (each[0].origin != "file", self._rank(each[1][0])))
        for edit, (tag,) in anchored:
            if clusters[tag] == NO_CONCEPT:
                self._inactive[edit.id] = f"{edit.tag!r} has no concept in this version"
                continue
            label = labels.setdefault(clusters[tag], edit.label)
            if label != edit.label:
                self._inactive[edit.id] = f"its concept has the label {label!r} already, by a commoner tag"
        return labels

    def _heirs(self, clusters: list[int], changed: set[int]) -> dict[int, int]:
        """For each emptied cluster, the one that has its commonest tag."""
        left = {clusters[tag] for tag in range(self._head) if clusters[tag] in changed}
        emptied = changed - left
        heirs: dict[int, int] = {}
        if emptied:
            for tag in sorted(range(self._head), key=self._rank):
                if self._tags.clusters[tag] in emptied:
                    heirs.setdefault(self._tags.clusters[tag], clusters[tag])
        return heirs

    def _home(self, block: int) -> int:
        """The cluster of most tags of a block; of equals, that of the commonest tag."""
        if block not in self._members:
            return self._tags.clusters[block]
        homes = Counter(self._tags.clusters[tag] for tag in self._members[block])
        if len(homes) > 1:
            homes.pop(NO_CONCEPT, None)
        return homes.most_common(1)[0][0]

    def _nearest(self, block: int) -> Iterable[int]:
        return self._tags.nearest(self._members_of(block)[0])

    def _touched(self, clumps: dict[int, list[int]]) -> Iterable[list[int]]:
        return (self._members_of(block) for blocks in clumps.values() for block in blocks)

    def _size(self, blocks: Iterable[int]) -> int:
        return sum(len(self._members_of(block)) for block in blocks)

    def _block_of(self, tag: int) -> int:
        return self._block.get(tag, tag)

    def _members_of(self, block: int) -> list[int]:
        """The tags of a block, commonest first."""
        return self._members.get(block, [block])

    def _rank(self, tag: int) -> tuple[int, int]:
        return -self._tags.counts[tag], tag

    @staticmethod
    def _end(block: int, targets: dict[int, int]) -> int:
        while block in targets:
            block = targets[block]
        return block
