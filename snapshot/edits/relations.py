"""What editors say about single tags and pairs of them: broader and implied tags, descriptions, labels by language."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from snapshot.edits.edit import Edit

RELATING = frozenset({"broader", "implies", "describe", "translate"})
"""The kinds of edits that say it."""

Related = Mapping[int, Sequence[int]]
Pair = tuple[int, int]
NONE: Sequence[int] = ()


@dataclass(frozen=True, eq=False)
class Relations:
    """The relations of the tags of a version, by the numbers of the tags.

    Attributes:
        broader: the tags that each tag is a kind of. `narrower` is the other direction.
        implied: the tags that a document with each tag counts as having, as editors said it, one step at a time.
        implied_by: the other direction.
        descriptions: what tags are for, in Markdown.
        labels: the labels of tags, by language.
        inactive: why an edit has no effect here, by its id.
    """

    broader: Related = field(default_factory=dict)
    narrower: Related = field(default_factory=dict)
    implied: Related = field(default_factory=dict)
    implied_by: Related = field(default_factory=dict)
    descriptions: Mapping[int, str] = field(default_factory=dict)
    labels: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    inactive: Mapping[str, str] = field(default_factory=dict)

    def all_narrower(self, tag: int) -> list[int]:
        """All tags that are a kind of a tag, also by way of others; rising, without the tag itself."""
        return _reached(tag, self.narrower)

    def all_broader(self, tag: int) -> list[int]:
        """All tags that a tag is a kind of, also by way of others; rising, without the tag itself."""
        return _reached(tag, self.broader)


def _reached(tag: int, related: Related) -> list[int]:
    found = {tag}
    waiting = [tag]
    while waiting:
        for other in related.get(waiting.pop(), NONE):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return sorted(found - {tag})


def relations_of(
    find: Callable[[str], int | None],
    keys: Sequence[str],
    edits: Iterable[Edit],
    *,
    version: str,
    nested: str | None = None,
) -> Relations:
    """The relations of a version: those of editors, and those of nested names, if the corpus has a separator for them.

    Args:
        find: the tag that a name stands for.
        keys: the keys of all tags.
        edits: the edits that hold.
        version: for messages.
        nested: what separates the parts of a name; with "/", animals/cat is a kind of animals.
    """
    inactive: dict[str, str] = {}
    pairs: defaultdict[str, dict[Pair, Edit | None]] = defaultdict(dict)
    descriptions: dict[int, str] = {}
    labels: defaultdict[int, dict[str, str]] = defaultdict(dict)
    find = cache(find)
    for edit in edits:
        if edit.kind not in RELATING:
            continue
        tag = find(edit.tag)
        if tag is None:
            inactive[edit.id] = f"there is no tag {edit.tag!r} in version {version}"
        elif edit.kind == "describe":
            descriptions.setdefault(tag, edit.text)
        elif edit.kind == "translate":
            labels[tag].setdefault(edit.language, edit.label)
        elif (to := find(edit.to)) is None:
            if edit.kind == "broader":  # of an implication, the next run makes the tag
                inactive[edit.id] = f"there is no tag {edit.to!r} in version {version}"
        elif tag == to:
            inactive[edit.id] = f"{edit.tag!r} and {edit.to!r} are one tag in this version"
        else:
            pairs[edit.kind].setdefault((tag, to), edit)
    for pair in nested_pairs(keys, nested) if nested else ():
        pairs["broader"].setdefault(pair, None)
    inactive |= _without_circles(pairs["broader"], version)
    broader, narrower = _both_ways(pairs["broader"])
    implied, implied_by = _both_ways(pairs["implies"])
    return Relations(broader, narrower, implied, implied_by, descriptions, dict(labels), inactive)


def _without_circles(pairs: dict[Pair, Edit | None], version: str) -> dict[str, str]:
    """Take away what closes a circle: names that synonyms made one, paths against an edit. Says why of each edit."""
    if _is_circle_free(*_both_ways(pairs)):
        return {}
    gone = [pairs.pop(pair) for pair in closing_circles(list(pairs))]
    why = f"with other relations of version {version} it goes round in a circle"
    return {edit.id: why for edit in gone if edit is not None}


def _is_circle_free(forth: Related, back: Related) -> bool:
    """Whether tags can be taken away until none is left, each when nothing leads to it any more."""
    leading = {tag: len(starts) for tag, starts in back.items()}
    waiting = [tag for tag in forth if tag not in leading]
    while waiting:
        for tag in forth.get(waiting.pop(), NONE):
            leading[tag] -= 1
            if not leading[tag]:
                waiting.append(tag)
    return not any(leading.values())


def closing_circles(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that close a circle with those before them. Without a circle this takes time as the pairs grow."""
    left = {*pairs}
    for end in (0, 1):  # pairs from tags that nothing leads to, then pairs to tags that lead nowhere, are in no circle
        reached = Counter(pair[1 - end] for pair in left)
        by_start: defaultdict[int, list[Pair]] = defaultdict(list)
        for pair in left:
            by_start[pair[end]].append(pair)
        waiting = [tag for tag in by_start if not reached[tag]]
        while waiting:
            for pair in by_start[waiting.pop()]:
                left.discard(pair)
                reached[pair[1 - end]] -= 1
                if not reached[pair[1 - end]]:
                    waiting.append(pair[1 - end])
    kept: defaultdict[int, list[int]] = defaultdict(list)
    closing: list[Pair] = []
    for start, end in pairs:
        if (start, end) in left:
            if start in _reached(end, kept):
                closing.append((start, end))
            else:
                kept[start].append(end)
    return closing


def nested_pairs(keys: Sequence[str], separator: str) -> Iterator[Pair]:
    """Each tag with a nested name, and the nearest parent of its path that is a tag, too."""
    number = {key: tag for tag, key in enumerate(keys)}
    for key, tag in number.items():
        for parent in parents(key, separator):
            if parent in number:
                yield tag, number[parent]
                break


def parents(key: str, separator: str) -> Iterator[str]:
    """The parents of a nested name, the nearest first: animals/pets, animals for animals/pets/cat."""
    path = key.rpartition(separator)[0]
    while path:
        yield path.strip()
        path = path.rpartition(separator)[0]


def _both_ways(pairs: Mapping[Pair, Edit | None]) -> tuple[Related, Related]:
    forth: defaultdict[int, list[int]] = defaultdict(list)
    back: defaultdict[int, list[int]] = defaultdict(list)
    for start, end in sorted(pairs):
        forth[start].append(end)
        back[end].append(start)
    return dict(forth), dict(back)
