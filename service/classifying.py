"""Where a document belongs that no run has seen: told from its tags by the code that placed those of the run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from service.answers import ClassifyAnswer, DocumentPlace, NewTag, PlacedDocument
from service.errors import NotPossible, UnknownTags
from service.understanding import suggest
from service.view import View
from snapshot import Placing, nearest, normalise, posteriors
from snapshot.placing import tag_cluster_of

MOST_PLACED: Final = 1000
"""Documents and new tags of one push that are told about one by one."""


@dataclass(frozen=True)
class Read:
    """The tags of a document: those that are known, by place and rising, and the others, normalised."""

    known: list[int]
    unknown: list[str]


def classify(view: View, tags: list[str], limit: int) -> ClassifyAnswer:
    """The most likely clusters of a document with these tags; a tag that is new goes where the document goes.

    Raises:
        UnknownTags: none of the tags is known.
        NotPossible: the snapshot is from before there was such a thing.
    """
    placing = placing_of(view)
    found = read(view, tags)
    if not found.known:
        raise UnknownTags(f"none of the tags is one of {view.snapshot.corpus}", suggest(view, tags[0]))
    likely = likelihoods(placing, [found])[0]
    order = np.lexsort((np.arange(len(likely)), -likely))[:limit].tolist()
    return ClassifyAnswer(
        corpus=view.snapshot.corpus,
        version=view.snapshot.version,
        tags=[view.snapshot.names[tag] for tag in found.known],
        cluster=_place(placing, order[0], float(likely[order[0]])),
        others=[_place(placing, cluster, float(likely[cluster])) for cluster in order[1:]],
        new_tags=[_new_tag(view, placing, tag, likely, 1) for tag in found.unknown],
    )


def placed(view: View, documents: Sequence[tuple[str, list[str], Any]]) -> tuple[list[PlacedDocument], list[NewTag]]:
    """The clusters of pushed documents and of the new tags among theirs, the first of either."""
    placing = placing_of(view)
    found = [read(view, tags) for _, tags, _ in documents]
    starts, tags = _flat(found)
    places = nearest(starts, tags, placing)
    told = [
        PlacedDocument(name, int(cluster), round(float(sure), 4)) if each.known else PlacedDocument(name, None, 0.0)
        for (name, _, _), each, cluster, sure in zip(
            documents[:MOST_PLACED], found, places.clusters, places.confidence, strict=False
        )
    ]
    return told, _new_tags(view, placing, found)


def placing_of(view: View) -> Placing:
    """What tells the cluster of a document."""
    if view.snapshot.placing is None:
        raise NotPossible(f"{view.snapshot.version} was made by an older worker; from the next run on this is known")
    return view.snapshot.placing


def read(view: View, tags: Iterable[str]) -> Read:
    """Tags looked up as a run looks them up, each once."""
    known: set[int] = set()
    unknown: dict[str, None] = {}
    for tag in tags:
        key = normalise(tag)
        place = view.index.get(key)
        if place is not None:
            known.add(place)
        elif key:
            unknown.setdefault(key)
    return Read(sorted(known), list(unknown))


def likelihoods(placing: Placing, found: list[Read]) -> NDArray[np.float32]:
    """How likely each document is in each cluster."""
    return posteriors(*_flat(found), placing)


def _flat(found: list[Read]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts = np.concatenate([[0], np.cumsum([len(each.known) for each in found], dtype=np.int64)])
    return starts.astype(np.int64), np.array([tag for each in found for tag in each.known], dtype=np.int64)


def _new_tags(view: View, placing: Placing, found: list[Read]) -> list[NewTag]:
    """New tags by falling number of documents, each where its documents are."""
    holders: dict[str, list[Read]] = {}
    for each in found:
        for tag in each.unknown if each.known else []:
            holders.setdefault(tag, []).append(each)
    ranked = sorted(holders.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_PLACED]
    return [
        _new_tag(view, placing, tag, likelihoods(placing, documents).sum(axis=0), len(documents))
        for tag, documents in ranked
    ]


def _new_tag(view: View, placing: Placing, tag: str, likely: NDArray[np.float32], documents: int) -> NewTag:
    place, sure = tag_cluster_of(likely, placing)
    cluster = view.snapshot.clusters[place]
    return NewTag(tag, cluster.id, ", ".join(cluster.label), round(sure, 4), documents)


def _place(placing: Placing, cluster: int, likely: float) -> DocumentPlace:
    found = placing.clusters[cluster]
    return DocumentPlace(found.id, ", ".join(found.label), found.size, round(likely, 4))
