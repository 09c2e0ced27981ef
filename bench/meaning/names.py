"""Whether the name of a branch says what is in it: the share of its documents that have a tag of what it mentions."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any, Final

import numpy as np

from bench.meaning.samples import Sample, incidence_of
from service.pages.map.layout import branches
from service.pages.map.map import REGIONS
from service.view.view import View
from snapshot import normalise
from tagmodel.language.group_names import label

DRAWN: Final = 200


def name_figures(sample: Sample) -> dict[str, Any]:
    """Over the regions of the map with several concepts: covered by its name, and by its commonest tags, as before."""
    snapshot = sample.snapshot().snapshot
    view = View(snapshot)
    matrix = incidence_of(sample.training, snapshot.keys)
    concept_of = np.array(view.cluster_of[: len(snapshot.names)])
    main = _main_concepts(matrix.indptr, concept_of[matrix.indices])
    order = sorted(view.clusters, key=view.cluster_place.__getitem__)
    random = np.random.default_rng(sample.seed)
    rows: list[tuple[float, float]] = []
    for first, end in branches(view.cluster_gaps, (0, len(order)), REGIONS):
        concepts = order[first:end]
        documents = np.flatnonzero(np.isin(main, concepts))
        if len(concepts) < 2 or not len(documents):
            continue
        drawn = random.permutation(documents)[:DRAWN]
        tags = sorted((tag for each in concepts for tag in view.members[each]), key=view.count_rank.__getitem__)
        before = [snapshot.names[tag] for tag in label(view.company, tags, snapshot.counts, snapshot.keys)]
        present = [
            set(concept_of[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]].tolist()) for row in drawn
        ]
        rows.append((_covered(view, present, before), _covered(view, present, view.label(tags).split(", "))))
    return {"regions": len(rows), "before": fmean(row[0] for row in rows), "covered": fmean(row[1] for row in rows)}


def _covered(view: View, present: Sequence[set[int]], words: Sequence[str]) -> float:
    """The share of documents that have a tag in a concept that the words mention."""
    mentioned = {view.cluster_of[view.index[normalise(word)]] for word in words if normalise(word) in view.index}
    return fmean(not mentioned.isdisjoint(each) for each in present)


def _main_concepts(starts: Any, concepts: Any) -> Any:
    """The concept that most tags of each document belong to."""
    return np.array([np.bincount(concepts[a:b]).argmax() for a, b in pairwise(starts)])
