"""Finds the tag that a name stands for: its own key, a declared synonym, or a variant that the run folded."""

from collections.abc import Callable, Iterable
from typing import Final, Literal

import numpy as np

from snapshot import Alias, Snapshot, distinct_pairs, normalise, plural_key, spelling_key

How = Literal["exact", "synonym", "plural", "inflection", "spelling"]
"""How a name was recognised as a tag; the first that applies."""

Reading = Literal["exact", "synonym", "plural", "inflection", "title", "spelling"]
"""How a piece of a query was understood: as a tag, or as a word of titles."""

Found = tuple[int, How]

KEYS: Final[dict[object, Callable[[str], str]]] = {"spelling": spelling_key, "plurals": plural_key}
"""What the variants share that a run folds, by its `variants`."""


class Names:
    """The names of the tags of a snapshot. If a name is both a tag and an alias, the tag wins.

    `aliases` are those of the snapshot. Attributes:
        index: the tags by key, head and tail.
        others: the aliases by normalised form, and how they stand for their tags.
        of_tag: the aliases of each tag that has any, commonest first.
        rare: the declared synonyms whose tag no document has, and this tag.
        banned: the banned tags, normalised.
    """

    def __init__(self, snapshot: Snapshot, by_count: Iterable[int]) -> None:
        self._keys = snapshot.keys + snapshot.tail.keys
        self.index: dict[str, int] = {key: tag for tag, key in enumerate(self._keys)}
        for place in np.flatnonzero(snapshot.tail.counts == 0).tolist():  # rare tags whose documents were deleted
            del self.index[snapshot.tail.keys[place]]
        self.others: dict[str, Found] = {}
        self.of_tag: dict[int, list[Alias]] = {}
        self.rare: dict[str, str] = {}
        self.banned = frozenset(normalise(tag) for tag in snapshot.parameters.get("ban", ()))
        self._key = KEYS.get(snapshot.parameters.get("variants"))
        self._distinct = distinct_pairs(snapshot.parameters.get("distinct", ()))
        self._by_key: dict[str, Found] = {}
        self._banned_keys: frozenset[str] = frozenset()
        for alias in sorted(snapshot.aliases, key=lambda alias: -alias.count):
            self._add(alias)
        if self._key is not None:
            self._index_variants(self._key, [snapshot.keys[tag] for tag in by_count])

    def find(self, name: str) -> Found | None:
        """The tag that a run would count a name as, and how; None if there is none."""
        tag = self.index.get(name)
        if tag is not None:
            return tag, "exact"
        form = normalise(name)
        tag = self.index.get(form)
        if tag is not None:
            return tag, "exact"
        return self.others.get(form) or self.variant(form)

    def tag(self, name: str) -> int | None:
        """The tag that a run would count a name as; None if there is none."""
        found = self.find(name)
        return None if found is None else found[0]

    def variant(self, form: str) -> Found | None:
        """The tag that a form is a variant of, by the rule of the run; None if the run folds none."""
        if self._key is None or form in self.rare:
            return None
        found = self._by_key.get(self._key(form))
        return None if found is None or frozenset((form, self._keys[found[0]])) in self._distinct else found

    def is_banned(self, name: str) -> bool:
        """Whether the run leaves this tag out, because it is banned or a variant of a banned one."""
        form = normalise(name)
        return form in self.banned or (self._key is not None and self._key(form) in self._banned_keys)

    def _add(self, alias: Alias) -> None:
        form, tag = normalise(alias.name), self.index.get(alias.tag)
        if tag is None:
            self.rare[form] = alias.tag
        elif form not in self.index:
            self.others[form] = (tag, alias.how)
            self.of_tag.setdefault(tag, []).append(alias)

    def _index_variants(self, key_of: Callable[[str], str], keys: Iterable[str]) -> None:
        """Variants that no document had yet: of two tags that an editor keeps apart, they belong to the commoner."""
        for key in keys:
            self._by_key.setdefault(key_of(key), (self.index[key], "spelling"))
        for form, found in self.others.items():
            self._by_key.setdefault(key_of(form), found)
        self._by_key.pop("", None)
        self._banned_keys = frozenset(key_of(form) for form in self.banned) - {""}
