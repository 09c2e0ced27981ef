"""Places every document and every tag in a concept, also those that are not in the matrix."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snapshot import Snapshot, TailTags
from tagmodel import Assignments, DocumentClassifier
from worker.clustering.classifier import document_classifier, with_labels
from worker.clustering.concepts import FittedModel
from worker.clustering.documents.document_table import all_concepts, all_tag_concepts
from worker.clustering.documents.filtered import Filtered
from worker.clustering.documents.tail import tail_tags


@dataclass(frozen=True, eq=False)
class Placement:
    """The concept of every document and every tag, also of those that are not in the matrix."""

    classifier: DocumentClassifier
    assigned: Assignments
    tail: TailTags
    tags: NDArray[np.int64]
    documents: NDArray[np.int64]


def placement(data: Filtered, fitted: FittedModel, ancestor: Snapshot | None) -> Placement:
    """Where all documents and tags belong."""
    matrix = data.incidence.matrix
    classifier = document_classifier(fitted, matrix)
    assigned = classifier.classify(matrix.indptr, matrix.indices)
    tail = tail_tags(data.tagged, data.incidence, data.whole, fitted.tags, aliases=data.aliases, previous=ancestor)
    tags = all_tag_concepts(fitted.tags, tail)
    documents = all_concepts(data.whole, fitted.model.concepts(fitted.tags.labels), fitted.tags, tags)
    return Placement(with_labels(classifier, matrix, assigned, data.names, data.keys), assigned, tail, tags, documents)
