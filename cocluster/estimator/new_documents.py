"""What a fitted estimator says about new documents: their cluster, and their shares of the clusters of tags."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from cocluster.equations.arrays import Floats, Ints, Sparse
from cocluster.equations.feature_names import feature_names
from cocluster.equations.incidence import Binarize, Incidence, Matrix, binarized_matrix, column_counts
from cocluster.estimator.fitted import NO_CLUSTER, FittedTags
from cocluster.estimator.frames import document_frame, relation_frame, tag_frame
from cocluster.evaluation.cluster_scores import ClusterScores


class NewDocuments(FittedTags):
    """Documents → clusters and shares, as scikit-learn's `predict` and `transform`."""

    binarize: Binarize
    _computed: dict[str, Any]

    def fit(self, X: Matrix | Incidence, y: Any = None) -> Self:
        """Cluster X."""
        raise NotImplementedError

    def cluster_scores(self, rows: Any) -> ClusterScores:
        """The scores of clusters of documents."""
        raise NotImplementedError

    def concepts(self, columns: Any) -> Ints:
        """The cluster of tags with the largest share of each document."""
        raise NotImplementedError

    def predict(self, X: Matrix) -> Ints:
        """The nearest cluster of each document of X by its tags, numbered as `labels_`; −1 without a known tag.

        X has the columns of the matrix that was fitted, or is a list of documents, each a list of tags, of which
        unknown ones count for nothing. The divergence from each cluster decides (math.md (14)): most, but not all
        documents of the fit get their own cluster back.

        >>> from cocluster import CoClustering
        >>> model = CoClustering.from_tags([["rain", "snow"], ["rain", "snow", "wind"], ["coin", "bank"]], n_clusters=2)
        >>> model.predict([["wind"], ["bank", "robbery"], ["robbery"]])
        array([ 0,  1, -1])

        Raises:
            ValueError: X has other columns, or holds something else than `fit` allows.
        """
        M = self._new_matrix(X)
        if "scores" not in self._computed:
            self._computed["scores"] = self.cluster_scores(self.row_labels_)
        scores: ClusterScores = self._computed["scores"]
        mass = np.asarray(M @ scores.mass.astype(np.float64))
        total = np.asarray(M @ scores.table.astype(np.float64))
        nearest = np.argmax(total / np.where(mass > 0, mass, 1.0)[:, None], axis=1).astype(np.int64)
        return np.where(mass > 0, nearest, NO_CLUSTER)

    def transform(self, X: Matrix) -> Floats:
        """The share of each cluster of tags in each document of X, documents × clusters; a row adds up to 1.

        The tags of a document count equally, each spread over related ones by T^Y (math.md (3)). A document without a
        known tag has only zeros. X is as for `predict`, the columns are those of `get_feature_names_out`.

        >>> from cocluster import CoClustering
        >>> model = CoClustering.from_tags([["rain", "snow"], ["rain", "snow", "wind"], ["coin", "bank"]], n_clusters=2)
        >>> model.transform([["rain", "wind"], ["rain", "coin"]]).round(2)
        array([[0. , 1. ],
               [0.5, 0.5]])

        Raises:
            ValueError: as for `predict`.
        """
        M = self._new_matrix(X)
        members: Sparse = csr_array(
            (np.ones(len(self.column_labels_)), (np.arange(len(self.column_labels_)), self.column_labels_))
        )
        masses: Floats = np.asarray((M @ (self.column_transition_ @ members)).toarray())
        sums = masses.sum(axis=1, keepdims=True)
        np.divide(masses, sums, out=masses, where=sums > 0)
        return masses

    def fit_transform(self, X: Matrix, y: Any = None) -> Floats:
        """Fit, and the shares of the same documents."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002 - scikit-learn
        """The labels of the clusters of tags: the names of the columns that `transform` gives."""
        return np.array([cluster.name for cluster in self.tag_clusters()], dtype=object)

    def to_frame(self, side: Literal["tags", "documents", "relations"] = "tags") -> Any:
        """The clusters as a table of pandas, at the cut of the fit; or the proposed relations of tags.

        Of the tags: `tag`, `documents`, `cluster`, `label`, the leading tags of each cluster first. Of the documents,
        in the order of the input: `cluster`, the cluster of tags that has most of it (`tag_cluster`), and its `label`.
        Of the relations: what `relations` lists.

        Raises:
            ModuleNotFoundError: pandas is not installed.
            ValueError: there is no such side.
        """
        if side == "relations":
            return relation_frame(self.relations())
        if side not in {"tags", "documents"}:
            raise ValueError(f"side must be tags, documents or relations, not {side!r}")
        clusters = self.tag_clusters()
        if side == "tags":
            return tag_frame(self._names(), column_counts(self.matrix_), clusters, self._leading_tags(None))
        state = self._require_fit()
        places = np.arange(len(self.row_labels_)) if state.documents is None else state.row_positions
        return document_frame(self.labels_, self.concepts(self.column_labels_), places, clusters)

    def _new_matrix(self, X: Any) -> Sparse:
        """M of new documents, over the tags of the model."""
        tags = len(self._require_fit().transitions.distinct.column_of)
        lists = _tag_lists(X)
        if lists is not None:
            column_of = {name: column for column, name in enumerate(self._names())}
            known = [sorted({column_of[tag] for tag in document if tag in column_of}) for document in lists]
            starts = np.cumsum([0, *map(len, known)])
            columns = np.array([column for document in known for column in document], dtype=np.int64)
            return csr_array((np.ones(len(columns)), columns, starts), shape=(len(known), tags))
        matrix = X.matrix if isinstance(X, Incidence) else X
        self._check_names(matrix)
        M, _ = binarized_matrix(matrix, self.binarize)
        if M.shape[1] != tags:  # scikit-learn's words
            name = type(self).__name__
            raise ValueError(f"X has {M.shape[1]} features, but {name} is expecting {tags} features as input")
        return M

    def _check_names(self, X: Any) -> None:
        """ValueError if a table has other columns than that of the fit; a warning if it was one and this is none."""
        expected, names = getattr(self, "feature_names_in_", None), feature_names(X)
        if expected is None or (names is None and (issparse(X) or not hasattr(X, "shape"))):
            if expected is None and names is not None:
                message = f"X has feature names, but {type(self).__name__} was fitted without feature names"
                warnings.warn(message, UserWarning, stacklevel=4)
            return
        if names is None:
            message = f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names"
            warnings.warn(message, UserWarning, stacklevel=4)
        elif not np.array_equal(names, expected):
            raise ValueError(_other_names(list(names), list(expected)))


def _other_names(names: list[str], expected: list[str]) -> str:
    """How names differ from those of the fit, as scikit-learn says it."""
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(names) - set(expected)), sorted(set(expected) - set(names))
    for title, group in (
        ("Feature names unseen at fit time:", unseen),
        ("Feature names seen at fit time, yet now missing:", missing),
    ):
        if group:
            message += f"{title}\n" + "".join(f"- {name}\n" for name in group[:5])
            message += "- ...\n" if len(group) > 5 else ""
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _tag_lists(X: Any) -> list[list[str]] | None:
    """Documents as lists of tags; None if X is a matrix."""
    if issparse(X) or getattr(X, "ndim", 1) != 1 or hasattr(X, "columns") or isinstance(X, Incidence | str):
        return None
    if not isinstance(X, Iterable):
        return None
    documents = list(X)
    if not documents or not all(_is_tag_list(document) for document in documents):
        return None
    return [list(document) for document in documents]


def _is_tag_list(document: Any) -> bool:
    if isinstance(document, str | bytes) or not isinstance(document, Iterable):
        return False
    return all(isinstance(tag, str) for tag in document)
