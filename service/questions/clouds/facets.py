"""Reads the facet counts of other search engines: plain counts, and the facet part of their answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.errors import WrongBody

MOST_VALUES: Final = 2000
LONGEST_VALUE: Final = 500
NAMED: Final = ("aggregations", "facetDistribution", "facets", "facet_counts")
"""Where the answers of Elasticsearch and OpenSearch, of Meilisearch, of Algolia and of Typesense have their facets."""

LISTS: Final = {"buckets": ("key", "doc_count"), "counts": ("value", "count")}
"""Elasticsearch and Typesense list values and counts under these names; the others have counts by value."""


@dataclass(frozen=True)
class Facet:
    """The values of one facet and the number of documents with each."""

    name: str
    counts: Mapping[str, int]


def read_facet(body: Any, name: str = "") -> Facet:
    """The facet of a body that has this name, or the only one; WrongBody if there is none, or it is not clear which."""
    parts = _parts(body)
    if name and name not in parts:
        raise WrongBody(f"facet: the body has no facet {name!r}, only {_listed(parts)}")
    if not name and len(parts) != 1:
        raise WrongBody(f"facet: say which one of {_listed(parts)}" if parts else "the body has no facet")
    name = name or next(iter(parts))
    return Facet(name, _read_counts(parts[name], name))


def _parts(body: Any) -> dict[str, Mapping[str, Any]]:
    """The parts of a body that have a facet each, by name: of a whole answer, of its facet part, or of one facet."""
    if isinstance(body, list):
        parts = [part for part in body if isinstance(part, Mapping) and isinstance(part.get("counts"), list)]
        return {str(part.get("field_name", "counts")): part for part in parts}
    if not isinstance(body, Mapping):
        raise WrongBody("the body is neither an object nor a list")
    for key in NAMED:
        if isinstance(body.get(key), Mapping | list):
            return _parts(body[key])
    for key in LISTS:
        if isinstance(body.get(key), list):
            return {str(body.get("field_name", key)): body}
    parts_by_name = {name: value for name, value in body.items() if isinstance(value, Mapping)}
    aggregations = {name: value for name, value in parts_by_name.items() if isinstance(value.get("buckets"), list)}
    return {name.rpartition("#")[2]: value for name, value in aggregations.items()} or parts_by_name


def _read_counts(part: Mapping[str, Any], name: str) -> dict[str, int]:
    for key, (value_key, count_key) in LISTS.items():
        if isinstance(part.get(key), list):
            return _counts(part[key], value_key, count_key, name)
    return _counts(({"value": key, "count": count} for key, count in part.items()), "value", "count", name)


def _counts(entries: Iterable[Any], value_key: str, count_key: str, name: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entry in entries:
        if not isinstance(entry, Mapping) or value_key not in entry:
            raise WrongBody(f'{name}: an entry has no "{value_key}"')
        value, count = _text(entry[value_key]), entry.get(count_key)
        if len(value) > LONGEST_VALUE:
            raise WrongBody(f"{name}: a value is longer than {LONGEST_VALUE} characters")
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise WrongBody(f'{name}: the "{count_key}" of {value!r} is not a whole number')
        counts[value] = counts.get(value, 0) + count
        if len(counts) > MOST_VALUES:
            raise WrongBody(f"{name}: more than {MOST_VALUES} values")
    return counts


def _text(value: object) -> str:
    """A value as text: engines also facet numbers and truth values."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(facets: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in facets) or "none"
