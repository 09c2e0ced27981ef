"""Understanding, suggesting and grouping, on the small snapshot."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.cloud import cloud, joined
from service.errors import UnknownTags
from service.suggesting import rank, shares
from service.understanding import NOTHING, Part, ask, exact, suggest, understand
from service.view import View
from tests.snapshot.snapshots import evident_snapshot, small_snapshot, weighted_snapshot

VIEW = View(small_snapshot())
WEIGHTED = View(evident_snapshot())


def tags(understood):
    return [VIEW.snapshot.names[tag] for tag in understood.tags]


@pytest.mark.parametrize(
    ("text", "expected", "how"),
    [
        ("payment", "payment", "exact"),
        ("  PAYMENT ", "payment", "exact"),
        ("payments", "payment", "plural"),
        ("paymnet", "payment", "spelling"),
        ("credit card", "credit card", "exact"),
        ("credit cards", "credit card", "plural"),
        ("Version_Control", "version-control", "exact"),
        ("rains", "Rain", "plural"),
    ],
)
def test_how_words_are_understood(text, expected, how):
    (part,) = understand(VIEW, text).parts
    assert (part.tag, part.how) == (expected, how)


def test_the_longest_phrase_wins_and_the_rest_is_ignored():
    found = understand(VIEW, "cheap credit card and Snow")
    assert tags(found) == ["credit card", "snow"]
    assert found.ignored == ("cheap", "and")
    assert found.parts[0] == Part("credit card", "credit card", "exact")


def test_a_tag_asked_for_twice_counts_once():
    assert tags(ask(VIEW, ["Payment"], "payments cash")) == ["payment", "cash"]


def test_nothing_understood_comes_with_suggestions():
    with pytest.raises(UnknownTags, match="nothing in 'paiement' is a tag of small") as caught:
        understand(VIEW, "paiement")
    assert "payment" in caught.value.suggestions


def test_an_exact_tag_must_exist():
    assert tags(exact(VIEW, ["RAIN"])) == ["Rain"]
    with pytest.raises(UnknownTags, match="there is no tag 'rains'") as caught:
        exact(VIEW, ["rains"])
    assert caught.value.suggestions[0] == "Rain"


@given(st.text(max_size=600))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_text_is_understood_or_refused_with_reason(text):
    try:
        found = understand(VIEW, text)
    except UnknownTags:
        return
    assert all(0 <= tag < len(VIEW.snapshot.names) for tag in found.tags)
    assert len(set(found.tags)) == len(found.tags)
    suggest(VIEW, text)


def test_specificity_moves_from_popular_to_specific():
    payment = VIEW.index["payment"]
    by_transition = rank(VIEW, (payment,), 1.0, 10)
    assert [VIEW.snapshot.names[tag] for tag in by_transition.tags] == ["cash", "credit card", "version-control"]
    assert by_transition.scores == pytest.approx([0.3 / 1.3, 0.2 / 1.2, 0.1 / 1.1])
    by_count = rank(VIEW, (payment,), 0.0, 10)
    assert by_count.scores == pytest.approx([0.18 / 1.18, 0.1 / 1.1, 0.1 / 1.1])


def test_several_tags_are_asked_together_with_their_shares():
    query = (VIEW.index["payment"], VIEW.index["cash"])
    found = rank(VIEW, query, 1.0, 10)
    assert [VIEW.snapshot.names[tag] for tag in found.tags] == ["credit card", "version-control"]
    assert found.scores == pytest.approx([0.3 / 1.3, 0.1 / 1.1])
    assert shares(VIEW, query, found.tags)[0] == pytest.approx([2 / 3, 1 / 3])


def test_a_tag_that_more_speaks_against_than_for_is_not_suggested():
    query = (WEIGHTED.index["payment"], WEIGHTED.index["rain"])
    found = rank(WEIGHTED, query, 0.5, 10)
    assert [WEIGHTED.snapshot.names[tag] for tag in found.tags] == ["snow", "cash", "credit card"]
    assert shares(WEIGHTED, query, found.tags) == [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]


def test_what_the_limit_leaves_out_is_counted():
    found = rank(VIEW, (VIEW.index["payment"],), 1.0, 1)
    assert (len(found.tags), found.others) == (1, 2)
    assert found.rest == pytest.approx(0.2 / 1.2 + 0.1 / 1.1)


@given(st.data())
@settings(deadline=None)
def test_ranking_is_the_formula_for_any_query_and_specificity(data):
    query = tuple(data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True)))
    specificity = data.draw(st.floats(0, 1))
    related = WEIGHTED.snapshot.related
    weights, trust = (related.alone, 0.0) if len(query) == 1 else (related.together, 0.5)
    rows, logits = np.zeros(6), related.prior.astype(np.float64)
    for tag in query:
        span = slice(related.starts[tag], related.starts[tag + 1])
        rows[related.indices[span]] += weights[span]
        logits[related.indices[span]] += related.evidence[span]
    rows[rows < 1e-7] = 0
    tilt = np.interp(specificity, (0, 0.5, 1), (0.0, 0.2, 0.6) if len(query) == 1 else (0.0, 0.1, 0.7))
    odds = rows ** (1 - trust) * np.exp(trust * logits) * (5 / WEIGHTED.snapshot.counts) ** tilt
    expected = odds / (1 + odds)
    expected[list(query)] = 0
    found = rank(WEIGHTED, query, specificity, 100)
    assert sorted(found.tags) == np.flatnonzero(expected > 1e-7).tolist()
    assert found.scores == pytest.approx(expected[found.tags])
    assert found.scores == sorted(found.scores, reverse=True)


def test_cutting_the_tree_gives_exactly_k_clusters_for_every_k():
    for k in range(1, 7):
        labels = VIEW.tree_labels(k)
        assert sorted(set(labels.tolist())) == list(range(k))
    assert VIEW.tree_labels(2).tolist() == [0, 0, 0, 1, 1, 0]
    assert VIEW.tree_labels(3).tolist() == [0, 0, 0, 1, 1, 2]


def test_groups_are_joined_along_the_tree_when_there_are_too_many():
    assert joined(VIEW, {0, 1, 2}, 3) == {0: 0, 1: 1, 2: 2}
    together = joined(VIEW, {0, 1, 2}, 2)
    assert together[0] == together[2] != together[1]
    assert len(set(joined(VIEW, {0, 1, 2}, 1).values())) == 1


def test_a_cloud_drops_nothing_and_puts_broad_tags_apart():
    answer = cloud(VIEW, NOTHING, limit=10, groups=8, specificity=0.5)
    shown = [tag.tag for group in answer.groups for tag in group.tags] + [tag.tag for tag in answer.broad]
    assert sorted(shown) == sorted(VIEW.snapshot.names)
    assert [tag.tag for tag in answer.broad] == ["version-control"]
    assert [group.label for group in answer.groups] == ["payment, cash", "Rain, snow"]


def test_groups_and_tags_come_heaviest_first():
    answer = cloud(VIEW, NOTHING, limit=10, groups=8, specificity=0.5)
    assert sum(group.weight for group in answer.groups) == pytest.approx(1.0, abs=1e-3)
    for group in answer.groups:
        weights = [tag.weight for tag in group.tags]
        assert weights == sorted(weights, reverse=True)
    weights = [group.weight for group in answer.groups]
    assert weights == sorted(weights, reverse=True)


def test_a_tag_without_relations_gives_an_empty_cloud():
    lonely = View(small_snapshot())
    lonely.snapshot.related.starts[:] = 0
    answer = cloud(lonely, exact(lonely, ["cash"]), limit=10, groups=8, specificity=0.5)
    assert answer.groups == []
    assert answer.query.tags == ["cash"]


def test_a_cloud_says_what_the_limit_left_out():
    answer = cloud(VIEW, NOTHING, limit=2, groups=8, specificity=0.5)
    assert answer.other.size == 4
    assert answer.other.share == pytest.approx(26 / 45, abs=1e-4)
    assert cloud(VIEW, NOTHING, limit=6, groups=8, specificity=0.5).other.size == 0


@pytest.mark.parametrize(
    ("text", "expected", "how"),
    [("páyment", "payment", "spelling"), ("credit crad", "credit card", "spelling"), ("ﬁre snow", "snow", "exact")],
)
def test_accents_ligatures_and_phrases_with_mistakes(text, expected, how):
    part = understand(VIEW, text).parts[-1]
    assert (part.tag, part.how) == (expected, how)


def test_words_that_are_no_tags_come_with_what_may_have_been_meant():
    found = understand(VIEW, "cash paiement")
    assert found.ignored == ("paiement",)
    assert [(meant.text, meant.tags[0]) for meant in found.suggestions] == [("paiement", "payment")]


def test_a_query_of_many_unknown_words_is_answered_quickly():
    found = understand(VIEW, "cash " + "qwertzuiop " * 44)
    assert len(found.ignored) == 44
    assert len(found.suggestions) <= 8


def test_older_snapshots_mix_what_a_tag_says_alone_and_among_others():
    older = View(weighted_snapshot())
    query = (older.index["payment"], older.index["rain"])
    found = rank(older, query, 0.0, 10)
    share = 1 / 1.5
    cash = share * 0.4 + (1 - share) * 0.3
    assert found.scores[found.tags.index(older.index["cash"])] == pytest.approx(cash / (1 + cash))
