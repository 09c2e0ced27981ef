"""What people see is judged by fixed measures, through the real API, on questions that nothing was chosen by."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array
from scipy.spatial.distance import squareform

from bench.meaning import grouping, queries
from bench.meaning.api import Cloud, Group, read_cloud, served
from bench.meaning.clouds import Reader, agreement, foreign, measure, shared
from bench.meaning.judge import Judge
from bench.meaning.measures import auc, bits, gain, interval, npmi, ratio_interval, shuffled
from bench.meaning.parts import PARTS, Campaign
from bench.meaning.prototype import Prototype
from bench.meaning.report import report
from bench.trials import RESULTS, Trials
from snapshot import normalise
from tests.clustered import clustered
from tests.conftest import TOPICS
from worker.inheritance import PreviousVersion

PAIRS = np.array([[1.0, 0.9, 0.1, 0.1], [0.9, 1.0, 0.1, 0.1], [0.1, 0.1, 1.0, 0.7], [0.1, 0.1, 0.7, 1.0]])
"""Cosines of two pairs of tags."""


def topic_matrix():
    """Documents of two topics of three tags each."""
    random = np.random.default_rng(0)
    rows = np.zeros((200, 6))
    for number, row in enumerate(rows):
        row[random.choice(3, size=2, replace=False) + 3 * (number % 2)] = 1.0
    return csr_array(rows)


def test_gain_compares_the_group_with_all_tags_shown():
    expected = np.mean([0.9 - 1.1 / 3, 0.9 - 1.1 / 3, 0.7 - 0.9 / 3, 0.7 - 0.9 / 3])
    assert gain(PAIRS, np.array([0, 0, 1, 1])) == pytest.approx(expected)
    assert gain(PAIRS, np.array([0, 0, 0, 0])) == pytest.approx(0.0)
    assert gain(PAIRS, np.array([0, 1, 2, 3])) == 0.0


def test_a_tag_alone_in_its_group_gains_nothing():
    assert gain(PAIRS, np.array([0, 0, 1, 2])) == pytest.approx((0.9 - 1.1 / 3) / 2)


def test_a_random_grouping_gains_nothing():
    random = np.random.default_rng(0)
    vectors = random.normal(size=(60, 20))
    cosines = vectors @ vectors.T
    found = [gain(cosines, shuffled(np.arange(60) % 7, seed)) for seed in range(200)]
    assert abs(np.mean(found)) < 0.05 * cosines.std()


def test_auc_is_1_if_pairs_in_one_group_are_always_nearer_and_none_without_both_kinds():
    assert auc(PAIRS, np.array([0, 0, 1, 1])) == 1.0
    assert auc(PAIRS, np.array([0, 1, 0, 1])) == pytest.approx(0.25)
    assert auc(PAIRS, np.array([0, 0, 0, 0])) is None
    assert auc(PAIRS, np.array([0, 1, 2, 3])) is None


def test_the_right_partition_predicts_hidden_tags_and_one_of_the_same_sizes_does_not():
    matrix, topics = topic_matrix(), np.array([0, 0, 0, 1, 1, 1])
    right, wrong = bits(matrix, matrix, topics), bits(matrix, matrix, np.array([0, 1, 0, 1, 0, 1]))
    assert right > 0.8
    assert wrong < 0.5 * right


def test_npmi_counts_a_group_by_its_size_and_says_nothing_of_unknown_tags():
    matrix = topic_matrix()
    together, apart = npmi(matrix, [[0, 1, 2]]), npmi(matrix, [[0, 3]])
    assert together > 0 > apart == -1.0
    assert npmi(matrix, [[0, 1, 2], [0, 3]]) == pytest.approx((3 * together + 2 * apart) / 5)
    empty = csr_array(np.hstack([matrix.toarray(), np.zeros((200, 1))]))
    assert npmi(empty, [[0, 6]]) == 0.0
    assert npmi(empty, [[0, 1, 2, 6]]) == pytest.approx(together)


def test_intervals_hold_the_mean_and_narrow_with_more_questions():
    random = np.random.default_rng(0)
    few, many = random.normal(1.0, 0.5, 50), random.normal(1.0, 0.5, 5000)
    for values in (few, many):
        low, high = interval(values)
        assert low < values.mean() < high
        assert ratio_interval(2 * values, values) == pytest.approx((2.0, 2.0))
    assert np.ptp(interval(many)) < np.ptp(interval(few)) / 5


CLOUD_BY_CLUSTERS = {
    "groups": [
        {"id": 3, "label": "a, b", "weight": 1.0, "size": 9, "clusters": [3], "tags": [{"tag": "a"}, {"tag": "c"}]}
    ],
    "broad": [{"tag": "x"}],
    "other": {"size": 0},
}
CLOUD_BY_QUERY = {
    "groups": [
        {"key": "a", "label": "a, c", "weight": 1.0, "clusters": [], "tags": [{"tag": "a", "broad": False}]},
        {"key": "x", "label": "x", "weight": 0.1, "clusters": [], "also": True, "tags": [{"tag": "x", "broad": True}]},
    ],
    "other": {"size": 0},
}


def test_both_forms_of_a_cloud_are_read():
    assert read_cloud(CLOUD_BY_CLUSTERS) == Cloud((Group("a, b", ("a", "c")), Group("", ("x",), "heap")))
    assert read_cloud(CLOUD_BY_QUERY) == Cloud((Group("a, c", ("a",)), Group("x", ("x",), "also")))


def test_a_heading_is_foreign_if_its_group_shows_no_tag_of_it():
    assert foreign("close, times", ["shape", "code"])
    assert not foreign("close, times", ["shape", "times"])


def test_a_cloud_is_measured_as_it_is_shown():
    tags = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
    judge = Judge(tags[:-1], np.eye(11, dtype=np.float32))
    reader = Reader(judge, csr_array(np.eye(12)), {tag: number for number, tag in enumerate(tags)})
    cloud = Cloud(
        (Group("a", ("a", "b")), Group("z", ("c",)), Group("e", ("d", "e", "f")), Group("", tuple("ghijkl"), "heap"))
    )
    found = reader.figures(cloud)
    wanted = {"tags": 12, "sets": 4, "single": 1, "foreign": 1, "unled": 2, "headed": 3, "biggest": 0.5, "heap": 0.5}
    assert {name: found[name] for name in wanted} == wanted
    assert found["also"] == 0.0


def test_agreement_is_that_of_the_tags_both_clouds_show():
    one = Cloud((Group("", ("a", "b")), Group("", ("c", "d"))))
    same = Cloud((Group("", ("C", "d", "new")), Group("", ("a", "b"))))
    crossed = Cloud((Group("", ("a", "c")), Group("", ("b", "d"))))
    assert agreement(one, same) == pytest.approx(1.0)
    assert agreement(one, crossed) == pytest.approx(0.0)
    assert agreement(one, Cloud((Group("", ("z", "a")),))) is None
    assert shared(one, Cloud((Group("", ("a", "z")),))) == 0.25


def test_no_question_both_chooses_and_reports():
    snapshot, _ = clustered()
    sets = [set(queries.single_tags(snapshot, purpose)) for purpose in queries.PURPOSES]
    assert sets[0]
    assert sets[1]
    assert not sets[0] & sets[1]
    assert len(sets[0] | sets[1]) == snapshot.tag_count


@pytest.fixture(scope="module")
def prototype():
    return Prototype(clustered()[0])


def test_the_api_and_the_prototype_answer_with_the_same_tags(prototype):
    with served(PreviousVersion(*clustered())) as api:
        assert api.form == "clusters"
        for tag in ("payment", "rain"):
            one, other = api.cloud((tag,)), prototype.cloud((tag,))
            assert sorted(one.tags) == sorted(other.tags)
        assert len(api.cloud(("payment",), sets=3).groups) <= 3
        with pytest.raises(ValueError, match="no such tag"):
            api.cloud(("no such tag",))


def test_a_cloud_in_four_groups_shows_the_topics(prototype):
    topic_of = {tag: topic for topic, tags in TOPICS.items() for tag in tags}
    judge = Judge([normalise(tag) for tag in topic_of], _topic_vectors(topic_of))
    column = {key: number for number, key in enumerate(prototype.view.snapshot.keys)}
    reader = Reader(judge, csr_array(np.ones((1, len(column)))), column)
    found = measure(reader, lambda question: prototype.cloud(question, sets=4), [("version-control",)])
    assert found["queries"] == 1
    assert found["auc"] > 0.9


def _topic_vectors(topic_of):
    topics = list(TOPICS)
    return np.eye(len(topics), dtype=np.float32)[[topics.index(topic) for topic in topic_of.values()]]


def random_cosines(n, seed):
    """Cosines of random rows after centring."""
    return grouping.likeness(np.sqrt(np.random.default_rng(seed).dirichlet(np.full(30, 0.2), n)).astype(np.float32))


@pytest.mark.parametrize("n", [2, 3, 10, 60])
def test_ward_merges_as_scipy_does(n):
    cosines = random_cosines(n, n)
    distances = np.sqrt(np.maximum(2 - 2 * cosines, 0.0))
    np.fill_diagonal(distances, 0.0)
    expected = linkage(squareform(distances, checks=False), "ward")[:, :2]
    assert np.sort(grouping.ward(cosines), axis=1).tolist() == np.sort(expected, axis=1).tolist()


def test_a_cut_has_the_parts_that_were_asked_for_and_marks_singles():
    merges = [(0, 1), (2, 3), (5, 6), (4, 7)]
    assert grouping.cut(merges, 3).tolist() == [0, 0, 1, 1, -1]
    assert grouping.cut(merges, 2).tolist() == [0, 0, 0, 0, -1]
    assert grouping.cut(merges, 1).tolist() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_settling_leaves_no_single_tag_and_no_group_below_two(seed):
    cosines = random_cosines(24, seed)
    labels = grouping.cut(grouping.ward(cosines), 9)
    settled = grouping.settle(cosines, labels)
    assert settled.min() == 0
    assert (np.bincount(settled) >= 2).all()
    assert settled.max() == labels.max()


def test_a_tag_joins_the_group_it_is_nearest_to():
    directions = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [1, 0.3]], dtype=float)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    assert grouping.settle(directions @ directions.T, np.array([0, 0, 1, 1, -1])).tolist() == [0, 0, 1, 1, 0]
    moved = grouping.settle(directions @ directions.T, np.array([0, 0, 1, 1, 1]))
    assert moved.tolist() == [0, 0, 1, 1, 0]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 30])
@pytest.mark.parametrize("sets", [1, 2, 9])
def test_every_candidate_is_shown_once_in_a_group_of_two_or_more_named_after_its_own(prototype, limit, sets):
    shown = prototype.cloud(("payment", "rain"), sets, limit)
    ranking = prototype.ranking(("payment", "rain"), limit)
    names = prototype.view.snapshot.names
    assert sorted(shown.tags) == sorted(names[tag] for tag in ranking.tags)
    assert len(shown.groups) <= sets
    for group in shown.groups:
        assert len(group.tags) >= min(2, len(ranking.tags))
        assert set(group.heading.split(", ")) <= set(group.tags)


def test_nothing_is_grouped_without_candidates(prototype):
    none = np.array([], dtype=np.intp)
    assert grouping.group(prototype.company, none, none.astype(float), [], 9).groups == []


def test_a_name_passes_over_near_duplicates():
    keys = ["payment", "payments", "pay", "cash", "colour", "color"]
    assert grouping.name([0, 1, 2, 3, 4, 5], keys) == [0, 3, 4]
    assert grouping.name([0, 1], keys) == [0]


def test_the_loose_group_is_shown_last(prototype):
    company = grouping.Company(*_blocks())
    found = grouping.group(company, np.arange(9), np.linspace(1.0, 0.5, 9), [f"tag {i}" for i in "abcdefghi"], 3)
    assert found.groups == [[3, 4, 5], [6, 7, 8], [0, 1, 2]]
    assert found.loose == [False, False, True]


def _blocks():
    """Tags 0–2 each with company of its own, 3–5 and 6–8 with company in common."""
    company = [[9, 10], [11, 12], [13, 14], *([[15, 16]] * 3), *([[17, 18]] * 3), *([[0, 0]] * 10)]
    columns = np.column_stack([np.arange(19), np.array(company)]).astype(np.int32)
    roots = np.tile(np.sqrt([0.05, 0.475, 0.475]), (19, 1)).astype(np.float32)
    return columns, roots, np.zeros(19, dtype=np.int32), np.zeros(19, dtype=bool)


def test_tags_of_one_concept_are_a_little_more_alike_and_broad_ones_less_so():
    concepts, broad = np.array([0, 0, 0, 1]), np.array([False, False, True, False])
    found = grouping.join_concepts(np.eye(4), concepts, broad) * (1 + grouping.BONUS)
    expected = [grouping.BONUS, grouping.BROAD_BONUS, 0.0]
    assert found[0, 1:] == pytest.approx(expected)
    assert np.diag(found) == pytest.approx(1 + grouping.BONUS)


def test_the_company_of_a_tag_is_a_distribution(prototype):
    whole = prototype.company
    tags = np.arange(len(whole.columns))
    own = whole.columns == tags[:, None]
    first = own.cumsum(axis=1) == 1
    masses = np.where(own & ~first, 0.0, whole.roots.astype(float) ** 2).sum(axis=1)
    assert masses == pytest.approx(1.0, abs=1e-5)


def test_ward_needs_no_scipy():
    """The service may not load it."""
    code = "import sys, bench.meaning.grouping; sys.exit(any(name.split('.')[0] == 'scipy' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_trial_is_run_once_unless_it_is_asked_for_again(tmp_path):
    ran = []
    for again in (False, False, True):
        Campaign(Trials("meaning", tmp_path), [], again).measured("clouds query demo 0", lambda: ran.append(1) or {})
    assert len(ran) == 2
    for part in PARTS.values():
        part(Campaign(Trials("meaning", tmp_path), []))


def test_the_tracked_table_is_made_from_its_data_file():
    assert report(Trials("meaning", RESULTS)) == (RESULTS / "meaning.md").read_text(encoding="utf-8")
