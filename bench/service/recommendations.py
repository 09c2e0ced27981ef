"""Recommended documents for histories, beside `similar` of the whole history: python -m bench.service.recommendations

A history is made of three interests: tags of three concepts, with 8, 4 and 2 documents each. To be found are the
other documents with these tags. Recall among the first 20 counts as much of each interest as the history has of it.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.places import CORPORA, RESULTS
from service.questions.documents.calibration import interest_divergence
from service.questions.documents.ranking import similar_documents
from service.questions.documents.recommend import PersonHistory, recommend, shares_of_tags
from service.view.document_store import DocumentStore
from service.view.view import View
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus

NAMES: Final = ("npm_packages", "tabler_icons")
LIKED: Final = (8, 4, 2)
FIRST: Final = 20
HISTORIES: Final = 200
FEWEST: Final = 20
MOST: Final = 120
SEED: Final = 36

Ranker = Callable[[View, tuple[str, ...]], list[str]]


@dataclass(frozen=True)
class Asked:
    """The documents liked, and those to be found for each interest."""

    liked: tuple[str, ...]
    hidden: tuple[frozenset[str], ...]


def histories(view: View) -> Iterator[Asked]:
    """Histories of three tags of different concepts that share no document."""
    random = np.random.default_rng(SEED)
    index, store = view.documents.index, view.documents
    tags = [tag for tag in range(view.head_count) if FEWEST <= index.count(tag) <= MOST]
    while True:
        three = random.choice(tags, len(LIKED), replace=False).tolist()
        documents = [set(index.documents_of(tag).tolist()) for tag in three]
        if len({view.concept_of(tag) for tag in three}) < len(LIKED) or documents[0] & (documents[1] | documents[2]):
            continue
        liked, hidden = [], []
        for number, having in zip(LIKED, documents, strict=True):
            order = random.permutation(sorted(having)).tolist()
            liked += [store.id(position) for position in order[:number]]
            hidden.append(frozenset(store.id(position) for position in order[number:]))
        yield Asked(tuple(random.permutation(liked).tolist()), tuple(hidden))


def recommended(diversity: float) -> Ranker:
    """Cotag's answer."""

    def rank(view: View, liked: tuple[str, ...]) -> list[str]:
        answer = recommend(view, PersonHistory(liked), diversity=diversity, exclude_seen=True, limit=FIRST)
        return [each["document"]["id"] for each in answer.documents]

    return rank


def similar_to_all(view: View, liked: tuple[str, ...]) -> list[str]:
    """The documents most like one document with all tags of the history."""
    store = view.documents
    tags = sorted({tag for name in liked for tag in store.tags(store.position(name) or 0)})
    found = similar_documents(store.index, tags, limit=FIRST + len(liked)).documents.tolist()
    return [name for name in map(store.id, found) if name not in liked][:FIRST]


RANKERS: Final[dict[str, Ranker]] = {
    "similar, whole history": similar_to_all,
    **{f"recommend, diversity {diversity:g}": recommended(diversity) for diversity in (0.0, 0.25, 0.5, 0.75, 1.0)},
}


def measured(view: View, rank: Ranker, asked: list[Asked]) -> tuple[float, float, float, float]:
    """Recall of all and of the smallest interest, divergence, and milliseconds of the processor."""
    recalls, smallest, divergences = [], [], []
    began = time.process_time()
    answers = [rank(view, each.liked) for each in asked]
    spent = 1000 * (time.process_time() - began) / len(asked)
    for each, names in zip(asked, answers, strict=True):
        parts = [len(hidden & set(names)) / min(FIRST, len(hidden)) for hidden in each.hidden]
        recalls.append(len(frozenset().union(*each.hidden) & set(names)) / FIRST)
        smallest.append(parts[-1] > 0)
        divergences.append(float(interest_divergence(shares_of(view, each.liked), shares_of(view, names))))
    return float(np.mean(recalls)), float(np.mean(smallest)), float(np.mean(divergences)), spent


def shares_of(view: View, names: Sequence[str]) -> NDArray[np.float64]:
    """How documents spread over the concepts, by their tags."""
    tags = [view.documents.tags(view.documents.position(name) or 0) for name in names]
    shares: NDArray[np.float64] = shares_of_tags(view, tags).mean(axis=0)
    return shares


def served(name: str) -> View:
    """A corpus as a service has it."""
    path, stages = CORPORA / f"{name}.jsonl.gz", Stages(lambda *_: None)
    corpus = Corpus(name=name, source=str(path), path=path)
    tagged, notes = load_documents(corpus, stages)
    snapshot, stored = cluster(corpus, tagged, datetime(2026, 11, 18, tzinfo=UTC), stages, notes=notes)
    if stored.table is None:
        raise SystemExit(f"{name} leaves its documents out")
    return View(snapshot, documents=DocumentStore(stored.table, snapshot))


def main() -> None:
    lines = [
        "# Documents for a history",
        "",
        "`python -m bench.service.recommendations` wrote this. Histories of three interests, of 8, 4 and 2 documents;",
        f"what is found of their other documents among the first {FIRST}.",
    ]
    for name in sys.argv[1:] or NAMES:
        view = served(name)
        asked = list(islice(histories(view), HISTORIES))
        lines += ["", f"## {name}: {len(view.documents):,} documents, {len(asked)} histories", ""]
        lines += ["| ranker | found | smallest interest | divergence | ms |", "|---|--:|--:|--:|--:|"]
        for ranker, rank in RANKERS.items():
            found, smallest, far, spent = measured(view, rank, asked)
            lines.append(f"| {ranker} | {found:.3f} | {smallest:.2f} | {far:.3f} | {spent:.1f} |")
            print(lines[-1], flush=True)
    (RESULTS / "recommendations.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
