"""Documents whose dendrogram has micro-clusters as leaves, for tests of the codec."""

from dataclasses import replace

import numpy as np

from tagmodel import Dendrogram
from tests.clustered import clustered


def grouped_documents():
    """The documents of the small corpus with a dendrogram of four micro-clusters."""
    linkage = np.array([[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.3, 4]])
    documents = clustered()[1]
    leaves = np.arange(len(documents.ids), dtype=np.int32) % 4
    return replace(documents, tree=Dendrogram(linkage, np.bincount(leaves)), leaves=leaves)
