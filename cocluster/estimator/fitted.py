"""What a fitted estimator tells about its clusters: biclusters, labelled clusters of tags, related tags."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cocluster.equations.arrays import Ints, Sparse
from cocluster.equations.feature_names import Names, names_or_numbers
from cocluster.equations.incidence import column_counts
from cocluster.estimator.base import Estimator, not_fitted
from cocluster.estimator.state import FittedState
from cocluster.estimator.summary import html_summary
from cocluster.suggestions.ranking import rank_related
from cocluster.suggestions.related import fit_related
from cocluster.tags.assignment import UNPLACED, company_scores, nearest_clusters, place
from cocluster.tags.leading_tags import labelled_clusters, leading_tags
from cocluster.tags.relations import RelationKind, TagRelation, head_words, implications, together
from tagmodel import Cluster, RelatedTags

Indicators = NDArray[np.bool_]

NO_CLUSTER: Final = -1
"""The cluster of a document without tags."""


class FittedTags(Estimator):
    """The answers of `CoClustering` after `fit`."""

    row_labels_: Ints
    column_labels_: Ints
    column_transition_: Sparse
    _fit: FittedState
    _related: RelatedTags | None

    @property
    def labels_(self) -> Ints:
        """The cluster of each document of the input, as scikit-learn's clusterers call it; −1 without a tag."""
        state = self._require_fit()
        if state.documents is None:
            return self.row_labels_
        labels: Ints = np.full(state.documents, NO_CLUSTER, dtype=np.int64)
        labels[state.row_positions] = self.row_labels_
        return labels

    @property
    def matrix_(self) -> Sparse:
        """M as it was clustered, documents × tags."""
        distinct = self._require_fit().transitions.distinct
        return csr_array(distinct.matrix[distinct.row_of][:, distinct.column_of])

    @property
    def rows_(self) -> Indicators:
        """The documents of each bicluster, biclusters × documents; see `biclusters_`."""
        return self.biclusters_[0]

    @property
    def columns_(self) -> Indicators:
        """The tags of each bicluster, biclusters × tags; see `biclusters_`."""
        return self.biclusters_[1]

    @property
    def biclusters_(self) -> tuple[Indicators, Indicators]:
        """`rows_` and `columns_`: each cluster of documents with each of tags, as scikit-learn's SpectralBiclustering.

        Made anew at each call: the number of biclusters is the product of the numbers of clusters.
        """
        self._require_fit()
        rows, columns = (
            labels == np.arange(labels.max() + 1)[:, None] for labels in (self.labels_, self.column_labels_)
        )
        return np.repeat(rows, len(columns), axis=0), np.tile(columns, (len(rows), 1))

    def tag_clusters(self, k: int | None = None) -> tuple[Cluster, ...]:
        """The clusters of tags with their labels, at the automatic cut or into k; the id is that of `column_labels`.

        A label has up to three tags of the cluster, the most representative ones: it is the rule by which Cotag names
        all groups of tags (docs/explanation/clouds.md).
        """
        return labelled_clusters(self._leading_tags(k), self._names())

    def cluster_tags(self, k: int | None = None) -> list[list[str]]:
        """The tags of each cluster at the automatic cut or of a cut into k, the most representative ones first.

        >>> from cocluster import CoClustering
        >>> model = CoClustering.from_tags([["rain", "snow"], ["rain", "snow", "wind"], ["coin", "bank"]])
        >>> model.cluster_tags(2)
        [['bank', 'coin'], ['rain', 'snow', 'wind']]
        """
        names = self._names()
        return [[names[tag] for tag in tags] for tags in self._leading_tags(k)]

    def related(self, tags: str | Iterable[str], n: int = 10, *, specificity: float = 0.5) -> list[tuple[str, float]]:
        """The n tags that belong best beside these, with scores between 0 and 1, best first.

        The first call, or the first label, learns the weights from tag to tag (docs/explanation/suggestions.md) at
        settings that suit most corpora; later calls use them again.

        >>> from cocluster import CoClustering
        >>> model = CoClustering.from_tags([["rain", "snow"], ["rain", "snow", "wind"], ["coin", "bank"]])
        >>> [tag for tag, score in model.related("rain")]
        ['snow', 'wind']

        Args:
            tags: one tag or several.
            n: at most so many.
            specificity: from 0, popular tags, to 1, specific ones.

        Raises:
            ValueError: no tags are given, one is unknown (similar ones are named), or a number is out of range.
        """
        if not 0 <= specificity <= 1:
            raise ValueError(f"specificity must lie between 0 and 1, not {specificity}")
        if n < 1:
            raise ValueError(f"n must be at least 1, not {n}")
        query = self._query([tags] if isinstance(tags, str) else tags)
        matrix = self.matrix_
        names = self._names()
        ranked = rank_related(self._weights(matrix), column_counts(matrix), query, n, specificity)
        return [(names[tag], score) for tag, score in ranked]

    def place(self, tags: Iterable[str], k: int | None = None) -> int | None:
        """The cluster of tags that a rare tag belongs to, by the tags that stand beside it in its documents.

        A tag that stands beside it several times is given as often. Tags that the model does not know count for
        nothing; None if it knows none of them.

        >>> from cocluster import CoClustering
        >>> model = CoClustering.from_tags([["rain", "snow"], ["rain", "snow", "wind"], ["coin", "bank"]])
        >>> wind = model.feature_names_in_.tolist().index("wind")
        >>> bool(model.column_labels(2)[wind] == model.place(["rain", "hail"], 2))
        True
        """
        state = self._require_fit()
        labels = self.column_labels_ if k is None else state.result.history.columns.tree.cut(k)
        place_of = {name: place for place, name in enumerate(self._names())}
        places = [place_of[tag] for tag in tags if tag in place_of]
        matrix = self.matrix_
        beside = csr_array(np.bincount(places, minlength=matrix.shape[1])[None, :].astype(np.float64))
        clusters = int(labels.max()) + 1
        scores = company_scores(matrix, labels, clusters)
        placed = int(nearest_clusters(place(beside, column_counts(matrix), scores))[0])
        return None if placed == UNPLACED else placed

    def relations(self) -> list[TagRelation]:
        """Tags that may be a kind of another one, or imply it: proposals with their counts, for people to decide.

        By their words (*olive oil* may be a kind of *oil*), and where one nearly always comes with a much commoner one
        of its cluster. About half of the second kind are right in the corpora measured (docs/research/proposals.md).

        >>> from cocluster import CoClustering
        >>> model = CoClustering.from_tags([["oil", "salt"], ["oil", "sugar"], ["olive oil", "salt"]])
        >>> [(relation.tag, relation.kind, relation.other) for relation in model.relations()]
        [('olive oil', 'head-word', 'oil')]
        """
        matrix, names = self.matrix_, self._names()
        words = head_words([str(name).lower() for name in names], matrix)
        implied = [pair for pair in implications(matrix, self.column_labels_) if pair not in set(words)]
        counts = column_counts(matrix).tolist()
        pairs = [*words, *implied]
        kinds: list[RelationKind] = ["head-word"] * len(words)
        kinds += ["implied"] * len(implied)
        return [
            TagRelation(str(names[tag]), kind, str(names[other]), int(counts[tag]), int(counts[other]), both)
            for (other, tag), kind, both in zip(pairs, kinds, together(matrix, pairs).tolist(), strict=True)
        ]

    def _query(self, tags: Iterable[str]) -> tuple[int, ...]:
        """The places of tags, each once."""
        names = self._names()
        place_of = {name: place for place, name in enumerate(names)}
        places: dict[int, None] = {}
        for tag in tags:
            if tag not in place_of:
                near = get_close_matches(str(tag), names, n=3)
                raise ValueError(f"unknown tag {tag!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))
            places[place_of[tag]] = None
        if not places:
            raise ValueError("related needs at least one tag")
        return tuple(places)

    def _leading_tags(self, k: int | None) -> list[Ints]:
        """The tags of each cluster at a cut, the most representative ones first."""
        state = self._require_fit()
        labels = self.column_labels_ if k is None else state.result.history.columns.tree.cut(k)
        matrix = self.matrix_
        return leading_tags(self._weights(matrix), column_counts(matrix), labels)

    def _weights(self, matrix: Sparse) -> RelatedTags:
        """The weights from tag to tag, learnt when they are first needed."""
        if self._related is None:
            self._related = fit_related(matrix)
        return self._related

    def _names(self) -> list[str]:
        names: Names | None = getattr(self, "feature_names_in_", None)
        return names_or_numbers(names, len(self._require_fit().transitions.distinct.column_of))

    def _repr_html_(self) -> str:
        if not hasattr(self, "_fit"):
            return html_summary(repr(self))
        size = f"{len(self.row_labels_)} documents × {len(self.column_labels_)} tags"
        if self._fit.binarized:
            size += f" ({self._fit.binarized} numbers above 0 count as 1)"
        parts = f"{self.row_labels_.max() + 1} clusters of documents, {self.column_labels_.max() + 1} of tags"
        leading, names = self._leading_tags(None), self._names()
        shown = [[names[tag] for tag in tags] for tags in leading]
        return html_summary(
            repr(self), f"{size}: {parts}", list(zip(labelled_clusters(leading, names), shown, strict=True))
        )

    def _require_fit(self) -> FittedState:
        if not hasattr(self, "_fit"):
            raise not_fitted("nothing is clustered yet: call fit(X) first")
        return self._fit
