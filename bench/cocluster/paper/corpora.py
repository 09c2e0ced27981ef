"""The real corpora of the trials: the icons of the demo and two subsets of DBLP."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from bench.document_files import documents_of, gather
from bench.places import CORPORA, ROOT
from cocluster import Incidence, incidence
from worker.sources.document import Document

DEMO = ROOT / "demo" / "tabler_icons.jsonl.gz"
PAPERS = CORPORA / "dblp_v12_fos.jsonl.gz"
PAPERS_TAGGED = ("computer_network", "artificial_intelligence")


class MissingCorpus(Exception):
    """A corpus that is not part of the project is not where it is looked for."""


@dataclass(frozen=True)
class Tagged:
    """A corpus ready to cluster: its matrix and the name of each column."""

    kept: Incidence
    tags: tuple[str, ...]


def demo(documents: int | None = None) -> Tagged:
    """The icons of the demo, or the first few of them."""
    return _matrix(islice(documents_of(DEMO), documents))


def papers_tagged(tag: str) -> Tagged:
    """The papers of DBLP that carry a tag, without that tag."""
    if not PAPERS.exists():
        raise MissingCorpus(f"{PAPERS} is not there; docs/research/paper.md says where it comes from")
    return _matrix(
        replace(paper, tags=tuple(other for other in paper.tags if other != tag))
        for paper in documents_of(PAPERS)
        if tag in paper.tags
    )


def _matrix(documents: Iterator[Document]) -> Tagged:
    corpus = gather(documents)
    kept = incidence(corpus.matrix)
    return Tagged(kept, tuple(corpus.names[column] for column in kept.columns))
