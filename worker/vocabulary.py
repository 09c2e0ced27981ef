"""Synonyms and bans of tags."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from snapshot import normalise


@dataclass(frozen=True)
class Vocabulary:
    """Synonyms and banned tags, all in normalised form."""

    targets: Mapping[str, str] = field(default_factory=dict)
    banned: frozenset[str] = frozenset()
    written: Mapping[str, str] = field(default_factory=dict)
    """The declared spelling of the tags that synonyms stand for."""

    def key(self, form: str) -> str:
        """The tag that a normalised form stands for; empty if it is banned."""
        target = self.targets.get(form, form)
        return "" if target in self.banned else target


def vocabulary(synonyms: Mapping[str, str], ban: Iterable[str]) -> Vocabulary:
    """The vocabulary of declared synonyms and bans, with chains of synonyms resolved; ValueError for a circle."""
    written = {normalise(target): " ".join(target.split()) for target in synonyms.values()}
    direct: dict[str, str] = {}
    for tag, target in synonyms.items():
        form = normalise(tag)
        if not form or not normalise(target):
            raise ValueError(f"{tag!r} = {target!r} leaves one of them empty")
        if direct.setdefault(form, normalise(target)) != normalise(target):
            raise ValueError(f"{tag!r} is declared twice, as {direct[form]!r} and as {target!r}")
    targets = {form: _end_of_chain(form, direct) for form in direct}
    banned = frozenset(normalise(tag) for tag in ban)
    for form in sorted(banned & targets.keys()):
        raise ValueError(f"{form!r} is also a synonym of {targets[form]!r}; it can be counted or left out, not both")
    return Vocabulary(targets, banned, written)


def _end_of_chain(form: str, direct: Mapping[str, str]) -> str:
    path = [form]
    while path[-1] in direct:
        path.append(direct[path[-1]])
        if path[-1] in path[:-1]:
            raise ValueError("goes round in a circle: " + " = ".join(repr(step) for step in path))
    return path[-1]
