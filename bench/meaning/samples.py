"""Samples of the corpora, and the snapshots that the real worker makes of them, kept on disk."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Final, Literal

import numpy as np
from scipy.sparse import csr_array

from bench.cocluster.stability.samples import START
from bench.document_files import documents_of, gather
from bench.places import CORPORA, RESULTS
from bench.trials import CACHE
from snapshot import EncodedSnapshot, decode, decode_documents, encode, normalise
from worker.clustering.cluster import METHOD, cluster
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.sources.document import Document

NAMES: Final = ("tabler_icons", "whatscooking", "lastfm_artists", "citeulike_a", "dblp_v12_fos", "radio_large")
SEEDS: Final = (0, 1, 2)
CHOOSING_SEED: Final = 100
"""Variants are compared and chosen on this sample. No reported figure comes from it."""

DOCUMENTS: Final = 4000
TRAINING: Final = 0.8
GROWTH: Final = 0.05
KEPT: Final = 0.95
READ: Final = 40_000
"""Documents to draw from, at most: any prefix of radio_large, the one longer corpus, is a uniform sample."""

SNAPSHOTS: Final = RESULTS / CACHE / "meaning-snapshots"

Kind = Literal["base", "grown", "a", "b"]
"""The training documents; 5 % more of them, inheriting; two samples of 95 % of them."""


@dataclass(frozen=True)
class Sample:
    """One draw of documents of a corpus: 80 % are clustered, 20 % judge."""

    corpus: str
    seed: int

    @cached_property
    def drawn(self) -> list[Document]:
        """The documents in the order in which they were drawn."""
        found = _read(self.corpus)
        order = np.random.default_rng(self.seed).permutation(len(found))[:DOCUMENTS]
        return [found[place] for place in order.tolist()]

    @property
    def training(self) -> list[Document]:
        """The documents that are clustered."""
        return self.drawn[: round(TRAINING * len(self.drawn))]

    @property
    def held_out(self) -> list[Document]:
        """The documents that judge."""
        return self.drawn[round(TRAINING * len(self.drawn)) :]

    @property
    def unused(self) -> list[Document]:
        """All documents of the corpus that no snapshot was made of: more than those held out, where there are more."""
        used = {document.id for document in self.documents("grown")}
        return [document for document in _read(self.corpus) if document.id not in used]

    def documents(self, kind: Kind) -> list[Document]:
        """The documents of one of the snapshots."""
        training = self.training
        if kind == "grown":
            return self.drawn[: round((1 + GROWTH) * len(training))]
        if kind == "base":
            return training
        random = np.random.default_rng([self.seed, ord(kind)])
        kept = np.sort(random.permutation(len(training))[: round(KEPT * len(training))])
        return [training[place] for place in kept.tolist()]

    def snapshot(self, kind: Kind = "base") -> PreviousVersion:
        """The snapshot and its documents; clustering takes a minute the first time."""
        folder = SNAPSHOTS / f"{self.corpus}-{self.seed}-{kind}-method{METHOD}"
        if not (folder / "meta").exists():
            previous = self.snapshot("base") if kind == "grown" else None
            _save(folder, _clustered(self.corpus, self.documents(kind), previous))
        meta, arrays, documents = ((folder / part).read_bytes() for part in ("meta", "arrays", "documents"))
        return PreviousVersion(decode(meta, arrays), decode_documents(meta, documents))


def incidence_of(documents: Sequence[Document], keys: Sequence[str]) -> csr_array[np.float64, tuple[int, int]]:
    """The documents × the tags with these keys; documents without any of them are left out."""
    column = {key: number for number, key in enumerate(keys)}
    rows = [sorted({column[key] for tag in each.tags if (key := normalise(tag)) in column}) for each in documents]
    rows = [row for row in rows if row]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    indices = np.array([tag for row in rows for tag in row], dtype=np.int32)
    return csr_array((np.ones(len(indices)), indices, starts), shape=(len(rows), len(keys)))


@cache
def _read(corpus: str) -> list[Document]:
    path = CORPORA / f"{corpus}.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"{path} is not there: nothing to measure")
    return list(islice(documents_of(path), READ))


def _clustered(name: str, documents: list[Document], previous: PreviousVersion | None) -> EncodedSnapshot:
    path = CORPORA / f"{name}.jsonl.gz"
    corpus = Corpus(name=name, title=name, source=str(path), path=path)
    now = START + timedelta(days=1 if previous else 0)
    found = cluster(corpus, gather(documents), now, Stages(lambda *_: None), previous=previous, notes={})
    return encode(*found)


def _save(folder: Path, snapshot: EncodedSnapshot) -> None:
    """The meta last: its presence says that all is there."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("arrays", "documents", "meta"):
        (folder / part).write_bytes(getattr(snapshot, part))
