"""Which edits contradict each other, and which therefore do not hold. They come oldest first, the file's before all."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from snapshot.edits.edit import Edit, Kind

SAME_PLACE: Final[dict[Kind, str]] = {
    "move": "go to two places",
    "synonym": "be two tags",
    "label": "have two labels",
    "describe": "have two descriptions",
    "translate": "have two labels in one language",
}
"""What one tag cannot do."""

MOST_CIRCLES: Final = 100
"""Circles of one relation that are named at once."""


@dataclass(frozen=True)
class Conflict:
    """Two edits that cannot both hold. `edit` is the younger one."""

    detail: str
    edit: Edit
    other: Edit


class TagBlocks:
    """Tags that belong together: those of overlapping `together` are in one block, every other tag is in its own."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._parent: dict[str, str] = {}
        for edit in edits:
            if edit.kind == "together":
                first = self.of(edit.forms[0])
                for form in edit.forms[1:]:
                    self._parent[self.of(form)] = first

    def of(self, form: str) -> str:
        """The name of the block of a tag."""
        path = []
        while (up := self._parent.get(form, form)) != form:
            path.append(form)
            form = up
        for each in path:
            self._parent[each] = form
        return form


def conflicts(edits: Sequence[Edit]) -> list[Conflict]:
    """Every contradiction and every circle among the edits."""
    return [
        *_two_answers(edits),
        *_circles(edits, "synonym"),
        *relation_circles(edits, "broader"),
        *relation_circles(edits, "implies"),
        *_excluded(edits),
        *_one_and_two(edits),
        *_moves(edits),
    ]


def without_conflicts(edits: Sequence[Edit]) -> tuple[list[Edit], dict[str, str]]:
    """The edits that hold beside each other, and why each of the others does not: the younger one gives way."""
    holding = list(edits)
    refused: dict[str, str] = {}
    while found := conflicts(holding):
        for conflict in found:
            refused.setdefault(conflict.edit.id, f"it contradicts {conflict.other}")
        holding = [edit for edit in holding if edit.id not in refused]
    return holding, refused


def _two_answers(edits: Sequence[Edit]) -> Iterator[Conflict]:
    """One tag moved, named or counted in two ways."""
    known: dict[tuple[str, str, str], Edit] = {}
    for edit in edits:
        if edit.kind in SAME_PLACE:
            first = known.setdefault((edit.kind, edit.forms[0], edit.language), edit)
            if first.id != edit.id:
                detail = f"{edit.tag!r} cannot {SAME_PLACE[edit.kind]}: {edit} and {first}"
                yield Conflict(detail, edit, first)


def _excluded(edits: Sequence[Edit]) -> Iterator[Conflict]:
    """A banned tag that is also counted as another one, kept, or implied."""
    bans = {edit.forms[0]: (number, edit) for number, edit in enumerate(edits) if edit.kind == "ban"}
    for number, edit in enumerate(edits):
        counted = edit.forms[-1] if edit.kind == "implies" else edit.forms[0]
        if edit.kind in {"synonym", "keep", "implies", "admit"} and counted in bans:
            at, ban = bans[counted]
            detail = f"{ban.tag!r} can be counted or left out, not both: {edit} and {ban}"
            yield Conflict(detail, *((edit, ban) if number > at else (ban, edit)))


def _one_and_two(edits: Sequence[Edit]) -> Iterator[Conflict]:
    """Synonyms that are also kept apart, as tags or in different concepts."""
    synonyms = {edit.forms[0]: edit for edit in edits if edit.kind == "synonym"}
    if not synonyms:
        return
    order = {edit.id: number for number, edit in enumerate(edits)}
    ends = _ends({tag: edit.forms[1] for tag, edit in synonyms.items()})
    for edit in edits:
        if edit.kind in {"distinct", "apart"}:
            first_at: dict[str, str] = {}
            for form in edit.forms:
                one = first_at.setdefault(ends.get(form, form), form)
                if one != form:
                    other = synonyms.get(form) or synonyms[one]
                    detail = f"{one!r} and {form!r} can be one tag or two, not both: {edit} and {other}"
                    yield Conflict(detail, *sorted((edit, other), key=lambda each: -order[each.id]))


def _moves(edits: Sequence[Edit]) -> Iterator[Conflict]:
    """Tags that belong together but go to two places, moves in a circle, and tags that end up where they must not."""
    blocks = TagBlocks(edits)
    out: dict[str, Edit] = {}
    for edit in edits:
        if edit.kind == "move":
            start, end = map(blocks.of, edit.forms)
            if start == end:
                continue
            first = out.setdefault(start, edit)
            if blocks.of(first.forms[1]) != end and first.forms[0] != edit.forms[0]:
                detail = f"{first.tag!r} and {edit.tag!r} belong together but go to two places: {edit} and {first}"
                yield Conflict(detail, edit, first)
    targets = {start: blocks.of(edit.forms[1]) for start, edit in out.items()}
    circles = list(_circles_among(targets, out, edits))
    yield from circles
    if not circles:
        yield from _apart(edits, blocks, targets)


def _apart(edits: Sequence[Edit], blocks: TagBlocks, targets: Mapping[str, str]) -> Iterator[Conflict]:
    order = {edit.id: number for number, edit in enumerate(edits)}
    by_block: defaultdict[str, list[Edit]] | None = None
    ends: dict[str, str] = {}
    for edit in edits:
        if edit.kind != "apart":
            continue
        first_at: dict[str, str] = {}
        for form in edit.forms:
            block = blocks.of(form)
            end = ends.get(block) or ends.setdefault(block, _chain(block, targets)[-1])
            one = first_at.setdefault(end, form)
            if one == form:
                continue
            if by_block is None:
                by_block = _joining(edits, blocks)
            joined = {
                each.id: each
                for start in (one, form)
                for step in _chain(blocks.of(start), targets)
                for each in by_block[step]
            }
            youngest = max(joined.values(), key=lambda each: order[each.id])
            detail = f"{one!r} and {form!r} can be together or apart, not both: {edit} and {youngest}"
            yield Conflict(detail, *sorted((edit, youngest), key=lambda each: -order[each.id]))


def _joining(edits: Iterable[Edit], blocks: TagBlocks) -> defaultdict[str, list[Edit]]:
    """The edits that join tags, by the block of their first tag."""
    joining: defaultdict[str, list[Edit]] = defaultdict(list)
    for edit in edits:
        if edit.kind in {"together", "move"}:
            joining[blocks.of(edit.forms[0])].append(edit)
    return joining


def relation_circles(edits: Sequence[Edit], kind: Kind) -> Iterator[Conflict]:
    """Circles of a relation in which a tag may have several targets; at most MOST_CIRCLES, of edits all different.

    Tags without a target, or that are no target, are in no circle: they are taken away until only circles and the ways
    between them are left. Without a circle this takes time in proportion to the edits.
    """
    own = [(number, edit) for number, edit in enumerate(edits) if edit.kind == kind]
    for _ in range(MOST_CIRCLES):
        own = _on_circles(own)
        if not own:
            return
        circle = _one_circle(own)
        ordered = sorted(circle, key=lambda each: -each[0])
        steps = ", ".join(str(edit) for _, edit in circle)
        yield Conflict(f"these go round in a circle: {steps}", ordered[0][1], ordered[1][1])
        own = [each for each in own if each[0] != ordered[0][0]]


NumberedEdit = tuple[int, Edit]


def _on_circles(edits: list[NumberedEdit]) -> list[NumberedEdit]:
    """The edits on circles and on ways between circles."""
    for start, end in ((0, 1), (1, 0)):  # tags that nothing leads to, then tags that lead nowhere
        left = Counter(edit.forms[end] for _, edit in edits)
        leaving: defaultdict[str, list[int]] = defaultdict(list)
        for place, (_, edit) in enumerate(edits):
            leaving[edit.forms[start]].append(place)
        gone: set[int] = set()
        waiting = [tag for tag in leaving if not left[tag]]
        while waiting:
            for place in leaving[waiting.pop()]:
                gone.add(place)
                tag = edits[place][1].forms[end]
                left[tag] -= 1
                if not left[tag]:
                    waiting.append(tag)
        edits = [each for place, each in enumerate(edits) if place not in gone]
    return edits


def _one_circle(edits: list[NumberedEdit]) -> list[NumberedEdit]:
    """One circle: from tag to tag, along the oldest edit of each, until a tag comes again. Every tag has a target."""
    out: dict[str, NumberedEdit] = {}
    for each in edits:
        out.setdefault(each[1].forms[0], each)
    path: list[NumberedEdit] = []
    place: dict[str, int] = {}
    tag = edits[0][1].forms[0]
    while tag not in place:
        place[tag] = len(path)
        path.append(out[tag])
        tag = path[-1][1].forms[1]
    return path[place[tag] :]


def _circles(edits: Sequence[Edit], kind: Kind) -> Iterator[Conflict]:
    by_start: dict[str, Edit] = {}
    for edit in edits:
        if edit.kind == kind:
            by_start.setdefault(edit.forms[0], edit)
    yield from _circles_among({start: edit.forms[1] for start, edit in by_start.items()}, by_start, edits)


def _circles_among(
    targets: Mapping[str, str], by_start: Mapping[str, Edit], edits: Sequence[Edit]
) -> Iterator[Conflict]:
    order = {edit.id: number for number, edit in enumerate(edits)}
    seen: set[str] = set()
    for start in targets:
        if start in seen:
            continue
        path = _chain(start, targets, seen)
        seen.update(path)
        if path[-1] in path[:-1]:
            circle = [by_start[step] for step in path[path.index(path[-1]) : -1]]
            youngest, other = sorted(circle, key=lambda each: -order[each.id])[:2]
            steps = ", ".join(str(each) for each in circle)
            yield Conflict(f"these go round in a circle: {steps}", youngest, other)


def _ends(targets: Mapping[str, str]) -> dict[str, str]:
    """The end of the chain of each start. Each step is taken once, however long the chains are."""
    ends: dict[str, str] = {}
    for start in targets:
        path = _chain(start, targets, ends.keys())
        end = ends.get(path[-1], path[-1])
        ends |= dict.fromkeys(path[:-1], end)
    return ends


def _chain(start: str, targets: Mapping[str, str], seen: AbstractSet[str] = frozenset()) -> list[str]:
    """The steps from a start to the end of its chain, or to the first step that repeats."""
    path = [start]
    on_path = {start}
    while path[-1] in targets and path[-1] not in seen:
        path.append(targets[path[-1]])
        if path[-1] in on_path:
            break
        on_path.add(path[-1])
    return path
