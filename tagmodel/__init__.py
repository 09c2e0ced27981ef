"""The data types that all packages share, each defined once: numpy only, no input or output.

A `Dendrogram` is cut into a `Partition` of `Cluster`s where its `CriterionCurve` is highest. `RelatedTags` ranks the
tags beside a query. `DocumentClassifier` finds the cluster of a document from its tags. `DocumentIndex` finds documents
by their tags. `cocluster` and `worker` make them, `snapshot` stores them, `service` reads them.
"""

from tagmodel.classifier import Assignments, DocumentClassifier
from tagmodel.curve import CriterionCurve
from tagmodel.dendrogram import Branches, Dendrogram, Merge
from tagmodel.document_index import DocumentIndex
from tagmodel.exports import nested_json, newick
from tagmodel.partition import Cluster, Partition
from tagmodel.related import RelatedTags

__all__ = [  # noqa: RUF022 — in the order of the flow
    "Dendrogram",
    "Branches",
    "Merge",
    "newick",
    "nested_json",
    "CriterionCurve",
    "Partition",
    "Cluster",
    "RelatedTags",
    "DocumentClassifier",
    "Assignments",
    "DocumentIndex",
]
