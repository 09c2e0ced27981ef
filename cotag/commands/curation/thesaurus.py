"""Reads a thesaurus in SKOS as edits: other labels, broader terms and definitions. Needs the extra `skos`."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from cotag.errors import StartError
from service.questions.vocabulary.skos import FOLDED, IMPLIES, PREFIXES
from snapshot import normalise, spelling_key
from snapshot.edits import Edit, parse_edit

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

FORMATS: Final = {".ttl": "turtle", ".nt": "nt", ".rdf": "xml", ".xml": "xml", ".jsonld": "json-ld"}
"""The syntax of a file, by its ending."""

SKOS: Final = PREFIXES["skos"]
SHOWN: Final = 20


@dataclass(frozen=True)
class Thesaurus:
    """The edits of a thesaurus, the tag of each of its terms, and what could not be read."""

    edits: list[Edit]
    terms: list[str]
    remarks: list[str]

    def unmatched(self, knows: Callable[[str], bool]) -> list[str]:
        """The terms that no tag stands for yet, neither by their own name nor by another one."""
        names: dict[str, list[str]] = {term: [term] for term in self.terms}
        for edit in self.edits:
            if edit.kind == "synonym":
                names.setdefault(edit.to, [edit.to]).append(edit.tag)
        return [term for term in self.terms if not any(map(knows, names[term]))]


def is_thesaurus(path: Path) -> bool:
    """Whether a file is in a syntax of RDF, by its ending."""
    return path.suffix.lower() in FORMATS


def read_thesaurus(path: Path, language: str | None = None) -> Thesaurus:
    """Read a file of SKOS; StartError if it cannot be read or has no concepts.

    The tag of a term is its preferred label: the one without a language, or else in the language of the corpus, in
    English, or in the first language by name.
    """
    graph = _parse(path)
    terms: dict[Node, str] = {}
    remarks: list[str] = []
    labels: dict[Node, dict[str, str]] = {}
    for concept in _concepts(graph):
        labels[concept] = _preferred(graph, concept)
        if not labels[concept]:
            remarks.append(f"{concept} has no preferred label")
            continue
        terms[concept] = labels[concept][_main_language(labels[concept], language)]
    if not terms:
        raise StartError(f"{path}: no skos:Concept with a skos:prefLabel")
    edits: dict[str, Edit] = {}
    for record in _records(graph, terms, labels, language):
        try:
            edit = parse_edit(record)
        except ValueError as error:
            remarks.append(f"{record['kind']} of {record['tag']!r}: {error}")
        else:
            edits.setdefault(edit.id, edit)
    return Thesaurus(list(edits.values()), list(dict.fromkeys(terms.values())), remarks)


def _records(
    graph: "Graph", terms: "dict[Node, str]", labels: "dict[Node, dict[str, str]]", language: str | None
) -> Iterator[dict[str, Any]]:
    """What the thesaurus says, as edits in JSON."""
    for concept, tag in terms.items():
        own = labels[concept]
        main = _main_language(own, language)
        for of, label in own.items():
            if of not in {"", main}:
                yield {"kind": "translate", "tag": tag, "label": label, "language": of}
        taken = {spelling_key(normalise(tag))}  # spellings that a run folds need no edit
        folded = {*map(str, _linked(graph, concept, [FOLDED]))}
        for name in sorted({*map(str, _objects(graph, concept, "altLabel", "hiddenLabel"))} - folded):
            if spelling_key(normalise(name)) not in taken:
                taken.add(spelling_key(normalise(name)))
                yield {"kind": "synonym", "tag": name, "to": tag}
        for text in sorted(map(str, _objects(graph, concept, "definition")))[:1]:
            yield {"kind": "describe", "tag": tag, "text": text}
        broader = [*_objects(graph, concept, "broader"), *_linking(graph, concept, _uris("narrower"))]
        for kind, others in (("broader", broader), ("implies", _linked(graph, concept, [IMPLIES]))):
            for other in sorted({terms[each] for each in others if each in terms}):
                yield {"kind": kind, "tag": tag, "to": other}


def _parse(path: Path) -> "Graph":
    from rdflib import Graph  # noqa: PLC0415 - the extra `skos`

    try:
        data = path.read_bytes()
    except OSError as error:
        raise StartError(f"{path}: {error.strerror}") from error
    form = FORMATS[path.suffix.lower()]
    if form == "json-ld":
        _check_contexts(path, data)
    graph = Graph()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of rdflib, about parts of its own
            graph.parse(data=data, format=form)
    except Exception as error:  # its parsers raise errors of their own, of expat and of the standard library
        raise StartError(f"{path}: not {form}: {' '.join(str(error).split())[:300]}") from error
    return graph


def _check_contexts(path: Path, data: bytes) -> None:
    """Refuse contexts that the reader would fetch from another host."""
    try:
        waiting: list[Any] = [orjson.loads(data)]
    except orjson.JSONDecodeError as error:
        raise StartError(f"{path}: not JSON: {error}") from error
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            context = value.get("@context")
            if any(isinstance(each, str) for each in (context if isinstance(context, list) else [context])):
                raise StartError(f"{path}: its @context is at another address: write it into the file, or use Turtle")
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _concepts(graph: "Graph") -> "list[Node]":
    from rdflib import RDF, URIRef  # noqa: PLC0415 - the extra `skos`

    return sorted(graph.subjects(RDF.type, URIRef(f"{SKOS}Concept")), key=str)


def _preferred(graph: "Graph", concept: "Node") -> dict[str, str]:
    """The preferred labels by language; of several in one language, the first by name."""
    labels: dict[str, str] = {}
    for literal in sorted(_objects(graph, concept, "prefLabel"), key=str):
        labels.setdefault(str(getattr(literal, "language", None) or "").lower(), str(literal))
    return labels


def _main_language(labels: dict[str, str], language: str | None) -> str:
    return next((each for each in ("", language, "en") if each is not None and each in labels), min(labels))


def _uris(*names: str) -> list[str]:
    return [SKOS + name for name in names]


def _objects(graph: "Graph", concept: "Node", *names: str) -> "Iterator[Node]":
    return _linked(graph, concept, _uris(*names))


def _linked(graph: "Graph", concept: "Node", uris: Iterable[str]) -> "Iterator[Node]":
    from rdflib import URIRef  # noqa: PLC0415 - the extra `skos`

    for uri in uris:
        yield from graph.objects(concept, URIRef(uri))


def _linking(graph: "Graph", concept: "Node", uris: Iterable[str]) -> "Iterator[Node]":
    from rdflib import URIRef  # noqa: PLC0415 - the extra `skos`

    for uri in uris:
        yield from graph.subjects(URIRef(uri), concept)
