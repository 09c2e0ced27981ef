"""What the last versions changed in one concept."""

from dataclasses import dataclass
from typing import Final

from service.view.view import View
from snapshot.version.changes import Step, is_renamed

NAMED: Final = 12
"""Tags that are named; the others are counted."""


@dataclass(frozen=True)
class ConceptStep:
    """What one version changed in a concept: tags that joined or left it, and the label it had before."""

    version: str
    joined: list[str]
    left: list[str]
    label_before: str | None

    @property
    def words(self) -> list[str]:
        """One sentence for each kind of change."""
        named = f"its label was {self.label_before!r} before" if self.label_before else ""
        return [part for part in (named, _listed("joined", self.joined), _listed("left", self.left)) if part]


def concept_steps(view: View, number: int) -> list[ConceptStep]:
    """The steps that changed the concept, newest first, from the one that brought it about."""
    found: list[ConceptStep] = []
    for step in view.steps:
        if number in step.names_after and number not in step.names_before:
            break  # the step in which it came about
        changed = _concept_step(view, step, number)
        if changed.words:
            found.append(changed)
    return found


def _concept_step(view: View, step: Step, number: int) -> ConceptStep:
    names = dict(zip(view.snapshot.keys, view.snapshot.names, strict=True)) if step.moved else {}
    joined = [tag.name for tag in step.came if tag.cluster == number]
    joined += [names.get(tag.key, tag.key) for tag in step.moved if tag.after == number]
    left = [tag.name for tag in step.went if tag.cluster == number]
    left += [names.get(tag.key, tag.key) for tag in step.moved if tag.before == number]
    before, after = step.names_before.get(number), step.names_after.get(number, "")
    renamed = before if before is not None and is_renamed(before, after) else None
    return ConceptStep(step.version, sorted(joined), sorted(left), renamed)


def _listed(what: str, tags: list[str]) -> str:
    if not tags:
        return ""
    more = f" and {len(tags) - NAMED:,} more" if len(tags) > NAMED else ""
    return f"{what}: {', '.join(tags[:NAMED])}{more}"
