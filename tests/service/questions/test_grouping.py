"""Tags of a cloud are grouped by the company they keep, and groups are named after their own tags."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from service.questions.clouds import grouping
from service.questions.clouds.cloud import group_tags
from service.questions.clouds.overview import overview
from service.questions.clouds.ward import ward
from service.questions.related.ranking import Ranking, rank
from service.server.gunicorn import BLAS_THREADS
from snapshot import normalise
from tagmodel import company
from tagmodel.language.group_names import name
from tests.clustered import TAGS


def random_cosines(n, seed):
    """Cosines of random rows after centring."""
    return company.centred_cosines(
        np.sqrt(np.random.default_rng(seed).dirichlet(np.full(30, 0.2), n)).astype(np.float32)
    )


def candidates(n, scores=None, keys=None, **known):
    """So many tags, best first, each in one document and none of them broad unless told otherwise."""
    return grouping.Candidates(
        np.arange(n),
        np.linspace(1.0, 0.5, n) if scores is None else scores,
        keys or [f"{i} tag" for i in range(n)],
        known.get("counts", np.ones(n)),
        known.get("breadth", np.zeros(n)),
        known.get("broad", np.zeros(n, dtype=bool)),
        known.get("asked", np.zeros(0, dtype=np.intp)),
    )


@pytest.mark.parametrize("n", [2, 3, 10, 60])
def test_ward_merges_as_scipy_does(n):
    cosines = random_cosines(n, n)
    distances = np.sqrt(np.maximum(2 - 2 * cosines, 0.0))
    np.fill_diagonal(distances, 0.0)
    expected = linkage(squareform(distances, checks=False), "ward")[:, :2]
    assert np.sort(ward(cosines), axis=1).tolist() == np.sort(expected, axis=1).tolist()


def test_ward_of_one_or_nothing_merges_nothing():
    assert ward(np.ones((1, 1))) == []
    assert ward(np.ones((0, 0))) == []


def test_ward_needs_no_scipy():
    """The service may not load it."""
    code = "import sys, service.questions.clouds.ward; sys.exit(any(name == 'scipy' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_service_computes_in_one_thread_unless_told_otherwise():
    """numpy is loaded by then, so the program starts anew, once."""
    code = (
        "import os, numpy, service.server.gunicorn as server; "
        "server.use_one_blas_thread(); print(os.environ[server.BLAS_THREADS])"
    )
    clean = {name: value for name, value in os.environ.items() if name != BLAS_THREADS}
    for environment, threads in ((clean, "1"), (clean | {BLAS_THREADS: "3"}, "3")):
        command = [sys.executable, "-c", code]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert found.stdout.split() == [threads]


def test_a_cut_has_the_parts_that_were_asked_for_and_marks_singles():
    merges = [(0, 1), (2, 3), (5, 6), (4, 7)]
    assert grouping.cut(merges, 3).tolist() == [0, 0, 1, 1, -1]
    assert grouping.cut(merges, 2).tolist() == [0, 0, 0, 0, -1]
    assert grouping.cut(merges, 1).tolist() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_settling_leaves_no_single_tag_and_no_group_below_two(seed):
    cosines = random_cosines(24, seed)
    labels = grouping.cut(ward(cosines), 9)
    settled = grouping.settle_tags(cosines, labels)
    assert settled.min() == 0
    assert (np.bincount(settled) >= 2).all()
    assert settled.max() == labels.max()


def test_a_tag_joins_the_group_it_is_nearest_to():
    directions = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [1, 0.3]], dtype=float)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    assert grouping.settle_tags(directions @ directions.T, np.array([0, 0, 1, 1, -1])).tolist() == [0, 0, 1, 1, 0]
    moved = grouping.settle_tags(directions @ directions.T, np.array([0, 0, 1, 1, 1]))
    assert moved.tolist() == [0, 0, 1, 1, 0]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 30])
@pytest.mark.parametrize("most", [1, 2, 9, 100])
def test_every_candidate_is_in_one_group_of_two_or_more_named_after_its_own(view, limit, most):
    ranking = rank(view, (view.index["payment"], view.index["rain"]), 0.5, limit)
    found = group_tags(view, ranking, most)
    assert sorted(place for places in found.groups for place in places) == list(range(len(ranking.tags)))
    assert len(found.groups) <= most
    for places, ranked, named in zip(found.groups, found.ranked, found.names, strict=True):
        assert places == sorted(ranked)
        assert len(places) >= min(2, len(ranking.tags))
        assert set(named) <= set(places)
        assert named[0] == ranked[0]


@pytest.mark.parametrize("by", ["query", "clusters"])
def test_nothing_is_grouped_without_candidates(view, by):
    assert group_tags(view, Ranking([], np.array([]), 0, 0.0), 9, by).groups == []


def test_tags_that_are_all_the_same_are_grouped():
    """Equal distances are no reason to fail."""
    alike = company.Company(
        np.zeros((8, 2), np.int32), np.ones((8, 2), np.float32), np.zeros(8, np.int32), np.zeros(8, bool)
    )
    found = grouping.group(alike, candidates(8, np.zeros(8), list("abcdefgh")), 3)
    assert sorted(place for places in found.groups for place in places) == list(range(8))


def test_a_name_passes_over_near_duplicates():
    keys = ["payment", "payments", "pay", "cash", "colour", "color"]
    assert name([0, 1, 2, 3, 4, 5], keys) == [0, 3, 4]
    assert name([0, 1], keys) == [0]


def test_the_loose_group_is_shown_last():
    found = grouping.group(_blocks(3, 9), candidates(21), 3)
    assert found.groups == [list(range(3, 12)), list(range(12, 21)), [0, 1, 2]]
    assert found.loose == [False, False, True]
    assert found.relevance[0] == 1.0 == max(found.relevance), "what closes a cloud is not above its first group"


@pytest.mark.parametrize("alone", [4, 8, 12])
def test_a_loose_group_holds_at_most_a_seventh_of_the_tags(alone):
    tags = alone + 18
    found = grouping.group(_blocks(alone, 9), candidates(tags), 3)
    assert found.loose == [False, False, True]
    assert len(found.groups[2]) == tags // grouping.LOOSE_ONE_IN
    assert set(found.groups[2]) < set(range(alone))
    assert sorted(place for places in found.groups for place in places) == list(range(tags))


def test_groups_are_shown_by_relevance_not_by_weight():
    """The second block weighs less, but everybody has the tags of the first."""
    counts = np.array([1000.0] * 9 + [1.0] * 9)
    found = grouping.group(_blocks(0, 9), candidates(18, counts=counts), 2)
    assert found.groups == [list(range(9, 18)), list(range(9))]
    assert found.relevance[0] == 1.0 > found.relevance[1] > 0.0


def test_a_mostly_broad_group_is_not_the_first():
    broad = np.array([True] * 9 + [False] * 9)
    found = grouping.group(_blocks(0, 9), candidates(18, broad=broad), 2)
    assert found.groups == [list(range(9, 18)), list(range(9))]
    assert found.relevance == sorted(found.relevance, reverse=True)
    everything = grouping.group(_blocks(0, 9), candidates(18, broad=np.ones(18, dtype=bool)), 2)
    assert everything.groups == [list(range(9)), list(range(9, 18))]


def test_a_loose_group_that_alone_is_specific_is_the_answer():
    broad = np.array([False] * 3 + [True] * 18)
    found = grouping.group(_blocks(3, 9), candidates(21, broad=broad), 3)
    assert found.groups[0] == [0, 1, 2]
    assert found.loose == [False, False, False]


def test_the_group_of_the_query_is_the_most_relevant():
    """Tag 18 belongs to the second block; nothing else tells the blocks apart."""
    whole = _blocks(0, 10)
    tags = np.array([*range(9), *range(10, 19)])
    asked = replace(candidates(18, np.ones(18)), tags=tags, asked=np.array([19]))
    found = grouping.group(whole, asked, 2)
    assert found.groups == [list(range(9, 18)), list(range(9))]


def test_tags_common_with_everything_close_a_cloud():
    """At most one in seven, those of little relevance; never first."""
    breadth = np.array([0.2] * 15 + [0.95, 0.94, 0.93] + [0.2] * 3)
    counts = np.array([1.0] * 15 + [1000.0] * 3 + [1.0] * 3)
    found = grouping.group(_blocks(3, 9), candidates(21, breadth=breadth, counts=counts), 4)
    assert found.common.index(True) == len(found.groups) - 1 - found.loose.count(True)
    assert found.groups[found.common.index(True)] == [15, 16, 17]
    assert len(found.groups) <= 4


def test_two_spellings_of_one_thing_join_another_group():
    directions = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [0.1, 0.9]], dtype=float)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    labels = np.array([0, 0, 1, 1, 1])
    cosines = directions @ directions.T
    assert grouping.join_one_thing(cosines, labels, ["lemon", "lemon juice", "a", "b", "c"]).tolist() == [0] * 5
    assert grouping.join_one_thing(cosines, labels, ["lemon", "lime", "a", "b", "c"]) is labels


def test_negligible_groups_fold_into_one():
    weights = np.array([0.98, 0.017, 0.0009, 0.0008, 0.0007, 0.0006])
    labels = np.repeat(np.arange(6), 2)
    folded, loose = grouping.fold(np.repeat(weights, 2), np.repeat(weights, 2), labels, -1)
    assert folded.tolist() == [0, 0, 1, 1] + [2] * 8
    assert loose == 2
    even, loose = grouping.fold(np.ones(12), np.ones(12), labels, -1)
    assert even.tolist() == labels.tolist()
    assert loose == -1


def test_the_tags_that_fit_elsewhere_leave_the_loose_group_first():
    directions = np.array([[1, 0, 0], [1, 0.1, 0], [0, 0, 1], [0, 1, 0], [0.6, 0.8, 0], [0, 0.8, 0.6]], dtype=float)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    labels = np.array([0, 0, 1, 1, 1, 1])
    moved = grouping.shrink(directions @ directions.T, labels, 1)
    assert moved[4] == 0
    assert np.bincount(moved).tolist() == [4, 2]
    assert grouping.shrink(directions @ directions.T, moved, 1) is moved


def _blocks(alone, together):
    """The company of so many tags without any in common, then of two blocks of tags with company in common."""
    tags = alone + 2 * together
    others = [[tags + 2 * tag, tags + 2 * tag + 1] for tag in range(alone)]
    first = tags + 2 * alone
    others += [[first, first + 1]] * together + [[first + 2, first + 3]] * together
    size = first + 4
    others += [[0, 0]] * (size - tags)
    columns = np.column_stack([np.arange(size), np.array(others)]).astype(np.int32)
    roots = np.tile(np.sqrt([0.05, 0.475, 0.475]), (size, 1)).astype(np.float32)
    return company.Company(columns, roots, np.zeros(size, dtype=np.int32), np.zeros(size, dtype=bool))


def test_tags_of_one_concept_are_a_little_more_alike_and_broad_ones_less_so():
    concepts, broad = np.array([0, 0, 0, 1]), np.array([False, False, True, False])
    found = company.join_concepts(np.eye(4), concepts, broad) * (1 + company.BONUS)
    assert found[0, 1:] == pytest.approx([company.BONUS, company.BROAD_BONUS, 0.0])
    assert np.diag(found) == pytest.approx(1 + company.BONUS)


def dense(whole):
    """The company of all tags as a square matrix."""
    rows = np.zeros((len(whole.columns), len(whole.columns)))
    np.put_along_axis(rows, whole.columns.astype(np.intp), whole.roots.astype(float), axis=1)
    return rows


def test_the_company_of_a_tag_is_a_distribution(view):
    assert (dense(view.company) ** 2).sum(axis=1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("size", [2, 5, len(TAGS)])
def test_mean_cosines_are_those_of_the_rows_without_half_of_the_mean_of_all(view, size):
    rows = dense(view.company)
    rows -= company.CENTRED * rows.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    tags = np.random.default_rng(size).permutation(len(rows))[:size]
    cosines = rows[tags] @ rows[tags].T
    expected = (cosines.sum(axis=1) - 1) / (size - 1)
    assert view.company.mean_cosines(tags) == pytest.approx(expected, abs=1e-6)


def test_groups_of_the_first_page_come_from_one_branch_each(view):
    """And a leftover holds at most a seventh of the tags."""
    answer = overview(view, 24, 6)
    branch = view.tree.cut(6)
    for each in answer.groups:
        branches = {int(branch[view.index[normalise(tag["tag"])]]) for tag in each["tags"]}
        assert each["also"] or len(branches) == 1
    assert len(answer.groups) <= 6
    assert sum(len(each["tags"]) for each in answer.groups if each["also"]) <= 24 // 7
