"""The vocabulary as SKOS: tags are concepts with labels and relations, clusters are collections of them.

A relation is written only where an editor or a nested name says so; `related` comes from the learnt weights.
docs/reference/skos.md maps every statement. W3C, SKOS Reference, 2009.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import quote

import orjson

from service.questions.related.ranking import rank
from service.response_cache import CachedResponse
from service.view.view import View
from snapshot import normalise

SkosFormat = Literal["turtle", "json-ld"]
MEDIA_TYPES: Final[dict[SkosFormat, str]] = {"turtle": "text/turtle", "json-ld": "application/ld+json"}
IMPLIES: Final = "https://github.com/cotag/cotag/blob/main/docs/reference/skos.md#implies"
FOLDED: Final = "https://github.com/cotag/cotag/blob/main/docs/reference/skos.md#folded"
PREFIXES: Final = {
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
MOST_RELATED: Final = 5
SPECIFIC: Final = 1.0
"""The specificity of related tags."""


@dataclass(frozen=True)
class LabelText:
    """A text, in a language or in none."""

    text: str
    language: str | None = None


@dataclass(frozen=True)
class Resource:
    """One thing: its address, its class, texts by property, and addresses of other things by property."""

    uri: str
    kind: str
    texts: dict[str, list[LabelText]] = field(default_factory=dict)
    links: dict[str, list[str]] = field(default_factory=dict)


def skos(view: View, form: SkosFormat, base: str) -> CachedResponse:
    """The whole vocabulary. `base` is what addresses begin with; empty: urn:cotag:NAME."""
    write = {"turtle": _turtle, "json-ld": _json_ld}[form]
    return CachedResponse(
        write(resources(view, Addresses(base or f"urn:cotag:{view.snapshot.corpus}"))), "", MEDIA_TYPES[form]
    )


class Addresses:
    """Addresses that last: of the scheme, of tags by their keys, of clusters by their ids."""

    def __init__(self, base: str) -> None:
        self.scheme = base.rstrip("/:#")
        self._between = ":" if base.startswith("urn:") else "/"

    def tag(self, key: str) -> str:
        """The address of a tag."""
        return self._between.join((self.scheme, "tag", quote(key, safe="")))

    def cluster(self, number: int) -> str:
        """The address of a cluster."""
        return self._between.join((self.scheme, "cluster", str(number)))


def resources(view: View, addresses: Addresses) -> Iterator[Resource]:
    """The scheme, the tags in the order of their keys, and the clusters in the order of their ids."""
    snapshot = view.snapshot
    yield Resource(
        addresses.scheme,
        "skos:ConceptScheme",
        {
            "dcterms:title": [LabelText(snapshot.title or snapshot.corpus)],
            "dcterms:hasVersion": [LabelText(view.edition)],
            "dcterms:modified": [LabelText(snapshot.created.isoformat())],
        },
    )
    for tag in sorted(range(len(view.tag_keys)), key=view.tag_keys.__getitem__):
        yield _concept(view, tag, addresses)
    for number in sorted(view.clusters):
        tags = [*view.members.get(number, ()), *view.tail_members.get(number, ())]
        yield Resource(
            addresses.cluster(number),
            "skos:Collection",
            {"skos:prefLabel": [LabelText(view.clusters[number].name)]},
            {"skos:member": [addresses.tag(view.tag_keys[tag]) for tag in tags]},
        )


def _concept(view: View, tag: int, addresses: Addresses) -> Resource:
    relations = view.relations
    texts = _labels(view, tag)
    if tag in relations.descriptions:
        texts["skos:definition"] = [LabelText(relations.descriptions[tag], view.snapshot.parameters.get("language"))]

    def addressed(tags: list[int]) -> list[str]:
        return [addresses.tag(view.tag_keys[each]) for each in tags]

    links = {
        "skos:inScheme": [addresses.scheme],
        "skos:broader": addressed(list(relations.broader.get(tag, ()))),
        "skos:narrower": addressed(list(relations.narrower.get(tag, ()))),
        f"<{IMPLIES}>": addressed(list(relations.implied.get(tag, ()))),
        "skos:related": addressed(_related(view, tag)),
    }
    return Resource(addresses.tag(view.tag_keys[tag]), "skos:Concept", texts, links)


def _labels(view: View, tag: int) -> dict[str, list[LabelText]]:
    """One preferred label in each language; the other names are alternative labels, and never a preferred one, too."""
    language = view.snapshot.parameters.get("language")
    preferred: dict[str | None, str] = {language: view.tag_names[tag]}
    preferred.update(view.relations.labels.get(tag, {}))
    aliases = view.names.of_tag.get(tag, ())
    others = [alias.name for alias in aliases]
    if preferred[language] != view.tag_names[tag]:
        others.insert(0, view.tag_names[tag])
    taken = {normalise(preferred[language])}
    alternative: list[LabelText] = []
    for name in others:
        if normalise(name) not in taken:
            taken.add(normalise(name))
            alternative.append(LabelText(name, language))
    labels = {"skos:prefLabel": [LabelText(text, of) for of, text in preferred.items()]}
    by_rule = {alias.name for alias in aliases if alias.how != "synonym"}
    folded = [each for each in alternative if each.text in by_rule]
    more = {"skos:altLabel": alternative, f"<{FOLDED}>": folded}
    return labels | {name: texts for name, texts in more.items() if texts}


def _related(view: View, tag: int) -> list[int]:
    """The most specific related tags. What is broader or narrower is not related as well (SKOS, S27)."""
    if view.is_tail(tag):
        return []
    relations = view.relations
    hierarchy = {*relations.all_narrower(tag), *relations.all_broader(tag)}
    ranked = rank(view, (tag,), SPECIFIC, MOST_RELATED + len(hierarchy)).tags
    return [each for each in ranked if each not in hierarchy][:MOST_RELATED]


def _turtle(found: Iterator[Resource]) -> bytes:
    lines = [f"@prefix {name}: <{address}> ." for name, address in PREFIXES.items()]
    for resource in found:
        statements = [f"a {resource.kind}"]
        for name, texts in resource.texts.items():
            statements.append(f"{name} " + ", ".join(_turtle_text(name, text) for text in texts))
        for name, uris in resource.links.items():
            if uris:
                statements.append(f"{name} " + ", ".join(f"<{uri}>" for uri in uris))
        lines.append(f"\n<{resource.uri}>\n    " + " ;\n    ".join(statements) + " .")
    return ("\n".join(lines) + "\n").encode()


def _turtle_text(name: str, text: LabelText) -> str:
    written = orjson.dumps(text.text).decode().replace("\x7f", "\\u007F")  # escapes of JSON are escapes of Turtle
    if name == "dcterms:modified":
        return f"{written}^^xsd:dateTime"
    return f"{written}@{text.language}" if text.language else written


def _json_ld(found: Iterator[Resource]) -> bytes:
    graph = []
    for resource in found:
        record: dict[str, object] = {"@id": resource.uri, "@type": resource.kind}
        for name, texts in resource.texts.items():
            record[name.strip("<>")] = [_json_text(name, text) for text in texts]
        for name, uris in resource.links.items():
            if uris:
                record[name.strip("<>")] = [{"@id": uri} for uri in uris]
        graph.append(record)
    return orjson.dumps({"@context": PREFIXES, "@graph": graph}, option=orjson.OPT_INDENT_2)


def _json_text(name: str, text: LabelText) -> dict[str, str]:
    if name == "dcterms:modified":
        return {"@value": text.text, "@type": "xsd:dateTime"}
    return {"@value": text.text} | ({"@language": text.language} if text.language else {})
