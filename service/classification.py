"""Where a document belongs that no run has seen: found from its tags, as for the documents of the run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.answers import ClassifyAnswer, DocumentPlace, NewTag, PlacedDocument
from service.errors import UnknownTags
from service.query import suggest
from service.view import View
from snapshot import normalise
from tagmodel import DocumentClassifier

MOST_PLACED: Final = 1000
"""Documents and new tags of one push that the answer lists one by one."""


@dataclass(frozen=True)
class DocumentTags:
    """The tags of a document: those that are known, by place and rising, and the others, normalised."""

    known: list[int]
    unknown: list[str]


def classify(view: View, tags: list[str], limit: int) -> ClassifyAnswer:
    """The most likely clusters of a document with these tags; a tag that is new goes where the document goes.

    Raises:
        UnknownTags: none of the tags is known.
    """
    classifier = view.snapshot.classifier
    document = document_tags(view, tags)
    if not document.known:
        raise UnknownTags(f"none of the tags is one of {view.snapshot.corpus}", suggest(view, tags[0]))
    likely = classifier.probabilities(*_flat([document]))[0]
    order = np.lexsort((np.arange(len(likely)), -likely))[:limit].tolist()
    return ClassifyAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        tags=[view.snapshot.names[tag] for tag in document.known],
        cluster=_place(classifier, order[0], float(likely[order[0]])),
        others=[_place(classifier, position, float(likely[position])) for position in order[1:]],
        new_tags=[_new_tag(view, tag, likely, 1) for tag in document.unknown],
    )


def placed(view: View, documents: Sequence[tuple[str, list[str], Any]]) -> tuple[list[PlacedDocument], list[NewTag]]:
    """The clusters of pushed documents and of the new tags among theirs, the first of either."""
    read = [document_tags(view, tags) for _, tags, _ in documents]
    assigned = view.snapshot.classifier.classify(*_flat(read))
    places = [
        PlacedDocument(name, int(cluster), round(float(sure), 4)) if each.known else PlacedDocument(name, None, 0.0)
        for (name, _, _), each, cluster, sure in zip(
            documents[:MOST_PLACED], read, assigned.clusters, assigned.confidence, strict=False
        )
    ]
    return places, _new_tags(view, read)


def document_tags(view: View, tags: Iterable[str]) -> DocumentTags:
    """Tags looked up as a run looks them up, each once."""
    known: set[int] = set()
    unknown: dict[str, None] = {}
    for tag in tags:
        key = normalise(tag)
        place = view.index.get(key)
        if place is not None:
            known.add(place)
        elif key:
            unknown.setdefault(key)
    return DocumentTags(sorted(known), list(unknown))


def _flat(documents: list[DocumentTags]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts = np.concatenate([[0], np.cumsum([len(each.known) for each in documents], dtype=np.int64)])
    return starts.astype(np.int64), np.array([tag for each in documents for tag in each.known], dtype=np.int64)


def _new_tags(view: View, documents: list[DocumentTags]) -> list[NewTag]:
    """New tags by falling number of documents, each where its documents are."""
    holders: dict[str, list[DocumentTags]] = {}
    for each in documents:
        for tag in each.unknown if each.known else []:
            holders.setdefault(tag, []).append(each)
    ranked = sorted(holders.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_PLACED]
    classifier = view.snapshot.classifier
    return [
        _new_tag(view, tag, classifier.probabilities(*_flat(holding)).sum(axis=0), len(holding))
        for tag, holding in ranked
    ]


def _new_tag(view: View, tag: str, likely: NDArray[np.float32], documents: int) -> NewTag:
    position, sure = view.snapshot.classifier.tag_cluster(likely)
    cluster = view.snapshot.clusters[position]
    return NewTag(tag, cluster.id, cluster.name, round(sure, 4), documents)


def _place(classifier: DocumentClassifier, position: int, likely: float) -> DocumentPlace:
    cluster = classifier.clusters[position]
    return DocumentPlace(cluster.id, cluster.name, cluster.size, round(likely, 4))
