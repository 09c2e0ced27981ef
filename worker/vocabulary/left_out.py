"""Says how much of a corpus is left out of the clustering, and which min_count would keep enough."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from worker.vocabulary.tag_corpus import TagCorpus

FEWEST_TAGS: Final = 10
FEWEST_DOCUMENTS: Final = 0.5
"""Less than so many tags, or than this share of the documents with tags, is too little to cluster."""


@dataclass(frozen=True)
class LeftOut:
    """The tags and documents of a corpus, and how many of them are clustered."""

    min_count: int
    tags: int
    documents: int
    untagged: int
    """Documents that have no tags at all."""

    kept_tags: int
    kept_documents: int
    proposal: int | None = None
    """A lower min_count that keeps enough, if this one does not."""

    proposed: tuple[int, int] = (0, 0)
    """The tags and documents that it keeps."""

    @property
    def description(self) -> str:
        """What is clustered and what is left out, in a line."""
        emptied = self.documents - self.untagged - self.kept_documents
        rare = f"{self.tags - self.kept_tags:,} of {self.tags:,} tags, in fewer than {self.min_count} documents"
        reasons = [
            rare if self.kept_tags < self.tags else "",
            f"{_documents(emptied)} with only such tags" if emptied else "",
            f"{_documents(self.untagged)} without tags" if self.untagged else "",
        ]
        left = "; ".join(filter(None, reasons)) or "nothing"
        kept = f"{_documents(self.kept_documents)} and {self.kept_tags:,} tags are clustered; left out: {left}"
        return f"{kept}. {self.advice}" if self.advice else kept

    @property
    def advice(self) -> str:
        """What to try if too little is kept; empty if enough is."""
        if self.proposal is None:
            return ""
        tags, documents = self.proposed
        return f"min_count = {self.proposal} would keep {tags:,} tags and {_documents(documents)}"


def left_out(tagged: TagCorpus, min_count: int) -> LeftOut:
    """What the clustering leaves out of the documents."""
    matrix = tagged.matrix
    kept = _kept(matrix, min_count)
    untagged = int((np.diff(matrix.indptr) == 0).sum())
    documents = len(tagged.ids)
    needed = min(FEWEST_TAGS, len(tagged.keys)), FEWEST_DOCUMENTS * (documents - untagged)

    def enough(tags: int, rows: int) -> bool:
        return tags >= needed[0] and rows >= needed[1]

    lower = () if enough(*kept) else range(min_count - 1, 0, -1)
    proposal = next((count for count in lower if enough(*_kept(matrix, count))), None)
    proposed = _kept(matrix, proposal) if proposal else (0, 0)
    return LeftOut(min_count, len(tagged.keys), documents, untagged, *kept, proposal, proposed)


def _documents(count: int) -> str:
    return f"{count:,} document{'' if count == 1 else 's'}"


def _kept(matrix: "csr_array[np.float64, tuple[int, int]]", min_count: int) -> tuple[int, int]:
    """How many tags occur in so many documents, and how many documents have one of these."""
    common = np.bincount(matrix.indices, minlength=matrix.shape[1]) >= min_count
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return int(common.sum()), len(np.unique(rows[common[matrix.indices]]))
