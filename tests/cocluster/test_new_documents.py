"""`predict`, `transform`, names, tables, `n_clusters` and the line that shows how far a fit is."""

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from cocluster import CoClustering, checkerboard, v_measure
from cocluster.estimator.progress_line import ProgressLine, is_watched
from cocluster.files import load, save
from tests.conftest import topic_documents

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lists():
    return [document["tags"] for document in topic_documents(200)]


@pytest.fixture(scope="module")
def model(lists):
    return CoClustering.from_tags(lists, n_clusters=4)


def test_documents_get_the_cluster_of_their_topic_whether_seen_or_not(model):
    new = list(topic_documents(400, seed=9))[200:]
    predicted = model.predict([document["tags"] for document in new])
    assert v_measure([document["label"] for document in new], predicted) > 0.8
    assert v_measure(model.labels_, model.predict(model.matrix_)) > 0.9


def test_lists_and_matrices_are_predicted_alike_and_unknown_tags_count_for_nothing(model, lists):
    np.testing.assert_array_equal(model.predict(lists), model.predict(model.matrix_))
    np.testing.assert_array_equal(model.predict([[*tags, "unheard of"] for tags in lists]), model.predict(lists))
    assert model.predict([["unheard of"], []]).tolist() == [-1, -1]


def test_the_divergence_from_a_cluster_decides(model, lists):
    """Against equation 14 computed directly: KL of the smoothed document from each cluster's masses."""
    smoothed = CoClustering(keep_smoothed=True, n_clusters=4).fit(model.matrix_)
    P = smoothed.smoothed_ / smoothed.smoothed_.sum(axis=1, keepdims=True)
    masses = np.array([smoothed.smoothed_[smoothed.row_labels_ == a].sum(axis=0) for a in range(4)])
    Q = masses / masses.sum(axis=1, keepdims=True)
    nearest = np.argmax(P @ np.log2(Q).T, axis=1)
    assert np.mean(nearest == smoothed.predict(model.matrix_)) > 0.98


def test_shares_add_up_and_are_those_of_the_transitions(model, lists):
    shares = model.transform(lists)
    assert shares.shape == (len(lists), 4)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    T = model.column_transition_.toarray()
    M = model.matrix_.toarray()
    spread = (M / M.sum(axis=1, keepdims=True)) @ T
    for cluster in range(4):
        np.testing.assert_allclose(
            shares[:, cluster], spread[:, model.column_labels_ == cluster].sum(axis=1), atol=1e-7
        )
    assert model.transform([[], ["unheard of"]]).tolist() == [[0] * 4] * 2


def test_the_columns_of_transform_are_called_by_the_labels_of_the_clusters(model):
    names = model.get_feature_names_out()
    assert names.tolist() == [cluster.name for cluster in model.tag_clusters()]
    assert len(set(names)) == model.n_column_clusters_ == 4


def test_other_columns_are_refused(model):
    with pytest.raises(ValueError, match="X has 2 features, but CoClustering is expecting"):
        model.predict([[0, 1]])


def test_a_saved_model_predicts_and_labels_the_same(model, lists, tmp_path):
    save(model, tmp_path / "model.npz")
    other = load(tmp_path / "model.npz")
    np.testing.assert_array_equal(other.predict(lists), model.predict(lists))
    np.testing.assert_array_equal(other.labels_, model.labels_)
    assert (other.n_row_clusters_, other.n_column_clusters_) == (4, 4)


@pytest.mark.parametrize(("wanted", "rows", "columns"), [(3, 3, 3), ((2, 5), 2, 5), ((None, 3), None, 3)])
def test_n_clusters_cuts_both_sides_or_one(lists, wanted, rows, columns):
    automatic = CoClustering.from_tags(lists)
    model = CoClustering.from_tags(lists, n_clusters=wanted)
    assert model.n_row_clusters_ == (rows or automatic.n_row_clusters_)
    assert model.n_column_clusters_ == columns
    np.testing.assert_array_equal(model.column_labels_, automatic.column_labels(columns))
    np.testing.assert_array_equal(model.row_labels_, automatic.row_labels(model.n_row_clusters_))


def test_more_clusters_than_leaves_are_refused(lists):
    with pytest.raises(ValueError, match="the tree of the tags has only"):
        CoClustering.from_tags(lists, n_clusters=(None, 10_000))


def test_counts_count_as_presence_and_are_told(model):
    counts = 3 * model.matrix_
    other = CoClustering(n_clusters=4).fit(counts, names=model.feature_names_in_)
    np.testing.assert_array_equal(other.history_, model.history_)
    assert "numbers above 0 count as 1" in other._repr_html_()
    assert "count as 1" not in model._repr_html_()
    with pytest.raises(ValueError, match="only 0 and 1 are allowed"):
        CoClustering(binarize="error").fit(counts)


def test_names_come_from_a_vectorizer_pandas_and_polars(lists):
    texts = [" ".join(tag.replace(" ", "_") for tag in tags) for tags in lists]
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(texts)
    model = CoClustering(n_clusters=4).fit(counts, names=vectorizer)
    assert model.feature_names_in_.tolist() == vectorizer.get_feature_names_out().tolist()
    frame = pd.DataFrame(counts.toarray(), columns=vectorizer.get_feature_names_out())
    for table in (frame, pl.from_pandas(frame)):
        other = CoClustering(n_clusters=4).fit(table)
        assert other.cluster_tags() == model.cluster_tags()
        np.testing.assert_array_equal(other.predict(table), model.predict(counts))
    with pytest.raises(ValueError, match="names has 1 names for"):
        CoClustering().fit(counts, names=["x"])


def test_it_is_a_step_of_a_pipeline_before_another(lists):
    texts = [" ".join(tag.replace(" ", "_") for tag in tags) for tags in lists]
    pipeline = make_pipeline(
        CountVectorizer(), CoClustering(n_clusters=(None, 6)), NMF(2, random_state=0, max_iter=2000)
    )
    assert pipeline.fit_transform(texts).shape == (200, 2)
    assert pipeline[:-1].get_feature_names_out().shape == (6,)


def test_tables_of_pandas_hold_tags_and_documents(model, lists):
    tags = model.to_frame()
    assert tags.columns.tolist() == ["tag", "documents", "cluster", "label"]
    assert sorted(tags.tag) == model.feature_names_in_.tolist()
    assert dict(zip(tags.tag, tags.cluster, strict=True)) == dict(
        zip(model.feature_names_in_, model.column_labels_, strict=True)
    )
    counts = pd.Series([tag for each in lists for tag in set(each)]).value_counts()
    assert dict(zip(tags.tag, tags.documents, strict=True)) == counts.to_dict()
    some = CoClustering.from_tags([[], *lists], n_clusters=4)
    documents = some.to_frame("documents")
    assert documents.cluster.tolist() == some.labels_.tolist()
    assert documents.tag_cluster[0] == -1
    assert documents.label[0] is None or pd.isna(documents.label[0])
    assert documents.tag_cluster[1:].tolist() == some.concepts(some.column_labels_).tolist()
    with pytest.raises(ValueError, match="side must be tags, documents or relations"):
        model.to_frame("rows")


def test_relations_are_proposed_with_their_counts_as_a_list_and_as_a_table():
    """Heads of phrases, and what nearly always comes with a much commoner tag of its cluster."""
    lists = [["animal", "food"]] * 40 + [["animal", "dog"]] * 8 + [["dog"]] + [["dog food", "shop"]] * 5
    model = CoClustering.from_tags(lists, n_clusters=1)
    expected = [("dog food", "head-word", "food", 5, 40, 0), ("dog", "implied", "animal", 9, 48, 8)]
    assert [tuple(each) for each in model.relations()] == expected
    table = model.to_frame("relations")
    assert list(table.columns) == ["tag", "kind", "other", "documents", "other_documents", "together"]
    assert table.values.tolist() == [list(each) for each in expected]


def test_the_line_shows_stage_share_and_seconds_and_is_gone_at_the_end():
    times = iter([0.0, 0.5, 2.0, 2.05, 3.0])
    stream = io.StringIO()
    with ProgressLine(stream, clock=lambda: next(times)) as line:
        line("smoothing", 0, 1)  # after half a second: not yet
        line("agglomeration", 20, 80)
        line("agglomeration", 21, 80)  # too soon after the last
        line("cut", 0, 1)
    assert stream.getvalue() == "\rclustering: agglomeration 25 %, 2 s\r" + "clustering: cut, 3 s".ljust(35) + "\r" + (
        " " * 20 + "\r"
    )


def test_it_is_shown_in_terminals_and_notebooks_and_nowhere_else():
    class Notebook(io.StringIO):
        __module__ = "ipykernel.iostream"

    assert is_watched(Notebook())
    assert not is_watched(io.StringIO())
    assert not is_watched(None)


FIT = "import numpy as np; from cocluster import CoClustering; CoClustering(verbose={}).fit(np.eye(30))"


def run(code, **streams):
    return subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=ROOT, **streams)


@pytest.mark.slow
def test_verbose_shows_progress_whoever_watches_and_silence_is_silent_without_any_warning():
    assert b"clustering: " in run(FIT.format(True), stderr=subprocess.PIPE).stderr
    assert run(FIT.format(None), stderr=subprocess.PIPE).stderr == b""


@pytest.mark.slow
def test_in_a_terminal_progress_is_shown_by_itself_after_a_second():
    code = (
        "from cocluster.estimator.progress_line import ProgressLine as line; line.__init__.__kwdefaults__['delay'] = 0;"
    )
    main, terminal = pty.openpty()
    run(code + FIT.format(None), stderr=terminal)
    os.close(terminal)
    assert b"clustering: " in os.read(main, 10_000)
    os.close(main)


def test_predict_keeps_to_the_columns_where_names_differ():
    M, _, _ = checkerboard(n=30, m=8, k=2, alpha=0.7, beta=0.8, seed=0)
    frame = pd.DataFrame(M.toarray(), columns=list("abcdefgh")[: M.shape[1]])
    model = CoClustering().fit(frame)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame[frame.columns[::-1]])
