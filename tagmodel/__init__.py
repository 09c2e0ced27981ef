"""The data types that all packages share, each defined once: numpy only, no input or output.

A `Dendrogram` is cut into a `Partition` of `Cluster`s where its `CriterionCurve` is highest. `RelatedTags` ranks the
tags beside a query; the `Company` of tags, made of it, says how alike they are, and `naming` names groups of them.
`DocumentClassifier` finds the cluster of a document from its tags. `DocumentIndex` finds documents by their tags;
`OverlaidIndex` does with those that changed since, `RestrictedIndex`
some of them, and a `DocumentLookup` is any of these. `hues_along` colours concepts along the tree.
`cocluster` and `worker` make them, `snapshot` stores them, `service` reads them.
"""

from tagmodel.classifier import Assignments, DocumentClassifier
from tagmodel.company import Company
from tagmodel.curve import CriterionCurve
from tagmodel.dendrogram import Branches, Dendrogram, Merge
from tagmodel.exports import nested_json, newick
from tagmodel.hues import hues_along, kept_hues
from tagmodel.index.document_index import DocumentIndex, DocumentLookup
from tagmodel.index.overlaid_index import OverlaidIndex
from tagmodel.index.restricted_index import RestrictedIndex
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
    "hues_along",
    "kept_hues",
    "RelatedTags",
    "Company",
    "DocumentClassifier",
    "Assignments",
    "DocumentLookup",
    "DocumentIndex",
    "OverlaidIndex",
    "RestrictedIndex",
]
