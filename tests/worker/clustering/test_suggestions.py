"""Related tags as a recommender: held out, tuned, measured, and what becomes of queries at the edges."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import demo
from bench.worker.suggest.measuring import answered, our_result, our_scores
from cocluster import incidence
from cocluster.suggestions import (
    UNTUNED,
    Choice,
    Fitted,
    SingularRegressionError,
    fit_related,
    logistic,
    suggestion_lists,
)
from cocluster.suggestions.related import evidence_for
from service.questions.related.ranking import rank, shares
from service.view.view import View
from snapshot import decode, encode
from tagmodel import Cluster, Dendrogram, Partition
from tests.clustered import snapshot_at
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.suggestions import (
    RankingQuality,
    evaluate,
    hold_out,
    pairs_of_tags,
    suggestions,
    tune,
)
from worker.suggestions.evaluation import hidden_tag_queries, quality_of_ranks
from worker.suggestions.tuning import CLIMBED, EXPONENTS, FLAT, choose_exponents, hill_climb, sample_size

DEMO = Path(demo.__file__).parent / "tabler_icons.jsonl.gz"


def topics(documents=400, seed=0):
    """Tags 0–7 and 8–15 in documents of one topic each; tag 16 stands in every document, tag 17 in five of topic 0."""
    random = np.random.default_rng(seed)
    rows = np.zeros((documents, 18))
    for row in range(documents):
        rows[row, random.choice(8, random.integers(2, 5), replace=False) + 8 * (row % 2)] = 1
    rows[:, 16] = 1
    rows[0:10:2, 17] = 1
    return csr_array(rows)


def view_of(matrix, choice=UNTUNED):
    """A service's view of the suggestions learnt from a matrix."""
    counts = np.asarray(matrix.sum(axis=0)).ravel().astype(np.int32)
    m = len(counts)
    names = tuple(f"t{tag}" for tag in range(m))
    merges = [[0 if tag == 1 else m + tag - 2, tag, 0.1 * tag, tag + 1] for tag in range(1, m)]
    return View(
        snapshot_at(
            names=names,
            keys=names,
            counts=counts,
            breadth=np.zeros(m, dtype=np.float32),
            broad=np.zeros(m, dtype=np.bool_),
            partition=Partition.from_ids(np.zeros(m, dtype=np.int32)),
            tree=Dendrogram(np.array(merges)),
            clusters=(Cluster(0, names[:1], m),),
            related=fit_related(matrix, choice),
        )
    )


ICONS = Corpus(name="demo", source=str(DEMO), path=DEMO, sample=900)


@pytest.fixture(scope="module")
def tagged():
    """The icons of the demo corpus, and notes of reading them."""
    return load_documents(ICONS, Stages(lambda *_: None))


@pytest.fixture(scope="module")
def icons(tagged):
    """A few hundred of them as a matrix: the sample that the worker takes."""
    corpus, _ = tagged
    rows = np.sort(np.random.default_rng(0).choice(len(corpus.ids), ICONS.sample, replace=False))
    return incidence(corpus.matrix[rows], ICONS.min_count).matrix


def test_held_out_documents_are_not_learnt_from_and_tags_are_common_enough():
    matrix = topics()
    trial = hold_out(matrix, 5, seed=0)
    assert trial.train.shape[0] + len(trial.documents) == matrix.shape[0]
    assert trial.counts.min() >= 5
    assert trial.train.shape[1] in {17, 18}
    assert all(len(document) > 1 for document in trial.documents)
    assert trial.tail.sum() == int(0.8 * trial.train.shape[1])
    again, other = hold_out(matrix, 5, seed=0), hold_out(matrix, 5, seed=1)
    assert (again.train != trial.train).nnz == 0
    assert other.train.shape != trial.train.shape or (other.train != trial.train).nnz > 0


def test_one_tag_is_asked_with_one_of_the_others():
    trial = hold_out(topics(), 5, seed=0)
    asked = list(hidden_tag_queries(pairs_of_tags(trial)))
    assert len(asked) == 2 * len(trial.documents)
    assert all(len(query) == 1 for query, _ in asked)
    for (query, target), document in zip(asked[::2], trial.documents, strict=True):
        assert {*query, target} <= set(document.tolist())


def test_documents_of_two_tags_each_leave_longer_queries_as_they_are():
    random = np.random.default_rng(0)
    rows = np.zeros((400, 8))
    for row in range(400):
        rows[row, random.choice(4, 2, replace=False) + 4 * (row % 2)] = 1
    choice = tune(csr_array(rows), 5, seed=0).choice
    assert (choice.logistic_weight, choice.popularity_exponents) == (
        UNTUNED.logistic_weight,
        UNTUNED.popularity_exponents,
    )


def test_a_penalty_that_is_too_small_is_passed_over_and_doubled(monkeypatch):
    """Two tags that always stand together: their regression needs a penalty."""
    matrix = topics()
    real = suggestion_lists

    def careful(documents, penalty, form=None):
        if penalty < 8:
            raise SingularRegressionError
        return real(documents, penalty, form)

    for module in ("worker.suggestions.tuning", "cocluster.suggestions.related"):
        monkeypatch.setattr(f"{module}.suggestion_lists", careful)
    assert tune(matrix, 5, seed=0).choice.penalty >= 8
    assert len(fit_related(matrix, UNTUNED).indices) == len(real(matrix, 8.0).indices)


def test_the_parts_of_the_work_are_reported():
    seen = []
    suggestions(incidence(topics(), 1), 5, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 5), (2, 5), (3, 5), (4, 5)]


def test_nothing_is_held_out_of_a_handful_of_documents():
    handful = incidence(topics(6), 1)
    assert hold_out(handful.matrix, 5, seed=0) is None
    few = suggestions(handful, 5)
    assert "recall" not in few.record
    assert few.related.popularity_exponents == UNTUNED.popularity_exponents


def test_every_document_counts_the_same_and_the_tail_by_itself():
    trial = hold_out(topics(), 5, seed=0)
    trial = replace(trial, documents=(np.array([0, 1]), np.array([2, 3, 4, 5])))
    tail = np.zeros(len(trial.counts), dtype=np.bool_)
    tail[[1, 2]] = True
    quality = quality_of_ranks(replace(trial, tail=tail), np.array([1, 11, 2, 0, 4, 10]), 0.5)
    assert quality.recall == pytest.approx((1 / 2 + 3 / 4) / 2)
    assert quality.mrr == pytest.approx(((1 + 1 / 11) / 2 + (1 / 2 + 1 / 4 + 1 / 10) / 4) / 2)
    assert quality.tail_recall == pytest.approx((1 / 4) / (1 / 2 + 1 / 4))


def test_some_tags_of_a_document_stand_for_all_of_them():
    trial = replace(hold_out(topics(), 5, seed=0), documents=(np.array([0, 1]), np.arange(2, 9), np.arange(3)))
    assert trial.asked.all()
    some = replace(trial, hidden=3)
    assert [some.asked[start:stop].sum() for start, stop in ((0, 2), (2, 9), (9, 12))] == [2, 3, 3]
    assert np.add.reduceat(some.weights, [0, 2, 9]) == pytest.approx([1.0, 1.0, 1.0])
    assert not some.weights[~some.asked].any()
    assert quality_of_ranks(some, np.where(some.asked, 1, 0), 0.5).recall == pytest.approx(1.0)


@pytest.mark.slow
def test_the_record_of_a_snapshot_is_what_the_benchmark_finds_on_the_same_split(tagged, icons):
    corpus, notes = tagged
    moment, stages = datetime(2026, 11, 16, tzinfo=UTC), Stages(lambda *_: None)
    snapshot, documents = cluster(ICONS, corpus, moment, stages, notes=notes)
    measured = our_result(hold_out(icons, 5, seed=0), 0, "exact")
    default = measured["specificities"][1]
    assert snapshot.suggestions["recall"] == round(default["recall"], 6) > 0.5
    for figure in ("mrr", "tail_recall", "coverage"):
        assert snapshot.suggestions[figure] == round(default[figure], 6)
    assert snapshot.suggestions["one_tag_recall"] == round(default["one_tag"], 6)
    assert snapshot.suggestions["penalty"] == measured["setting"]["penalty"]
    assert list(snapshot.related.popularity_exponents) == list(measured["setting"]["popularity_exponents"])
    encoded = encode(snapshot, documents)
    assert decode(encoded.meta, encoded.arrays).suggestions == snapshot.suggestions


@pytest.mark.parametrize("logistic_weight", [0.0, 0.5, 0.75])
def test_the_service_ranks_hidden_tags_where_the_record_says(icons, logistic_weight):
    """The kernel that measures and the service that serves give every hidden tag of a hundred documents one rank."""
    trial = hold_out(icons, 5, seed=0)
    trial = replace(trial, documents=trial.documents[:100])
    choice = Choice(1.0, 1.0, logistic_weight, (0.0, 0.1, 0.6), (0.0, 0.2, 0.6))
    view = view_of(trial.train, choice)
    ranks = []
    for query, target in hidden_tag_queries(trial):
        tags = rank(view, query, 0.5, len(view.counts)).tags
        ranks.append(tags.index(target) + 1 if target in tags else 0)
    expected = evaluate(trial, view.snapshot.related, (logistic_weight,), [(0.2, 0.1)])[0][0]
    assert quality_of_ranks(trial, np.array(ranks), expected.coverage) == expected
    assert answered(trial, our_scores(view.snapshot.related, trial, (0.2, 0.1))) == expected


def test_several_settings_at_once_give_what_each_gives_alone_with_or_without_the_coverage(icons):
    trial = hold_out(icons, 5, seed=0, most=60)
    related = fit_related(trial.train, UNTUNED)
    weights, exponents = (0.0, 0.25, 0.75), [(0.0, 0.0), (0.1, 0.4), (0.5, 1.1)]
    qualities = evaluate(trial, related, weights, exponents)
    for logistic_weight, by_exponent in zip(weights, qualities, strict=True):
        for exponent, expected in zip(exponents, by_exponent, strict=True):
            assert evaluate(trial, related, (logistic_weight,), [exponent]) == [[expected]]
    uncovered = evaluate(trial, related, weights, exponents, coverage=False)
    assert [[replace(each, coverage=0.0) for each in by_exponent] for by_exponent in uncovered] == [
        [replace(each, coverage=0.0) for each in by_exponent] for by_exponent in qualities
    ]
    assert np.isnan(uncovered[0][0].coverage)


def test_large_corpora_are_tuned_on_some_of_their_documents(monkeypatch):
    assert [sample_size(tags) for tags in (50, 3500, 7000, 50_000)] == [40_000, 10_000, 5000, 5000]
    taken = []
    monkeypatch.setattr("worker.suggestions.tuning.sample_size", lambda _: 150)
    monkeypatch.setattr("worker.suggestions.tuning.COMPARED", 20)

    def noted(trial, *settings, coverage):
        taken.append((trial.train.shape[0], len(trial.documents)))
        return evaluate(trial, *settings, coverage=coverage)

    monkeypatch.setattr("worker.suggestions.tuning.evaluate", noted)
    tune(topics(), 5, seed=0)
    assert {learnt for learnt, _ in taken} == {120}
    assert {asked for _, asked in taken} == {20, 30}, "settings are compared by fewer documents than exponents"


def test_tuning_finds_more_than_a_poor_setting(icons):
    trial = hold_out(icons, 5, seed=0)
    choice = tune(trial.train, 5, seed=0).choice
    poor = Choice(512.0, 16.0, 0.5, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    good, bad = (
        evaluate(trial, fit_related(trial.train, each), (each.logistic_weight,), [each.by_specificity[1]])[0][0]
        for each in (choice, poor)
    )
    assert good.recall > 1.05 * bad.recall
    assert good.mrr > 1.05 * bad.mrr


@pytest.mark.slow
def test_the_local_form_is_tuned_and_measured_alike(icons):
    trial = hold_out(icons, 5, seed=0)
    exact, local = (our_result(trial, 0, form)["specificities"][1] for form in ("exact", "local"))
    assert local["recall"] == pytest.approx(exact["recall"], abs=0.03)


def test_climbing_stops_at_the_top_from_either_side():
    steps = (1.0, 2.0, 4.0, 8.0, 16.0)
    for top in steps:
        assert hill_climb(lambda step, top=top: -abs(step - top), steps, 4.0) == top


def test_climbing_ends_where_the_curve_is_flat():
    asked = []
    curve = {1.0: 0.0, 2.0: 0.5 * FLAT, 4.0: 0.0, 8.0: 0.5 * FLAT, 16.0: 1.0}

    def value(step):
        asked.append(step)
        return curve[step]

    assert hill_climb(value, tuple(curve), 4.0) == 8.0
    assert 16.0 not in asked


def test_logistic_regressions_start_from_those_of_the_nearest_penalty_and_of_fewer_documents(monkeypatch):
    """Only the very first one starts from nothing."""
    starts, evidence = [], {}

    def noted(documents, lists, penalty, start=None):
        nearest = min(evidence, key=lambda other: abs(np.log2(other / penalty)), default=None)
        assert start is evidence.get(nearest)
        starts.append(start)
        evidence[penalty] = logistic(documents, lists, penalty, start=start)
        return evidence[penalty]

    monkeypatch.setattr("worker.suggestions.tuning.logistic", noted)
    trial = hold_out(topics(), 5, seed=0)
    tuned = tune(trial.train, 5, seed=0)
    assert len(starts) > 2
    assert [start is None for start in starts] == [True] + [False] * (len(starts) - 1)
    assert (tuned.start.related.evidence == evidence[tuned.choice.logistic_penalty].weights).all()
    fitted = []

    def fit(matrix, choice, form=None, distinct=None, start=None):
        fitted.append(start)
        return fit_related(matrix, choice, form, distinct, start)

    monkeypatch.setattr("worker.suggestions.fit.fit_related", fit)
    monkeypatch.setattr("worker.suggestions.tuning.logistic", logistic)
    suggestions(incidence(topics(), 1), 5)
    assert [start is not None for start in fitted] == [True, True]


def test_no_setting_is_learnt_twice_although_few_results_stay_in_memory():
    steps = tuple(float(step) for step in range(7))
    for start in steps:
        for top in steps:
            learnt = []

            @lru_cache(maxsize=CLIMBED)
            def learn(step, learnt=learnt, top=top):
                learnt.append(step)
                return -abs(step - top)

            assert learn(hill_climb(lambda step, learn=learn: learn(step), steps, start)) == 0.0
            assert len(learnt) == len(set(learnt))


def test_exponents_rise_with_specificity():
    flat = RankingQuality(0.5, 0.3, 0.2, 1.0, 10)
    assert choose_exponents([flat] * len(EXPONENTS)) == (0.0, 0.0, 0.0)
    by_exponent = [
        RankingQuality(
            0.5 - abs(exponent - 0.1) / 41, 0.3 - abs(exponent - 0.2) / 50, 0.2 - abs(exponent - 0.6), 1.0, 10
        )
        for exponent in EXPONENTS
    ]
    assert choose_exponents(by_exponent) == (0.1, 0.3, 0.6), "0.3 costs a hundredth of recall, 0.35 more"


def test_rare_tags_cost_the_default_a_hundredth_at_most_of_mrr_too():
    by_exponent = [RankingQuality(0.5, 0.3 - exponent / 100, 0.2 + exponent, 1.0, 10) for exponent in EXPONENTS]
    assert choose_exponents(by_exponent) == (0.0, 0.3, 1.2)


def test_one_tag_brings_its_topic_and_the_tag_of_every_document_last_when_specific():
    view = view_of(topics())
    ranking = rank(view, (0,), 0.5, 20)
    assert set(ranking.tags[:7]) <= {*range(1, 8), 16, 17}
    assert not set(ranking.tags[:7]) & set(range(8, 16))
    assert all(0.0 <= score <= 1.0 for score in ranking.scores)
    specific = rank(view, (0,), 1.0, 20).tags
    assert specific.index(16) > ranking.tags.index(16) or specific.index(16) >= 7


def test_a_tag_seen_five_times_brings_its_topic():
    view = view_of(topics())
    tags = rank(view, (17,), 0.5, 9).tags
    mine = [tag for tag in tags if tag < 8]
    assert len(mine) >= 3
    assert tags.index(mine[0]) <= 1


def test_a_tag_of_every_document_brings_all_alone_and_changes_nothing_beside_another():
    view = view_of(topics())
    alone = rank(view, (16,), 0.0, 20)
    assert len(alone.tags) >= 16
    both = rank(view, (0, 16), 0.5, 5)
    assert set(both.tags) <= set(range(1, 8))
    assert shares(both)[0][0] > 0


def test_tags_of_unconnected_parts_each_bring_their_own_with_the_reason():
    matrix = csr_array(topics().toarray()[:, :16])
    view = view_of(matrix)
    ranking = rank(view, (0, 8), 0.5, 14)
    assert {tag // 8 for tag in ranking.tags[:6]} == {0, 1}
    for tag, (left, right) in zip(ranking.tags, shares(ranking).T, strict=True):
        assert left + right == pytest.approx(1.0)
        assert (left > right) == (tag < 8)


def test_many_tags_are_asked_together():
    view = view_of(topics())
    ranking = rank(view, (0, 1, 16), 0.5, 20)
    assert set(ranking.tags[:4]) <= {*range(2, 8), 17}
    assert not set(ranking.tags) & {0, 1, 16}
    assert all(sum(row) == pytest.approx(1.0) for row in shares(ranking).T)


def test_weights_of_a_part_are_found_again_under_the_numbers_of_all_tags():
    """What was learnt without tag 0 starts the regressions of all tags; pairs and tags that are new start at zero."""
    matrix = topics()
    columns = np.arange(1, 18)
    part = fit_related(csr_array(matrix[:, columns]), UNTUNED)
    lists = suggestion_lists(matrix, UNTUNED.penalty)
    evidence = evidence_for(lists, part, columns)
    learnt = {
        (source + 1, part.indices[entry] + 1): part.evidence[entry]
        for source in range(17)
        for entry in range(part.starts[source], part.starts[source + 1])
    }
    pairs = [
        (source, lists.indices[entry])
        for source in range(18)
        for entry in range(lists.starts[source], lists.starts[source + 1])
    ]
    assert evidence.weights.tolist() == [learnt.get(pair, 0.0) for pair in pairs]
    assert evidence.prior.tolist() == [0.0, *part.prior.tolist()]
    assert any(evidence.weights)
    cold = fit_related(matrix, UNTUNED)
    warm = fit_related(matrix, UNTUNED, start=Fitted(part, columns))
    np.testing.assert_allclose(warm.evidence, cold.evidence, atol=0.25)
    np.testing.assert_array_equal(warm.together, cold.together)
