"""What editors say about single tags and pairs of them: broader and implied tags, descriptions, labels by language."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from snapshot.edits.edit import Edit

RELATING = frozenset({"broader", "implies", "describe", "translate"})
"""The kinds of edits that say it."""

Related = Mapping[int, Sequence[int]]
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
    pairs: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    descriptions: dict[int, str] = {}
    labels: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for edit in edits:
        if edit.kind not in RELATING:
            continue
        tags = [find(name) for name in edit.names]
        if edit.kind == "implies" and tags[0] is not None and tags[1] is None:
            continue  # the next run makes the implied tag
        if None in tags:
            inactive[edit.id] = f"there is no tag {edit.names[tags.index(None)]!r} in version {version}"
            continue
        known = [tag for tag in tags if tag is not None]
        if edit.kind == "describe":
            descriptions.setdefault(known[0], edit.text)
        elif edit.kind == "translate":
            labels[known[0]].setdefault(edit.language, edit.label)
        elif known[0] == known[1]:
            inactive[edit.id] = f"{edit.tag!r} and {edit.to!r} are one tag in this version"
        else:
            pairs[edit.kind].append((known[0], known[1]))
    if nested:
        pairs["broader"] += nested_pairs(keys, nested)
    broader, narrower = _both_ways(pairs["broader"])
    implied, implied_by = _both_ways(pairs["implies"])
    return Relations(broader, narrower, implied, implied_by, descriptions, dict(labels), inactive)


def nested_pairs(keys: Sequence[str], separator: str) -> Iterator[tuple[int, int]]:
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


def _both_ways(pairs: Iterable[tuple[int, int]]) -> tuple[Related, Related]:
    forth: defaultdict[int, list[int]] = defaultdict(list)
    back: defaultdict[int, list[int]] = defaultdict(list)
    for start, end in sorted({*pairs}):
        forth[start].append(end)
        back[end].append(start)
    return dict(forth), dict(back)
