"""The tasks of bench.service.documents hide what they say, and their figures count what they say."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from bench.service.documents.ours import SERVED, Setting, evidence_by_setting, evidence_scores
from bench.service.documents.rivals import PARTS, RIVALS, jaccard, log_mean_lift, shared_tags, tfidf
from bench.service.documents.table import table
from bench.service.documents.tasks import Classes, hide, recall, same_class


def random_matrix(documents=120, tags=30):
    random = np.random.default_rng(0)
    dense = (random.random((documents, tags)) < 0.25).astype(float)
    dense[:, :3] = 1.0
    return csr_array(dense)


def rows(matrix):
    return [set(matrix.indices[a:b].tolist()) for a, b in zip(matrix.indptr, matrix.indptr[1:], strict=False)]


@pytest.mark.parametrize("hiding", ["third", "halves", "noisy"])
def test_hiding(hiding):
    """Only documents that are asked about lose tags; the query shares with them as many as the task says."""
    whole = random_matrix()
    task = hide(whole, 1, hiding, asked=40)
    before, after, queries = rows(whole), rows(task.matrix), rows(task.queries)
    assert task.matrix.shape == whole.shape
    assert len(task.targets) == 40
    for document in set(range(120)) - set(task.targets.tolist()):
        assert after[document] == before[document]
    for target, query in zip(task.targets.tolist(), queries, strict=True):
        tags, kept = before[target], after[target]
        assert kept < tags
        assert query <= tags
        if hiding == "third":
            assert len(tags) - len(kept) == max(1, round(len(tags) / 3))
            assert len(query & kept) == 1
            assert tags - kept <= query
        elif hiding == "halves":
            assert query == tags - kept
            assert len(query) == len(tags) // 2
        else:
            assert len(tags) - len(kept) == max(1, round(len(tags) / 3))
            assert len(query) == len(tags) - len(tags) // 2


def test_recall_shares_ties():
    """A document among equals counts by its chance to be among the first."""
    scores = np.array([[3.0, 2, 1, 0], [1, 1, 1, 1], [0, 1, 1, 1]], dtype=np.float32)
    assert recall(scores, np.array([1, 0, 0]), first=2) == pytest.approx((1 + 0.5 + 0) / 3)


def test_same_class_leaves_out_the_document_itself():
    """The nearest documents are others."""
    task = Classes(csr_array(np.eye(4)), np.array([0]), np.array([0, 1, 0, 1]))
    assert same_class(np.array([[9.0, 2, 3, 1]], dtype=np.float32), task, first=2) == 0.5


def test_rivals_by_hand():
    """Simple rivals give what their names say."""
    documents = csr_array(np.array([[1.0, 1, 0], [0, 1, 1]]))
    query = csr_array(np.array([[1.0, 1, 0]]))
    assert shared_tags(documents, query, None).tolist() == [[2.0, 1.0]]
    assert jaccard(documents, query, None)[0] == pytest.approx([1.0, 1 / 3])
    assert tfidf(documents, query, None)[0, 0] == pytest.approx(1.0)
    assert log_mean_lift(documents, query, 2.0).shape == (1, 2)


def test_settings_at_once_are_those_one_by_one():
    """Several settings are scored at once for speed; each is the formula."""
    matrix = random_matrix()
    queries = csr_array(matrix[:5])
    settings = (SERVED, Setting(3.0, 5.0), Setting(3.0, 5.0, size_exponent=1.5))
    at_once = list(evidence_by_setting(matrix, queries, settings))
    for scores, setting in zip(at_once, settings, strict=True):
        assert scores == pytest.approx(evidence_scores(matrix, queries, setting=setting))
    assert not any(np.allclose(one, other) for one, other in pairwise(at_once))


def test_table_without_figures():
    """A report of few figures shows the others as missing."""
    report = table({"third debtags 50 Cotag": 0.5})
    assert "| **Cotag** | – | – | – | – | .5000 |" in report
    assert all(rival.name in report for rival in (*RIVALS, *PARTS))
