"""Folds the spellings of one tag into one, before the matrix is built: hip-hop, hip hop and hiphop."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from snapshot import TagPairs, plural_key, spelling_key

Variants = Literal["spelling", "plurals", "propose", "off"]
"""What is folded: spellings; spellings and regular plurals; nothing (`propose` only says what might be)."""


@dataclass(frozen=True)
class Folding:
    """Which variants are folded, and the pairs of normalised forms that stay apart."""

    variants: Variants = "off"
    distinct: TagPairs = frozenset()

    def heads(
        self, counts: Mapping[str, int], first: Collection[str] = (), next_: Collection[str] = ()
    ) -> dict[str, str]:
        """The form that each form is counted as: the commonest of its variants.

        Forms of `first` come before commoner ones, then forms of `next_`. Of equally common forms the first in the
        alphabet leads, so that the order of documents does not matter.
        """
        if self.variants not in {"spelling", "plurals"}:
            return {form: form for form in counts}
        order = sorted(counts, key=lambda form: (form not in first, form not in next_, -counts[form], form))
        groups = self._merge([[form] for form in order], spelling_key)
        if self.variants == "plurals":
            totals = {tuple(group): sum(counts[form] for form in group) for group in groups}
            groups.sort(
                key=lambda group: (group[0] not in first, group[0] not in next_, -totals[tuple(group)], group[0])
            )
            groups = self._merge(groups, plural_key)
        return {form: group[0] for group in groups for form in group}

    def _merge(self, groups: Iterable[list[str]], key_of: Callable[[str], str]) -> list[list[str]]:
        """Each group joins the first one with its key from which nothing keeps it apart."""
        merged: list[list[str]] = []
        by_key: defaultdict[str, list[list[str]]] = defaultdict(list)
        for group in groups:
            key = key_of(group[0])
            partner = next((other for other in by_key[key] if self._may_join(group, other)), None) if key else None
            if partner is not None:
                partner += group
                continue
            merged.append(group)
            by_key[key].append(group)
        return merged

    def _may_join(self, one: list[str], other: list[str]) -> bool:
        return not self.distinct or not any(frozenset((a, b)) in self.distinct for a in one for b in other)
