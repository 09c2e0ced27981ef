"""Makes the table of documents that services map, from a run."""

import numpy as np
from numpy.typing import NDArray

from cocluster import Incidence, document_index
from snapshot import DocumentTable, Texts
from worker.tag_corpus import TagCorpus


def document_table(
    tagged: TagCorpus, incidence: Incidence, concepts: NDArray[np.int64], clusters: NDArray[np.int32]
) -> DocumentTable:
    """The documents of the matrix, with the concept and the document cluster of each."""
    rows = incidence.rows.tolist()
    cards = Texts.none()
    if tagged.cards is not None:
        cards = Texts.of(tagged.cards.get(row) for row in rows)
    documents, starts, left_out, names = _left_out_tags(tagged, incidence)
    return DocumentTable(
        index=document_index(incidence.matrix),
        ids=Texts.of(tagged.ids[row].encode() for row in rows),
        concepts=_narrow(concepts),
        clusters=_narrow(clusters),
        cards=cards,
        left_out_documents=documents,
        left_out_starts=starts,
        left_out=left_out,
        left_out_names=names,
    )


def _left_out_tags(
    tagged: TagCorpus, incidence: Incidence
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], Texts]:
    """The documents with tags that are not in the matrix, where the list of each starts, these lists, and the names.

    A banned tag is in no list: it is left out before.
    """
    others = np.setdiff1d(np.arange(len(tagged.keys)), incidence.columns)
    rest = tagged.matrix[incidence.rows][:, others]
    rest.sort_indices()
    used, places = np.unique(rest.indices, return_inverse=True)
    documents = np.flatnonzero(np.diff(rest.indptr))
    starts = np.append(rest.indptr[documents], rest.nnz)
    names = Texts.of(tagged.names[others[column]].encode() for column in used.tolist())
    return documents.astype(np.uint32), starts.astype(np.uint32), places.astype(np.uint32), names


def _narrow(values: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.unsignedinteger]:
    """Whole numbers ≥ 0 in the narrowest type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
