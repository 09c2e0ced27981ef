"""Documents with texts, as the worker reads them, split into those to learn from and those to ask about."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bench.places import CORPORA
from cocluster import Incidence, incidence
from snapshot.version.documents.cards import decode_card
from worker.clustering.cluster import load_documents
from worker.clustering.documents.tail import WholeCorpus
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.suggestions.held_out import Matrix
from worker.vocabulary.tag_corpus import TagCorpus

NAMES: Final = ("npm_packages", "debtags_text")
MIN_COUNT: Final = 5
ASKED: Final = 2000
SEED: Final = 70


@dataclass(frozen=True, eq=False)
class Asked:
    """One document to ask about: its words, its tags among those learnt, and the half of them that is given."""

    title: str
    text: str
    tags: NDArray[np.int64]
    given: tuple[int, ...]

    @property
    def hidden(self) -> NDArray[np.int64]:
        """The other half."""
        return np.setdiff1d(self.tags, self.given)


@dataclass(frozen=True, eq=False)
class Split:
    """Training documents (`rows` of the corpus) × tags, and the documents to ask about."""

    tagged: TagCorpus
    matrix: Incidence
    asked: tuple[Asked, ...]

    @property
    def keys(self) -> list[str]:
        """The tags."""
        return [self.tagged.keys[column] for column in self.matrix.columns.tolist()]

    @property
    def whole(self) -> WholeCorpus:
        """The training documents as the worker sees a corpus, without rare tags."""
        rows = self.matrix.rows
        return WholeCorpus(self.matrix.matrix, rows, self.matrix.columns, np.arange(len(rows)))

    def texts(self) -> list[tuple[str, str]]:
        """Title and text of each training document."""
        return [words_of_row(self.tagged, row) for row in self.matrix.rows.tolist()]


def split(name: str, documents: int | None = None) -> Split:
    path = CORPORA / f"{name}.jsonl.gz"
    tagged, _ = load_documents(Corpus(name=name, source=str(path), path=path), Stages(lambda *_: None))
    return split_corpus(tagged, documents)


def split_corpus(tagged: TagCorpus, documents: int | None = None) -> Split:
    random = np.random.default_rng(SEED)
    order = random.permutation(len(tagged.ids))[:documents]
    size = min(len(order) // 5, ASKED)
    training = np.sort(order[size:])
    found = incidence(tagged.matrix[training], MIN_COUNT)
    matrix = Incidence(found.matrix, training[found.rows], found.columns)
    rows: Matrix = csr_array(tagged.matrix[order[:size]][:, found.columns])
    asked = []
    for row, source in enumerate(order[:size].tolist()):
        tags = rows.indices[rows.indptr[row] : rows.indptr[row + 1]].astype(np.int64)
        if len(tags) > 1:
            given = tuple(sorted(random.permutation(tags)[: len(tags) // 2].tolist()))
            asked.append(Asked(*words_of_row(tagged, source), tags, given))
    return Split(tagged, matrix, tuple(asked))


def words_of_row(tagged: TagCorpus, row: int) -> tuple[str, str]:
    title = None if tagged.cards is None else decode_card(tagged.cards.get(row)).title
    return title or "", "" if tagged.texts is None else tagged.texts.get(row).decode()
