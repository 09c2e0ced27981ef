"""What people see is judged by fixed measures, through the real API, on questions that nothing was chosen by."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from bench.meaning import queries
from bench.meaning.api import Cloud, Group, read_cloud, served
from bench.meaning.clouds import Reader, agreement, foreign, measure, shared
from bench.meaning.judge import Judge
from bench.meaning.measures import auc, bits, gain, interval, npmi, ratio_interval, shuffled
from bench.meaning.parts import PARTS, Campaign
from bench.meaning.report import report
from bench.places import RESULTS
from bench.trials import Trials
from snapshot import normalise
from tests.clustered import clustered
from tests.conftest import TOPICS
from worker.clustering.continuity.inheritance import PreviousVersion

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


GROUPS = [
    {"label": "a, c", "also": False, "tags": [{"tag": "a"}]},
    {"label": "x", "also": True, "tags": [{"tag": "x"}]},
]


def test_the_groups_of_an_answer_are_read():
    assert read_cloud(GROUPS) == Cloud((Group("a, c", ("a",)), Group("x", ("x",), "also")))


def test_a_heading_is_foreign_if_its_group_shows_no_tag_of_it():
    assert foreign("close, times", ["shape", "code"])
    assert not foreign("close, times", ["shape", "times"])


def test_a_cloud_is_measured_as_it_is_shown():
    tags = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
    judge = Judge(tags[:-1], np.eye(11, dtype=np.float32))
    reader = Reader(judge, csr_array(np.eye(12)), {tag: number for number, tag in enumerate(tags)})
    cloud = Cloud(
        (Group("a", ("a", "b")), Group("z", ("c",)), Group("e", ("d", "e", "f")), Group("", tuple("ghijkl"), "also"))
    )
    found = reader.figures(cloud)
    wanted = {"tags": 12, "sets": 4, "single": 1, "foreign": 1, "unled": 2, "headed": 3, "biggest": 0.5, "also": 0.5}
    assert {name: found[name] for name in wanted} == wanted


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
def api():
    with served(PreviousVersion(*clustered())) as found:
        yield found


def test_the_api_answers_and_says_what_it_cannot(api):
    assert len(api.cloud(("payment",), sets=3).groups) <= 3
    assert len(api.first_page(sets=4).groups) == 4
    with pytest.raises(ValueError, match="no such tag"):
        api.cloud(("no such tag",))


def test_a_cloud_in_four_groups_shows_the_topics(api):
    topic_of = {tag: topic for topic, tags in TOPICS.items() for tag in tags}
    judge = Judge([normalise(tag) for tag in topic_of], _topic_vectors(topic_of))
    column = {key: number for number, key in enumerate(clustered()[0].keys)}
    reader = Reader(judge, csr_array(np.ones((1, len(column)))), column)
    found = measure(reader, lambda question: api.cloud(question, sets=4), [("version-control",)])
    assert found["queries"] == 1
    assert found["auc"] > 0.9


def _topic_vectors(topic_of):
    topics = list(TOPICS)
    return np.eye(len(topics), dtype=np.float32)[[topics.index(topic) for topic in topic_of.values()]]


def test_a_trial_is_run_once_unless_it_is_asked_for_again(tmp_path):
    ran = []
    for again in (False, False, True):
        Campaign(Trials("meaning", tmp_path), [], again).measured("clouds query demo 0", lambda: ran.append(1) or {})
    assert len(ran) == 2
    for part in PARTS.values():
        part(Campaign(Trials("meaning", tmp_path), []))


def test_the_tracked_table_is_made_from_its_data_file():
    assert report(Trials("meaning", RESULTS)) == (RESULTS / "meaning.md").read_text(encoding="utf-8")
