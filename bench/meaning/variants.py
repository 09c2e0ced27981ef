"""Variants of the grouping, compared on questions and a sample that no reported figure comes from."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from bench.meaning import grouping
from bench.meaning.api import SETS, SHOWN, Cloud, Group
from bench.meaning.clouds import Reader, measure
from bench.meaning.grouping import Company, Floats, Labels
from bench.meaning.prototype import Prototype
from bench.meaning.queries import single_tags
from bench.meaning.samples import Sample
from tagmodel import RelatedTags

ASKED: Final = 100
ALL: Final = 400
"""More neighbours than any tag has."""

Cosines = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Variant:
    """One way of grouping: whose company, how alike, and what moves after the cut."""

    company: Callable[[RelatedTags], Company] = grouping.company
    likeness: Callable[[Floats], Cosines] = grouping.likeness
    settle: Callable[[Cosines, Labels], Labels] = grouping.settle

    def labels(self, whole: Company, tags: list[int]) -> Labels:
        """The group of each candidate."""
        cosines = self.likeness(grouping.rows_of(whole, np.array(tags, dtype=np.intp)))
        parts = max(min(SETS, len(tags) // grouping.SMALLEST), 1)
        labels = grouping.cut(grouping.ward(cosines), parts)
        return self.settle(cosines, labels) if labels.max() > 0 else np.zeros_like(labels)


def alone(related: RelatedTags) -> RelatedTags:
    """Only the weights of a tag alone."""
    return replace(related, together=related.alone)


def together(related: RelatedTags) -> RelatedTags:
    """Only the weights of a tag among others."""
    return replace(related, alone=related.together)


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
    return replace(related, alone=values, together=values)


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
    return np.where(labels < 0, grouping.settle(cosines, labels), labels)


def _from(weights: Callable[[RelatedTags], RelatedTags], **parameters: Any) -> Callable[[RelatedTags], Company]:
    return lambda related: grouping.company(weights(related), **parameters)


def _company(**parameters: Any) -> Callable[[RelatedTags], Company]:
    return partial(grouping.company, **parameters)


VARIANTS: Final = {
    "chosen": Variant(),
    "weights alone, own share 1, wholly centred, only singles move": Variant(
        _from(alone, own_share=1.0, neighbours=ALL), wholly_centred, singles_join
    ),
    "weights alone": Variant(_from(alone)),
    "weights together": Variant(_from(together)),
    "T^Y": Variant(_from(symmetric)),
    "not centred": Variant(likeness=uncentred),
    "wholly centred": Variant(likeness=wholly_centred),
    "only singles move": Variant(settle=singles_join),
    "own share 0.01": Variant(_company(own_share=0.01)),
    "own share 0.2": Variant(_company(own_share=0.2)),
    "own share 1": Variant(_company(own_share=1.0)),
    "64 neighbours": Variant(_company(neighbours=64)),
    "all neighbours": Variant(_company(neighbours=ALL)),
}


def variant_figures(sample: Sample, reader: Reader, variant: Variant) -> dict[str, Any]:
    """The measures of one variant; its groups have no names."""
    prototype = Prototype(sample.snapshot().snapshot)
    snapshot = prototype.view.snapshot
    whole = variant.company(snapshot.related)

    def ask(question: tuple[str, ...]) -> Cloud:
        tags = prototype.ranking(question, SHOWN).tags
        if len(tags) < grouping.SMALLEST:
            return Cloud(())
        labels = variant.labels(whole, tags)
        members = [np.flatnonzero(labels == label).tolist() for label in range(int(labels.max()) + 1)]
        return Cloud(tuple(Group("", tuple(snapshot.names[tags[place]] for place in places)) for places in members))

    figures = measure(reader, ask, single_tags(snapshot, "choose")[: 2 * ASKED : 2])
    return {name: figures[name] for name in ("gain", "auc", "npmi", "single", "biggest")}
