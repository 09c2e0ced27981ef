"""How many rare tags change their concept from one version to the next, with continuity and without, and its price."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.meaning.judge import judge
from cocluster import incidence
from snapshot import NO_CONCEPT, Snapshot, TailTags
from worker.clustering.cluster import cluster
from worker.clustering.continuity.inheritance import PreviousVersion
from worker.clustering.documents.tail import tail_tags, whole_corpus
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.vocabulary.tag_corpus import TagCorpus

EARLIER: Final = 0.95
"""Share of the documents that the version before had."""

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)


def continuity(tagged: TagCorpus, rows: NDArray[np.int64], seed: int, name: str) -> dict[str, float]:
    """Of the rare tags with a concept in both versions, the share that another one has now; the gain by the judge."""
    kept = np.random.default_rng(seed).permutation(rows)[: round(EARLIER * len(rows))]
    corpus = Corpus(name=name, source=name, documents=False)
    stages = Stages(lambda *_: None)
    later = _part(tagged, rows)
    earlier = cluster(corpus, _part(tagged, np.sort(kept)), NOW, stages, notes={})
    previous = PreviousVersion(*earlier)
    now, _ = cluster(corpus, later, NOW + timedelta(days=1), stages, previous=previous, notes={})
    head = incidence(later.matrix, corpus.min_count)
    whole = whole_corpus(later, head, np.arange(len(later.ids)), corpus.vocabulary_limit)
    without = tail_tags(later, head, whole, now.partition)
    return {
        "rare tags in both versions": float(len(_both(earlier[0], now.tail))),
        "other concept, without continuity": _changed(earlier[0], without),
        "other concept, with continuity": _changed(earlier[0], now.tail),
        "gain by the judge, without continuity": _gain(name, now, without),
        "gain by the judge, with continuity": _gain(name, now, now.tail),
    }


def _part(tagged: TagCorpus, rows: NDArray[np.int64]) -> TagCorpus:
    """Some of the documents."""
    return replace(
        tagged,
        ids=tuple(tagged.ids[row] for row in rows.tolist()),
        labels=tuple(tagged.labels[row] for row in rows.tolist()),
        matrix=tagged.matrix[rows],
        cards=None,
    )


def _both(earlier: Snapshot, tail: TailTags) -> list[tuple[int, int]]:
    """The concepts, before and now, of the rare tags of both versions that had one and still have one."""
    concepts = dict(zip(earlier.tail.keys, earlier.tail.concepts.tolist(), strict=True))
    pairs = [(concepts.get(key, NO_CONCEPT), now) for key, now in zip(tail.keys, tail.concepts.tolist(), strict=True)]
    return [pair for pair in pairs if NO_CONCEPT not in pair]


def _changed(earlier: Snapshot, tail: TailTags) -> float:
    return float(np.mean([before != now for before, now in _both(earlier, tail)]))


def _gain(name: str, snapshot: Snapshot, tail: TailTags) -> float:
    """The mean cosine of each rare tag with the tags of its concept, above that with all tags of the tree."""
    outside = judge(name)
    placed = [place for place, concept in enumerate(tail.concepts.tolist()) if concept != NO_CONCEPT]
    rare = [place for place in placed if outside.known(tail.names[place])]
    tree = [tag for tag, each in enumerate(snapshot.names) if outside.known(each)]
    names = [*(tail.names[place] for place in rare), *(snapshot.names[tag] for tag in tree)]
    cosines = outside.cosines(names)[: len(rare), len(rare) :]
    same = tail.concepts[rare][:, None] == snapshot.partition.item_ids[tree][None, :]
    inside = (cosines * same).sum(axis=1) / np.maximum(same.sum(axis=1), 1)
    return float((inside - cosines.mean(axis=1))[same.any(axis=1)].mean())
