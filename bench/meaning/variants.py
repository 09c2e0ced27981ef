"""Variants of the grouping, compared on questions and a sample that no reported figure comes from."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Final

import numpy as np

from bench.meaning.api import SETS, SHOWN, Cloud, Group
from bench.meaning.clouds import Reader, agreement, measure
from bench.meaning.queries import ranking_of, several_tags, single_tags
from bench.meaning.samples import Sample
from service.questions.clouds import grouping
from service.questions.clouds.grouping import Labels
from service.questions.clouds.ward import ward
from service.questions.related.ranking import Ranking
from service.view.view import View
from snapshot import Snapshot, normalise
from tagmodel import RelatedTags, company
from tagmodel.company import Company, Floats

ASKED: Final = 100
ALL: Final = 400
"""More neighbours than any tag has."""

Cosines = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Variant:
    """One way of grouping: whose company, how alike, what concepts count, what moves after the cut, and "also"."""

    weights: Callable[[RelatedTags], RelatedTags] = lambda related: related
    own_share: float = company.OWN_SHARE
    neighbours: int = company.NEIGHBOURS
    likeness: Callable[[Floats], Cosines] = company.centred_cosines
    concepts: bool = True
    broad_bonus: float = company.BROAD_BONUS
    settle: Callable[[Cosines, Labels], Labels] = grouping.settle_tags
    also: bool = True

    def company(self, snapshot: Snapshot) -> Company:
        """The company of the tags of a snapshot."""
        related = self.weights(snapshot.related)
        parts = (snapshot.partition.labels, snapshot.broad)
        return Company.of(related, *parts, own_share=self.own_share, neighbours=self.neighbours)

    def groups(self, whole: Company, ranking: Ranking, snapshot: Snapshot) -> Cloud:
        """The candidates in groups, without headings."""
        tags = np.array(ranking.tags, dtype=np.intp)
        cosines = self.likeness(company.rows_of(whole, tags))
        if self.concepts:
            cosines = company.join_concepts(cosines, whole.concepts[tags], whole.broad[tags], self.broad_bonus)
        labels = grouping.cut(ward(cosines), max(min(SETS, len(tags) // grouping.SMALLEST), 1))
        several = labels.max() > 0
        labels = self.settle(cosines, labels) if several else np.zeros_like(labels)
        names = [snapshot.names[tag] for tag in ranking.tags]
        loose = -1
        if several and self.also:
            loose = grouping.loosest_group(cosines, labels)
            labels = grouping.shrink(cosines, labels, loose) if loose >= 0 else labels
        counts, breadth = (each[tags].astype(np.float64) for each in (snapshot.counts, snapshot.breadth))
        shown = grouping.Candidates(tags, ranking.scores, names, counts, breadth, snapshot.broad[tags])
        found = grouping.finish(cosines, shown, labels, shown.relevance(cosines), loose=loose)
        return Cloud(
            tuple(
                Group("", tuple(names[place] for place in places), "also" if loose else "group")
                for places, loose in zip(found.groups, found.loose, strict=True)
            )
        )


def together(related: RelatedTags) -> RelatedTags:
    """The weights of a tag among others."""
    return replace(related, alone=related.together)


def mean_weights(related: RelatedTags) -> RelatedTags:
    """The mean of the weights alone and among others, each as shares."""
    m = len(related.prior)
    row = np.repeat(np.arange(m), np.diff(related.starts))
    shares = np.zeros(len(row))
    for weights in (related.alone, related.together):
        positive = np.where(row != related.indices, np.maximum(weights, 0.0), 0.0).astype(np.float64)
        shares += positive / np.maximum(np.bincount(row, positive, minlength=m), 1e-12)[row]
    return replace(related, alone=shares.astype(np.float32))


def symmetric(related: RelatedTags) -> RelatedTags:
    """√(A_ij A_ji) scaled to be bi-stochastic: the transitions T^Y as far as the weights tell them."""
    m = len(related.prior)
    weights = np.zeros((m, m))
    row = np.repeat(np.arange(m), np.diff(related.starts))
    weights[row, related.indices] = np.maximum(related.alone, 0.0)
    weights = np.sqrt(weights * weights.T)
    np.fill_diagonal(weights, 1.0)
    scale = np.ones(m)
    for _ in range(50):
        scale = np.sqrt(scale / (weights @ scale))
    values = (weights * scale[:, None] * scale)[row, related.indices].astype(np.float32)
    return replace(related, alone=values)


def uncentred(rows: Floats) -> Cosines:
    """Cosines of the rows as they are."""
    products = (rows @ rows.T).astype(np.float64)
    np.fill_diagonal(products, 1.0)
    return products


def wholly_centred(rows: Floats) -> Cosines:
    """Cosines of the rows after their mean is subtracted."""
    products = uncentred(rows)
    means = products.mean(axis=0)
    products += means.mean() - means - means[:, None]
    lengths = np.sqrt(np.maximum(products.diagonal(), 1e-12))
    return np.asarray(products / lengths / lengths[:, None])


def singles_join(cosines: Cosines, labels: Labels) -> Labels:
    """Only single tags move."""
    return np.where(labels < 0, grouping.settle_tags(cosines, labels), labels)


VARIANTS: Final = {
    "chosen": Variant(),
    "own share 1, wholly centred, no concepts, only singles move": Variant(
        own_share=1.0, neighbours=ALL, likeness=wholly_centred, concepts=False, settle=singles_join
    ),
    "no concepts": Variant(concepts=False),
    "weights among others": Variant(together),
    "mean of both weights": Variant(mean_weights),
    "mean of both weights, no concepts": Variant(mean_weights, concepts=False),
    "T^Y": Variant(symmetric),
    "not centred": Variant(likeness=uncentred),
    "wholly centred": Variant(likeness=wholly_centred),
    "only singles move": Variant(settle=singles_join),
    "no group set apart": Variant(also=False),
    **{f"bonus {bonus} for broad tags": Variant(broad_bonus=bonus) for bonus in (0.0, 0.03, 0.07, 0.1)},
    "own share 0.01": Variant(own_share=0.01),
    "own share 0.2": Variant(own_share=0.2),
    "own share 1": Variant(own_share=1.0),
    "64 neighbours": Variant(neighbours=64),
    "all neighbours": Variant(neighbours=ALL),
}


def variant_figures(sample: Sample, reader: Reader, variant: Variant) -> dict[str, Any]:
    """The measures of one variant, asked for one tag and for several, and V after 5 % more documents."""
    before, later = (_asking(variant, View(sample.snapshot(kind).snapshot)) for kind in ("base", "grown"))
    snapshot = sample.snapshot().snapshot
    known = set(sample.snapshot("grown").snapshot.keys)
    asked = [each for each in single_tags(snapshot, "choose")[: 2 * ASKED : 2] if normalise(each[0]) in known]
    one = measure(reader, before, asked)
    several = measure(reader, before, several_tags(sample, snapshot, "choose"))
    found = [v for each in asked if (v := agreement(before(each), later(each))) is not None]
    return {
        **{name: one[name] for name in ("gain", "auc", "npmi", "single", "biggest", "also")},
        **{f"several {name}": several[name] for name in ("gain", "auc", "also")},
        "v": fmean(found),
    }


def _asking(variant: Variant, view: View) -> Callable[[tuple[str, ...]], Cloud]:
    """Clouds as a variant groups them."""
    whole = variant.company(view.snapshot)

    def ask(question: tuple[str, ...]) -> Cloud:
        ranking = ranking_of(view, question, SHOWN)
        if len(ranking.tags) < grouping.SMALLEST:
            return Cloud(())
        return variant.groups(whole, ranking, view.snapshot)

    return ask
