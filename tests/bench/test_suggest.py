"""The benchmark of the suggestions: its rivals are what they say, and its report can be made of any results."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from bench.trials import Trials
from bench.worker.suggest.hindsight import settings_of
from bench.worker.suggest.many import MIN_COUNT, SEED, SPECIFICITIES, many_table
from bench.worker.suggest.measuring import answered, as_matrix, our_result, rival_result
from bench.worker.suggest.plot import plot_frontier
from bench.worker.suggest.rivals import (
    RIVALS,
    Rival,
    conditional,
    cooccurrence,
    cosine,
    ease,
    nearest_documents,
    popularity,
    ppmi,
)
from bench.worker.suggest.sample import rows_of_samples
from bench.worker.suggest.splits import matrix, reachable, split
from bench.worker.suggest.table import OURS, table
from tests.cocluster.suggestions.test_weights import documents
from tests.needs import corpus_file
from worker.suggestions import HeldOut

M = csr_array(np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 1, 0, 1]], dtype=float))
TRIAL = HeldOut(
    M, (np.array([0, 2], dtype=np.int32),), np.array([4, 4, 2, 2]), np.array([False, False, True, True]), np.arange(4)
)


def scores(build, *query, setting=None):
    return build(M, setting)(as_matrix([query], 4))[0]


def test_the_simple_rankers_are_their_formulas():
    assert scores(popularity, 0) == pytest.approx([4, 4, 2, 2])
    assert scores(cooccurrence, 0, 2) == pytest.approx([2, 4, 2, 1])
    assert scores(conditional, 0, 2) == pytest.approx([1, 3 / 4 + 1 / 2, 2 / 4, 1 / 4])
    assert scores(cosine, 0) == pytest.approx([0, 3 / 4, 2 / np.sqrt(8), 1 / np.sqrt(8)])
    assert scores(ppmi, 0) == pytest.approx([0, 0, np.log(2 * 5 / 8), 0])


def test_ease_is_the_regression_without_the_tag_itself():
    X = M.toarray()
    for tag in range(4):
        others = np.delete(np.arange(4), tag)
        weights = np.linalg.solve(X[:, others].T @ X[:, others] + 2.0 * np.eye(3), X[:, others].T @ X[:, tag])
        for place, other in enumerate(others):
            assert scores(ease, int(other), setting=2.0)[tag] == pytest.approx(weights[place], abs=1e-5)


def test_the_nearest_documents_vote_by_their_jaccard_similarity():
    X, weight = M.toarray(), np.log(5 / np.array([4, 4, 2, 2]))
    query = np.array([1, 0, 1, 0])
    likeness = (np.minimum(X, query) @ weight) / (np.maximum(X, query) @ weight)
    expected = likeness**2 @ X / np.array([4, 4, 2, 2]) ** 0.3
    assert scores(nearest_documents, 0, 2, setting=(2.0, 0.3)) == pytest.approx(expected, rel=1e-5)
    assert scores(nearest_documents, 2, setting=(2.0, 0.0))[3] == -np.inf


def test_ranks_leave_out_the_query_and_break_ties_by_number():
    """Hiding 2, asking with 0: by count 1 is before it, and 3 after by its number. Hiding 0: first, before 1."""
    found = answered(TRIAL, popularity(M, None))
    assert (found.recall, found.mrr) == (1.0, pytest.approx((1 / 2 + 1) / 2))


def test_a_setting_is_chosen_on_validation_and_never_on_what_is_asked():
    rows = np.zeros((300, 12))
    random = np.random.default_rng(0)
    for row in rows:
        row[random.choice(6, 3, replace=False) + 6 * random.integers(2)] = 1
    trial = split(csr_array(rows), 0)
    seen = []

    def build(train, setting):
        seen.append((train.shape[0], setting))
        return ease(train, setting)

    result = rival_result(Rival("some", build, (1.0, 1000.0)), trial, 0)
    assert [size for size, _ in seen] == [192, 192, 240]
    assert seen[-1][1] == result["setting"]
    assert 0.8 < result["recall"] < 1 + 1e-9


def test_a_tail_tag_that_never_met_its_query_is_out_of_reach():
    assert reachable(TRIAL) == 1.0
    apart = HeldOut(M, (np.array([2, 3], dtype=np.int32),), TRIAL.counts, TRIAL.tail, TRIAL.columns)
    assert reachable(apart) == 0.0


def test_the_report_says_which_rankers_have_results(tmp_path):
    figures = {"recall": 0.5, "mrr": 0.25, "tail_recall": 0.125, "coverage": 1.0, "one_tag": 0.25}
    common = {"machine": "a machine", "documents": 1000, "tags": 50, "asked": 250}
    times = {"building_seconds": 1.0, "query_seconds": 1e-5}
    ours = {
        **common,
        **times,
        "specificities": [figures] * 3,
        "frontier": [{"exponent": 0.1 * step, **figures} for step in range(3)],
        "setting": {
            "penalty": 4.0,
            "logistic_penalty": 1.0,
            "logistic_weight": 0.5,
            "popularity_exponents": [0.0, 0.1, 0.6],
            "single_tag_exponents": [0.0, 0.1, 0.5],
        },
        "reachable": 0.75,
    }
    rivals = {rival.name: [{**common, **times, **figures, "setting": None}] for rival in RIVALS}
    results = {"icons": {OURS["exact"]: [ours], OURS["local"]: [ours], **rivals, "ALS (implicit)": []}}
    text = table(results)
    assert "| icons | 1.000 | 1.000 | 1.000 | 1.000 | +0.0000 | 0.750 |" in text
    assert "| EASE | 0.5000 |" in text
    assert "ALS" not in text
    plot_frontier(results, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000


def test_hindsight_says_which_ranker_has_not_been_measured(tmp_path):
    with pytest.raises(SystemExit, match="EASE has not been measured on tabler_icons, split 20"):
        settings_of(Trials("suggest", tmp_path), 20, "EASE")


def test_the_table_of_many_tags_has_both_forms_and_the_figures_of_the_rivals(monkeypatch, capsys):
    monkeypatch.setattr("bench.worker.suggest.many.matrix", lambda *_: documents(400))
    monkeypatch.setattr("bench.worker.suggest.many.COMPARED", ("cosine",))
    asked, measure = [], our_result
    monkeypatch.setattr("bench.worker.suggest.many.our_result", lambda *args: asked.append(args[2]) or measure(*args))
    lines = many_table().splitlines()
    assert asked == ["local", "exact"], "the form that runs comes first"
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    assert [row[0] for row in rows] == [
        *(f"{form}, specificity {s}" for form in ("Cotag", "Cotag by the inverse") for s in SPECIFICITIES),
        "cosine",
    ]
    direct = rival_result(Rival("cosine", cosine), split(documents(400), SEED, min_count=MIN_COUNT), SEED, MIN_COUNT)
    assert rows[-1][1:4] == [f"{direct[name]:.4f}" for name in ("recall", "mrr", "tail_recall")]
    assert "cosine" in capsys.readouterr().out, "each row is printed as soon as it is there"


def test_a_sample_of_everything_is_worth_as_much_alone():
    """Small enough for one row: whoever has the tag or not, all documents are in the sample."""
    (row,) = rows_of_samples(split(documents(400), 0))
    entries, _, recall, _, _, alone = row.split(" | ")
    assert int(entries.replace(",", "")) > 0
    assert recall == alone


def test_the_corpora_are_read_as_the_worker_reads_them():
    corpus_file("debtags")
    found = matrix("debtags")
    assert found.shape[1] == 527
    assert split(found, 0).train.shape[0] == pytest.approx(0.8 * found.shape[0], rel=0.01)
