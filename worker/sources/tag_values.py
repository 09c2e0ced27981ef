"""Tags that are no list of texts: objects with votes, lists of objects with names, and lists inside objects."""

from math import isfinite
from typing import Any, Final

NAMES: Final = ("name", "tag", "label", "title", "value", "text", "term", "display_name", "slug")
"""What an object calls the tag that it describes, likelier names first."""

WEIGHTS: Final = ("weight", "votes", "count", "score")
"""What an object or a row of a pair calls the weight of its tag, likelier names first."""

WRAPPERS: Final = ("nodes", "edges", "data", "items")
WRAPPED_NUMBERS: Final = frozenset({"$numberLong", "$numberInt"})
NO: Final = frozenset({"", "0", "0.0", "false", "no", "n", "f", "-"})
YES: Final = frozenset({"1", "1.0", "true", "yes", "y", "t", "x", "✓"})


def plain_value(value: object) -> object:
    """What MongoDB wraps as in `{"$oid": "…"}` or `{"$numberLong": "1"}`; any other value as it is."""
    if isinstance(value, dict) and len(value) == 1:
        name, inner = next(iter(value.items()))
        if name in WRAPPED_NUMBERS:
            return int(inner)
        return inner if name == "$oid" else value
    return value


def tag_names(value: object) -> object:
    """The names of the tags in an object or a list of objects; the value itself if it is neither."""
    if isinstance(value, dict):
        wrapped = next((value[key] for key in WRAPPERS if isinstance(value.get(key), list)), None)
        if wrapped is not None:
            return tag_names(wrapped)
        return [str(name) for name, votes in value.items() if is_set(votes)]
    if isinstance(value, list):
        return [_name(each) for each in value]
    return value


def tag_weights(value: object) -> tuple[float, ...] | None:
    """The weights of the tags that `tag_names` gives, in the same order; None where the value has none."""
    if isinstance(value, dict):
        wrapped = next((value[key] for key in WRAPPERS if isinstance(value.get(key), list)), None)
        if wrapped is not None:
            return tag_weights(wrapped)
        return tuple(weight_of(votes) for votes in value.values() if is_set(votes))
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return tuple(_object_weight(each) for each in value)
    return None


def weight_of(votes: object) -> float:
    """A weight as a number: a mark such as yes counts 1. ValueError if it is none, or not above 0."""
    if isinstance(votes, str) and votes.strip().lower() in YES:
        return 1.0
    try:
        weight = float(votes)  # type: ignore[arg-type]  # what is no number raises
    except (TypeError, ValueError):
        raise ValueError(f"the weight {str(votes)[:20]!r} is no number") from None
    if not (isfinite(weight) and weight >= 0):
        raise ValueError(f"the weight {str(votes)[:20]!r} is not 0 or more")
    return weight


def _object_weight(element: Any) -> float:
    """The weight of an element of a list; 1 without one."""
    if not isinstance(element, dict):
        return 1.0
    if isinstance(element.get("node"), dict):
        element = element["node"]
    key = next((name for name in WEIGHTS if name in element), None)
    return 1.0 if key is None else weight_of(element[key])


def is_set(votes: object) -> bool:
    """Whether a number of votes, a truth value or the mark of a table means that the document has the tag."""
    if votes is None or isinstance(votes, bool | int | float):
        return bool(votes) and float(votes or 0) > 0
    if isinstance(votes, str):
        text = votes.strip().lower()
        if text in NO:
            return False
        if text in YES:
            return True
        try:
            return float(text) > 0
        except ValueError:
            pass
    raise ValueError("a tag has neither votes nor yes or no")


def _name(element: Any) -> Any:
    """The tag that an element of a list names."""
    if not isinstance(element, dict):
        return element
    if isinstance(element.get("node"), dict):
        element = element["node"]
    for key in NAMES:
        if isinstance(element.get(key), str):
            return element[key]
    raise ValueError(f"an object among the tags has no name ({', '.join(map(str, element))[:60]})")
