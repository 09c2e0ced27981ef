"""Lists of tags and tables in; labelled clusters, related tags and a table for notebooks out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from cocluster import CoClustering, checkerboard, incidence
from cocluster.estimator.summary import MOST_CLUSTERS
from cocluster.suggestions import fit_related
from cocluster.suggestions.ranking import rank_related
from service.questions.related.ranking import rank
from service.view.view import View
from snapshot import normalise
from tagmodel import Company, Partition
from tests.clustered import snapshot_at
from tests.conftest import TOPICS, topic_documents
from worker.clustering.labels import label_clusters

LISTS = [document["tags"] for document in topic_documents(120)]


@pytest.fixture(scope="module")
def model():
    return CoClustering.from_tags(LISTS)


def test_from_tags_is_the_fit_of_the_matrix_of_the_lists(model):
    names = sorted({tag for tags in LISTS for tag in tags})
    matrix = np.array([[tag in tags for tag in names] for tags in LISTS])
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.matrix_.toarray(), matrix)
    np.testing.assert_array_equal(model.history_, CoClustering().fit(matrix).history_)
    assert model.n_features_in_ == len(names)


def test_from_tags_leaves_out_rare_tags_and_says_which_documents_are_left():
    lists = [["rare"], ["a", "b", "rarer"], ["a", "b"], [], ["b", "a", "a"]]
    model = CoClustering.from_tags(lists, min_count=2, critical_size=1)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.row_positions_.tolist() == [1, 2, 4]
    assert model.critical_size == 1


def test_from_tags_takes_a_column_of_a_table_and_no_empty_tags():
    column = pd.Series(["a;b", "b;", "", "a", None]).str.split(";")
    model = CoClustering.from_tags(column)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.row_positions_.tolist() == [0, 1, 3]
    assert len(model.labels_) == len(column)
    assert model.labels_[[2, 4]].tolist() == [-1, -1]


def test_from_tags_takes_a_column_of_lists_of_polars():
    column = pl.Series([["a", "b"], ["b"], [], ["a"], None])
    assert CoClustering.from_tags(column).row_positions_.tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([["a"], "a;b"], r"document 1 is the text 'a;b', not a list of tags; split it first"),
        ([["a"], 7], r"document 1 is 7, not a list of tags"),
        ([["a"], ["b", 7]], r"document 1 has the tag 7, which is not a string"),
        ([["a", ["b"]]], r"document 0 has the tag \['b'\]"),
        ([[], [""]], "no tags in 2 documents"),
        ([], "no tags in 0 documents"),
    ],
)
def test_what_is_no_list_of_tags_is_named(lists, message):
    with pytest.raises(ValueError, match=message):
        CoClustering.from_tags(lists)


def test_a_min_count_that_leaves_nothing_is_named():
    with pytest.raises(ValueError, match="no tag occurs in min_count=3 documents"):
        CoClustering.from_tags([["a"], ["b"]], min_count=3)


@pytest.mark.parametrize("dtype", [bool, int, float, "boolean", "Int8", object, pd.SparseDtype(int)])
def test_a_table_of_any_type_gives_what_its_array_gives_with_names(model, dtype):
    table = pd.DataFrame(model.matrix_.toarray().astype(int), columns=model.feature_names_in_).astype(dtype)
    other = CoClustering().fit(table)
    np.testing.assert_array_equal(other.history_, model.history_)
    assert other.feature_names_in_.tolist() == model.feature_names_in_.tolist()


def test_names_of_a_filtered_table_stay_with_their_columns():
    table = pd.DataFrame({"rare": [1, 0, 0], "a": [1, 1, 0], "b": [0, 1, 1]})
    model = CoClustering().fit(incidence(table, min_count=2))
    assert model.feature_names_in_.tolist() == ["a", "b"]


def test_columns_without_names_have_numbers_and_another_fit_forgets_names(model):
    matrix = model.matrix_
    other = CoClustering().fit(pd.DataFrame(matrix.toarray(), columns=model.feature_names_in_))
    assert hasattr(other, "feature_names_in_")
    other.fit(csr_array(matrix))
    assert not hasattr(other, "feature_names_in_")
    assert sorted(tag for tags in other.cluster_tags(4) for tag in tags) == sorted(f"x{n}" for n in range(32))
    assert not hasattr(other.fit(pd.DataFrame(matrix.toarray())), "feature_names_in_")


def test_names_of_which_only_some_are_strings_are_refused():
    with pytest.raises(TypeError, match="types int, str"):
        CoClustering().fit(pd.DataFrame({"a": [1, 1], 2: [1, 1]}))


def test_four_topics_are_four_clusters_with_labels_of_their_own_tags(model):
    clusters, tags = model.tag_clusters(4), model.cluster_tags(4)
    assert {frozenset(each) for each in tags} == {frozenset(topic) for topic in TOPICS.values()}
    labels = model.column_labels(4)
    for cluster, own in zip(clusters, tags, strict=True):
        assert cluster.size == len(own) == 8
        assert set(cluster.label) <= set(own[:4])
        assert {labels[model.feature_names_in_.tolist().index(tag)] for tag in own} == {cluster.id}


@pytest.mark.parametrize("k", [2, 4, 9, 32])
def test_labels_are_those_that_the_worker_gives_to_the_same_clusters(model, k):
    names = tuple(model.feature_names_in_)
    keys = tuple(map(normalise, names))
    counts = model.matrix_.sum(axis=0).astype(np.int32)
    partition = Partition.from_ids(model.column_labels(k))
    company = Company.of(fit_related(model.matrix_), partition.labels, np.zeros(len(names), dtype=np.bool_))
    assert model.tag_clusters(k) == label_clusters(company, partition, counts, names, keys, edited={})


@pytest.mark.parametrize("query", [("rain",), ("rain", "sun"), ("rain", "guitar", "oven")])
@pytest.mark.parametrize("specificity", [0.0, 0.5, 0.8])
def test_related_tags_are_ranked_as_the_service_ranks_them(query, specificity):
    snapshot = snapshot_at()
    tags = tuple(snapshot.names.index(tag) for tag in query)
    ranking = rank(View(snapshot), tags, specificity, 8)
    ranked = rank_related(snapshot.related, snapshot.counts, tags, 8, specificity)
    assert [tag for tag, _ in ranked] == ranking.tags
    assert [score for _, score in ranked] == ranking.scores.tolist()


def test_related_tags_are_mostly_of_the_same_topic_and_never_of_the_query(model):
    names = [tag for tag, _ in model.related("rain", 5)]
    assert set(names) <= set(TOPICS["weather"]) - {"rain"}
    assert model.related("rain", 5) == model.related(["rain", "rain"], 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tags": "guitars"}, "unknown tag 'guitars'; did you mean guitar"),
        ({"tags": ["rain", "zzz"]}, "unknown tag 'zzz'$"),
        ({"tags": []}, "at least one tag"),
        ({"tags": "rain", "n": 0}, "n must be at least 1"),
        ({"tags": "rain", "specificity": 2}, "specificity must lie between 0 and 1, not 2"),
    ],
)
def test_what_related_cannot_answer_is_named(model, arguments, message):
    with pytest.raises(ValueError, match=message):
        model.related(**arguments)


def test_a_new_fit_learns_related_tags_anew(model):
    other = CoClustering.from_tags(LISTS)
    before = other.related("rain")
    other.fit(incidence(pd.DataFrame(model.matrix_.toarray()[:60], columns=model.feature_names_in_), 1))
    assert other.related("rain") != before


def test_a_notebook_shows_sizes_k_and_the_leading_tags_of_each_cluster(model):
    page = model._repr_html_()
    k = model.n_column_clusters_
    assert f"120 documents × 32 tags: {model.n_row_clusters_} clusters of documents, {k} of tags" in page
    assert page.count("<tr>") == k + 1
    for cluster, tags in zip(model.tag_clusters(), model.cluster_tags(), strict=True):
        assert f"<td>{cluster.size}</td>" in page
        assert " · ".join(tags[:5]) in page


def test_a_notebook_shows_no_markup_of_tags_and_at_most_forty_clusters():
    assert (
        CoClustering(cost="<b>")._repr_html_()
        == "<div><strong>CoClustering(cost=&#x27;&lt;b&gt;&#x27;)</strong><br>not fitted</div>"
    )
    M, _, _ = checkerboard(n=120, m=100, k=50, alpha=0.3, beta=0.9, seed=0)
    names = [f"<i>{tag}" for tag in range(M.shape[1])]
    model = CoClustering(critical_size=0).fit(pd.DataFrame(M.toarray(), columns=names))
    page = model._repr_html_()
    assert "<i>" not in page
    assert model.n_column_clusters_ > MOST_CLUSTERS
    assert f"and {model.n_column_clusters_ - MOST_CLUSTERS} smaller clusters" in page
