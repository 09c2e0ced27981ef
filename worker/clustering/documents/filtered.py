"""Chooses what is clustered of the loaded documents: the filtered matrix, and all documents and tags beside it."""

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cocluster import Incidence
from cocluster import incidence as filtered_matrix
from snapshot import Alias
from worker.clustering.documents.tail import WholeCorpus, whole_corpus
from worker.corpora.declaration import Corpus
from worker.errors import CorpusError
from worker.vocabulary.aliases import served_aliases
from worker.vocabulary.left_out import LeftOut, left_out
from worker.vocabulary.tag_corpus import TagCorpus

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Filtered:
    """What is clustered of the loaded documents, and all documents and tags beside it."""

    tagged: TagCorpus
    incidence: Incidence
    whole: WholeCorpus
    ids: tuple[str, ...]
    names: tuple[str, ...]
    keys: tuple[str, ...]
    aliases: tuple[Alias, ...]


def filtered(corpus: Corpus, tagged: TagCorpus) -> Filtered:
    """The documents and tags that are clustered, and all that are served."""
    left = left_out(tagged, corpus.min_count)
    log.info("%s: %s", corpus.name, left.description)
    rows = _rows(corpus, tagged)
    incidence = _matrix(corpus, tagged, rows, left)
    whole = whole_corpus(tagged, incidence, rows, corpus.vocabulary_limit)
    if whole.limited:
        log.warning("%s: vocabulary_limit leaves out %s of the rarest tags", corpus.name, f"{whole.limited:,}")
    return Filtered(
        tagged,
        incidence,
        whole,
        ids=tuple(tagged.ids[row] for row in incidence.rows),
        names=tuple(tagged.names[column] for column in incidence.columns),
        keys=tuple(tagged.keys[column] for column in incidence.columns),
        aliases=served_aliases(tagged.aliases, (tagged.keys[column] for column in whole.columns)),
    )


def _rows(corpus: Corpus, tagged: TagCorpus) -> NDArray[np.int64]:
    """All documents, or a uniform sample of them if the corpus declares `sample`."""
    rows = np.arange(len(tagged.ids))
    if corpus.sample is not None and corpus.sample < len(rows):
        rows = np.sort(np.random.default_rng(0).choice(len(rows), corpus.sample, replace=False))
    return rows


def _matrix(corpus: Corpus, tagged: TagCorpus, rows: NDArray[np.int64], left: LeftOut) -> Incidence:
    """The filtered matrix of these documents."""
    try:
        filtered = filtered_matrix(tagged.matrix[rows], corpus.min_count)
    except ValueError as error:
        raise CorpusError("; ".join(filter(None, (f"{corpus.name}: {error}", left.advice)))) from error
    return Incidence(filtered.matrix, rows[filtered.rows], filtered.columns)
