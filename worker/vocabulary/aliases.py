"""The other names of the tags of a run: which a snapshot stores, and how versions, labels and checks use them."""

from collections.abc import Iterable, Mapping

from snapshot import Alias, normalise, spelling_key


def served_aliases(aliases: Iterable[Alias], keys: Iterable[str]) -> tuple[Alias, ...]:
    """The aliases of the tags of a snapshot. Declared synonyms of rare tags too: a question can then name the tag."""
    known = set(keys)
    return tuple(alias for alias in aliases if alias.tag in known or alias.how == "synonym")


def former_keys(keys: Iterable[str], aliases: Iterable[Alias], previous: Iterable[str]) -> tuple[str, ...]:
    """The keys by which the previous version knows the tags; the own key of a tag that it does not know.

    Another spelling may be the commonest now, or an editor declared another name. The tag is still the same.
    """
    known = set(previous)
    former: dict[str, tuple[int, str]] = {}
    for alias in aliases:
        form = normalise(alias.name)
        if form in known:
            former[alias.tag] = max(former.get(alias.tag, (-1, "")), (alias.count, form))
    return tuple(key if key in known or key not in former else former[key][1] for key in keys)


def with_known_keys(labels: Mapping[str, str], aliases: Iterable[Alias]) -> dict[str, str]:
    """Editors' labels by tags, with aliases replaced by the keys of their tags."""
    key_of = {normalise(alias.name): alias.tag for alias in aliases}
    return {key_of.get(normalise(tag), tag): label for tag, label in labels.items()}


def shadowed_synonyms(aliases: Iterable[Alias], keys: Iterable[str]) -> list[str]:
    """What to tell editors about declared synonyms that are spelled like another tag in use: questions find the tag."""
    tag_of = {spelling_key(key): key for key in keys}
    return [
        f"the synonym {alias.name!r} of {alias.tag!r} is spelled like the tag {tag!r}, which wins in questions"
        for alias in aliases
        if alias.how == "synonym" and (tag := tag_of.get(spelling_key(normalise(alias.name)))) not in {None, alias.tag}
    ]
