"""What becomes of the tags that somebody chose: kept, replaced, near to others, new, or refused."""

from collections.abc import Sequence
from typing import Final

from service.answers import GivenTag, NearTag
from service.questions.edits.proposals import open_proposals, shown
from service.questions.text.canonical import closest_tags, find_name
from service.view.view import View
from snapshot import normalise
from snapshot.edits import Edit

MOST_NEAR: Final = 3


def given_tags(view: View, names: Sequence[str]) -> list[tuple[GivenTag, int | None]]:
    """Each name as an answer says it, and the tag that it stands for; None if it stands for none."""
    doubles = _doubles(view) if names else {}
    return [_given(view, name, doubles) for name in names]


def _given(view: View, name: str, doubles: dict[int, list[NearTag]]) -> tuple[GivenTag, int | None]:
    if view.names.is_banned(name) or _ban(view, name) is not None:
        return _refused(view, name), None
    found = find_name(view, name)
    close = next(iter(closest_tags(view, [name]))) if found is None else None
    if close is not None and not close.meant:
        near = [_near(view, tag, "spelled alike") for tag in close.tags[:MOST_NEAR]]
        return _answer(name, "near" if near else "new", near=near), None
    tag, how = found if found is not None else (close.tags[0], "spelling")  # type: ignore[union-attr]  # one of the two
    count, written = view.counts[tag], view.tag_names[tag]
    if normalise(name) != view.tag_keys[tag]:
        return _answer(name, "canonical", tag=written, how=how, count=count), tag
    near = doubles.get(tag, [])[:MOST_NEAR]
    return _answer(name, "near" if near else "kept", tag=written, how=how, count=count, near=near), tag


def _refused(view: View, name: str) -> GivenTag:
    """By whom and when is known of a ban by an editor that is still there."""
    ban = _ban(view, name)
    answer = _answer(name, "refused")
    if ban is not None:
        answer["by"] = ban.by or ("the corpora file" if ban.origin == "file" else None)
        answer["at"] = ban.at or None
    return answer


def _ban(view: View, name: str) -> Edit | None:
    form = normalise(name)
    bans = (edit for edit in view.edits.holding if edit.kind == "ban")
    return next((edit for edit in bans if form in edit.forms), None)


def _doubles(view: View) -> dict[int, list[NearTag]]:
    """The tags that a run takes for doubles of commoner ones, and nobody decided about; of the kinds that are shown."""
    doubles: dict[int, list[NearTag]] = {}
    for proposal in shown(open_proposals(view)):
        tag, other = view.names.tag(proposal.tag), view.names.tag(proposal.other) if proposal.other else None
        if tag is not None and other is not None and tag != other:
            alike = f"{round(100 * proposal.similarity)} % the same company, together in {proposal.together} documents"
            doubles.setdefault(other, []).append(_near(view, tag, alike))
    return doubles


def _near(view: View, tag: int, evidence: str) -> NearTag:
    return {"tag": view.tag_names[tag], "count": view.counts[tag], "evidence": evidence}


def _answer(name: str, state: str, **known: object) -> GivenTag:
    blank: dict[str, object] = {"tag": None, "how": None, "count": 0, "near": [], "by": None, "at": None}
    return {"input": name, "state": state, **blank, **known}  # type: ignore[typeddict-item]
