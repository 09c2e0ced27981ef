"""What a tag is counted as: synonyms, bans, folded variants of spelling, and the tags that it implies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from snapshot import Alias, AliasKind, distinct_pairs, normalise, plural_key, spelling_key
from snapshot.edits import parents
from worker.vocabulary.folding import Folding, Variants


@dataclass(frozen=True)
class Vocabulary:
    """Synonyms, banned tags, implied tags and the folding of variants; all tags are in normalised form."""

    targets: Mapping[str, str] = field(default_factory=dict)
    banned: frozenset[str] = frozenset()
    written: Mapping[str, str] = field(default_factory=dict)
    """The declared spelling of synonyms and their tags."""

    folding: Folding = field(default_factory=Folding)
    implied: tuple[tuple[str, str], ...] = ()
    """Pairs of a tag and a tag that it implies."""

    counted_path: str | None = None
    """What separates the parts of nested names, if a nested tag implies its parents."""

    def keys(self, counts: Mapping[str, int]) -> dict[str, str]:
        """The tag that each form is counted as; empty if it is banned. `counts` has the forms that occur.

        A declared form is counted as declared. Every other form follows the head of its variants. The tag of a synonym
        leads its variants, and a variant of a synonym is one too. A ban holds for all variants.
        """
        declared = {*self.targets, *self.targets.values(), *self.banned, *chain.from_iterable(self.implied)}
        all_counts = {**dict.fromkeys(declared, 0), **counts}
        heads = self.folding.heads(all_counts, first=set(self.targets.values()), next_=self.targets.keys())

        def key(form: str) -> str:
            target = self.targets.get(form) or self.targets.get(heads[form]) or form
            return heads[target]

        banned = {key(form) for form in self.banned}
        return {form: "" if (tag := key(form)) in banned else tag for form in all_counts}

    def implications(self, keys: Mapping[str, str]) -> dict[str, list[str]]:
        """All tags that each tag implies, also by way of others. `keys` is what each form is counted as."""
        direct: dict[str, list[str]] = {}
        for tag, to in self.implied:
            start, end = keys[tag], keys[to]
            if start and end and start != end:
                direct.setdefault(start, []).append(end)
        if self.counted_path:
            for tag in {tag for tag in keys.values() if self.counted_path in tag}:
                direct.setdefault(tag, []).extend(
                    keys.get(parent, parent) for parent in parents(tag, self.counted_path)
                )
        return {tag: sorted(_reached(tag, direct) - {tag}) for tag in direct}

    def aliases(
        self, keys: Mapping[str, str], counts: Mapping[str, int], names: Mapping[str, str]
    ) -> tuple[Alias, ...]:
        """The other names of tags. `names` are the commonest spellings of the forms that occur."""
        return tuple(
            Alias(names.get(form) or self.written.get(form, form), tag, self._how(form, tag), counts.get(form, 0))
            for form, tag in sorted(keys.items(), key=lambda pair: (pair[1], pair[0]))
            if tag not in {"", form}
        )

    def _how(self, form: str, tag: str) -> AliasKind:
        if form not in self.targets and spelling_key(form) == spelling_key(tag):
            return "spelling"
        return "plural" if form not in self.targets and plural_key(form) == plural_key(tag) else "synonym"


def vocabulary(
    synonyms: Mapping[str, str],
    ban: Iterable[str],
    variants: Variants = "off",
    distinct: Iterable[Iterable[str]] = (),
    *,
    implied: Iterable[tuple[str, str]] = (),
    counted_path: str | None = None,
) -> Vocabulary:
    """The vocabulary of a declaration, with chains of synonyms resolved; ValueError for a circle or contradiction."""
    written = {normalise(target): " ".join(target.split()) for target in synonyms.values()}
    written |= {normalise(tag): " ".join(tag.split()) for tag in synonyms}
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
    apart = distinct_pairs(distinct)
    for one, other in sorted(sorted(pair) for pair in apart):
        if targets.get(one, one) == targets.get(other, other):
            raise ValueError(f"{one!r} and {other!r} are also declared as synonyms; they can be one or two, not both")
    pairs: list[tuple[str, str]] = []
    for pair in implied:
        one, other = map(normalise, pair)
        if one and other and one != other:
            pairs.append((one, other))
            written.setdefault(other, " ".join(pair[1].split()))
    return Vocabulary(targets, banned, written, Folding(variants, apart), tuple(pairs), counted_path)


def _reached(start: str, direct: Mapping[str, list[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for tag in direct.get(waiting.pop(), ()):
            if tag not in reached:
                reached.add(tag)
                waiting.append(tag)
    return reached


def _end_of_chain(form: str, direct: Mapping[str, str]) -> str:
    path = [form]
    while path[-1] in direct:
        path.append(direct[path[-1]])
        if path[-1] in path[:-1]:
            raise ValueError("goes round in a circle: " + " = ".join(repr(step) for step in path))
    return path[-1]
