"""Classifies documents that no run has seen, by their tags, as the run classified its own documents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.answers import ClassifyAnswer, DocumentPlace, NewTag, PlacedDocument
from service.errors import UnknownTags
from service.questions.text.close_spelling import suggest
from service.view.view import View
from snapshot import PushedDocument, normalise
from tagmodel import DocumentClassifier

MOST_PLACED: Final = 1000
"""The answer to a push lists at most this many documents and new tags."""


@dataclass(frozen=True)
class DocumentTags:
    """The tags of a document: sorted indices of the known ones, and the others, normalised."""

    known: list[int]
    unknown: list[str]


def classify(view: View, tags: list[str], limit: int) -> ClassifyAnswer:
    """The most likely clusters of a document with these tags, and the clusters of its new tags.

    Raises:
        UnknownTags: none of the tags is known.
    """
    classifier = view.snapshot.classifier
    document = document_tags(view, tags)
    if not document.known:
        raise UnknownTags(f"none of the tags is one of {view.snapshot.corpus}", suggest(view, tags[0]))
    probabilities = classifier.probabilities(*_flat([document]))[0]
    order = np.lexsort((np.arange(len(probabilities)), -probabilities))[:limit].tolist()
    return ClassifyAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        revision=view.revision,
        tags=[view.tag_names[tag] for tag in document.known],
        document_cluster=_document_place(classifier, order[0], float(probabilities[order[0]])),
        others=[_document_place(classifier, position, float(probabilities[position])) for position in order[1:]],
        new_tags=[_new_tag(view, tag, probabilities, 1) for tag in document.unknown],
    )


def classify_pushed(view: View, documents: Sequence[PushedDocument]) -> tuple[list[PlacedDocument], list[NewTag]]:
    """The clusters of the first MOST_PLACED pushed documents, and of as many new tags among theirs."""
    tagged = [document_tags(view, document.tags) for document in documents[:MOST_PLACED]]
    assigned = view.snapshot.classifier.classify(*_flat(tagged))
    places = [
        PlacedDocument(document.id, int(cluster), round(float(confidence), 4))
        if tags.known
        else PlacedDocument(document.id, None, 0.0)
        for document, tags, cluster, confidence in zip(
            documents[:MOST_PLACED], tagged, assigned.clusters, assigned.confidence, strict=False
        )
    ]
    return places, _new_tags(view, tagged)


def document_tags(view: View, tags: Iterable[str]) -> DocumentTags:
    """Look up tags as a run does, without duplicates and without banned ones."""
    known: set[int] = set()
    unknown: dict[str, None] = {}
    for tag in tags:
        found = view.names.find(tag)
        if found is not None and not view.is_tail(found[0]):  # the classifier knows the tags of the tree
            known.add(found[0])
        elif (key := normalise(tag)) and not view.names.is_banned(key):
            unknown.setdefault(view.names.rare.get(key, key))
    return DocumentTags(sorted(known), list(unknown))


def _flat(documents: list[DocumentTags]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts = np.concatenate([[0], np.cumsum([len(document.known) for document in documents], dtype=np.int64)])
    tags = np.array([tag for document in documents for tag in document.known], dtype=np.int64)
    return starts.astype(np.int64), tags


def _new_tags(view: View, documents: list[DocumentTags]) -> list[NewTag]:
    """New tags by falling number of documents, each with the cluster of tags nearest to its documents."""
    holders: dict[str, list[DocumentTags]] = {}
    for document in documents:
        for tag in document.unknown if document.known else []:
            holders.setdefault(tag, []).append(document)
    ranked = sorted(holders.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_PLACED]
    classifier = view.snapshot.classifier
    return [
        _new_tag(view, tag, classifier.probabilities(*_flat(holding)).sum(axis=0), len(holding))
        for tag, holding in ranked
    ]


def _new_tag(view: View, tag: str, probabilities: NDArray[np.float32], documents: int) -> NewTag:
    position, confidence = view.snapshot.classifier.tag_cluster(probabilities)
    cluster = view.clusters[view.concept_id(view.snapshot.clusters[position].id)]
    return NewTag(tag, cluster.id, cluster.name, round(confidence, 4), documents)


def _document_place(classifier: DocumentClassifier, position: int, probability: float) -> DocumentPlace:
    cluster = classifier.clusters[position]
    return DocumentPlace(cluster.id, cluster.name, cluster.size, round(probability, 4))
