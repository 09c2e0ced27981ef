"""The scores of related tags: the formula against plain numpy, and against the kernels that choose the weights."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocluster.suggestions import Lists, LogisticWeights, hidden_ranks, logistic, suggestion_lists, training_documents
from tagmodel import RelatedTags
from tagmodel.related import SPECIFICITIES, popularity_factors, probability
from tests.cocluster.suggestions.test_weights import documents

TAGS = 9
EXPONENTS = (-0.5, 0.2, 0.9)
SINGLE_TAG_EXPONENTS = (-0.3, 0.4, 1.1)


def random_related(seed, tags=TAGS, logistic_weight=0.4):
    """Half of all pairs, best first, with linear weights whose sums are exact in float32."""
    random = np.random.default_rng(seed)
    listed = random.random((tags, tags)) < 0.5
    np.fill_diagonal(listed, val=False)
    sources, indices = np.nonzero(listed)
    alone = random.integers(-8, 64, len(sources)) / 64
    best_first = np.lexsort((-alone, sources))
    return RelatedTags(
        starts=np.concatenate([[0], np.cumsum(listed.sum(axis=1))]).astype(np.int32),
        indices=indices[best_first].astype(np.int32),
        alone=alone[best_first].astype(np.float32),
        together=(random.integers(-32, 64, len(sources)) / 64).astype(np.float32),
        evidence=random.normal(size=len(sources)).astype(np.float32),
        prior=random.normal(-2, 1, tags).astype(np.float32),
        logistic_weight=logistic_weight,
        popularity_exponents=EXPONENTS,
        single_tag_exponents=SINGLE_TAG_EXPONENTS,
    )


def dense(related, values):
    """The values of the lists as a matrix, tags × tags."""
    tags = len(related.prior)
    matrix = np.zeros((tags, tags))
    matrix[np.repeat(np.arange(tags), np.diff(related.starts)), related.indices] = values
    return matrix


queries = st.lists(st.integers(0, TAGS - 1), min_size=1, max_size=5, unique=True).map(tuple)


@given(st.integers(0, 10_000), queries, st.sampled_from([0.0, 0.4, 1.0]))
def test_odds_are_votes_and_logits_each_to_its_power(seed, query, share):
    """o = s^(1−α) e^(αz) where s > 0, s and z being sums over the query; α = 0 for one tag."""
    related = random_related(seed, logistic_weight=share)
    votes = dense(related, related.alone if len(query) == 1 else related.together)[list(query)].sum(axis=0)
    logits = related.prior + dense(related, related.evidence)[list(query)].sum(axis=0)
    expected = np.flatnonzero((votes > 0) & ~np.isin(np.arange(TAGS), query))
    alpha = 0.0 if len(query) == 1 else share
    tags, odds, _ = related.candidates(query)
    order = np.argsort(tags)
    assert tags[order].tolist() == expected.tolist()
    np.testing.assert_allclose(
        odds[order], votes[expected] ** (1 - alpha) * np.exp(alpha * logits[expected]), rtol=1e-5
    )


def test_a_query_of_one_tag_lists_its_related_tags_in_the_order_of_the_list():
    related = random_related(3)
    for tag in range(TAGS):
        span = related.span(tag)
        tags, odds, _ = related.candidates((tag,))
        assert tags.tolist() == [
            int(other) for other in related.indices[span] if dense(related, related.alone)[tag, other] > 0
        ]
        assert odds.tolist() == dense(related, related.alone)[tag, tags].tolist()
        assert related.weights(tag, 1).tolist() == related.alone[span].tolist()
        assert related.weights(tag, 2).tolist() == related.together[span].tolist()


@given(st.floats(0, 1))
def test_exponents_lie_on_straight_lines_between_those_of_0_a_half_and_1(specificity):
    related = random_related(0)
    for query_size, (low, middle, high) in ((1, SINGLE_TAG_EXPONENTS), (2, EXPONENTS), (7, EXPONENTS)):
        if specificity < 0.5:
            expected = low + (middle - low) * specificity * 2
        else:
            expected = middle + (high - middle) * (specificity - 0.5) * 2
        assert related.popularity_exponent(specificity, query_size) == pytest.approx(expected)


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=20).map(np.array), st.floats(-2, 2))
def test_popularity_factors_are_powers_of_the_count_of_which_the_largest_is_1(counts, exponent):
    factors = popularity_factors(counts, exponent)
    assert factors.max() == 1.0
    powers = counts.astype(np.float64) ** -exponent
    np.testing.assert_allclose(factors, powers / powers.max(), rtol=1e-9)


def test_odds_become_probabilities():
    np.testing.assert_allclose(probability(np.array([0.0, 1.0, 3.0])), [0.0, 0.5, 0.75])


def expected_ranks(related, counts, some, first):
    """The rank of each tag of each document among the suggestions of its others, and which tags stand first, for each
    exponent, by the formula of RelatedTags; of equal scores the tag with the lower number stands first.
    """
    ranks, seen = [], np.zeros((len(SPECIFICITIES), len(counts)), dtype=bool)
    for tags in some:
        for hidden in tags:
            query = tuple(tag for tag in tags if tag != hidden)
            candidates, odds, _ = related.candidates(query)
            row = []
            for number, specificity in enumerate(SPECIFICITIES):
                factors = popularity_factors(counts, related.popularity_exponent(specificity, len(query)))
                scores = odds * factors[candidates]
                ranking = candidates[np.lexsort((candidates, -scores))].tolist()
                row.append(ranking.index(hidden) + 1 if hidden in ranking else 0)
                seen[number, ranking[:first]] = True
            ranks.append(row)
    return np.array(ranks), seen


def kernel_ranks(related, counts, some, shares, *, first, asked=None):
    """The same by the kernels, for each logistic weight."""
    lists = Lists(related.starts, related.indices, related.alone, related.together)
    exponents = (related.single_tag_exponents, related.popularity_exponents)
    factors = np.array(
        [np.column_stack([popularity_factors(counts, exponent) for exponent in each]) for each in exponents]
    )
    return hidden_ranks(
        lists,
        LogisticWeights(related.evidence, related.prior),
        np.concatenate([[0], np.cumsum([len(tags) for tags in some])]).astype(np.int64),
        np.concatenate([np.array(tags, dtype=np.int32) for tags in some]).astype(np.int32),
        np.ones(sum(map(len, some)), np.bool_) if asked is None else asked,
        logistic_weights=np.array(shares),
        factors=factors,
        first=first,
    )


def assert_kernels_agree(related, counts, some, shares, first):
    ranks, seen = kernel_ranks(related, counts, some, shares, first=first)
    for number, share in enumerate(shares):
        expected, expected_seen = expected_ranks(replace(related, logistic_weight=share), counts, some, first)
        np.testing.assert_array_equal(ranks[:, number], expected)
        np.testing.assert_array_equal(seen[number], expected_seen)
    return ranks


def test_the_kernels_rank_every_hidden_tag_of_a_corpus_where_the_formula_puts_it():
    M = documents(600, 60)
    counts = np.asarray(M.sum(axis=0)).ravel().astype(np.int64)
    lists = suggestion_lists(M, 2.0)
    evidence = logistic(training_documents(M), lists, 1.0)
    related = RelatedTags(
        lists.starts,
        lists.indices,
        lists.alone,
        lists.together,
        evidence.weights,
        evidence.prior,
        0.0,
        EXPONENTS,
        SINGLE_TAG_EXPONENTS,
    )
    some = [M.indices[M.indptr[row] : M.indptr[row + 1]].tolist() for row in range(0, M.shape[0], 3)]
    assert {len(tags) for tags in some} == {2, 3, 4, 5, 6}
    ranks = assert_kernels_agree(related, counts, some, [0.0, 0.3, 1.0], first=5)
    assert (ranks == 0).any()
    assert (ranks == 1).any()
    assert len({row.tobytes() for row in ranks.reshape(len(ranks), -1).T}) == 9, "every setting ranks differently"


def test_tags_that_are_not_asked_for_have_no_rank_and_change_no_other():
    M = documents(100, 30)
    counts = np.asarray(M.sum(axis=0)).ravel().astype(np.int64)
    lists = suggestion_lists(M, 2.0)
    evidence = logistic(training_documents(M), lists, 1.0)
    weights = (lists.starts, lists.indices, lists.alone, lists.together, evidence.weights, evidence.prior)
    related = RelatedTags(*weights, 0.0, EXPONENTS, SINGLE_TAG_EXPONENTS)
    some = [M.indices[M.indptr[row] : M.indptr[row + 1]].tolist() for row in range(40)]
    asked = np.random.default_rng(0).random(sum(map(len, some))) < 0.5
    whole, part = (kernel_ranks(related, counts, some, [0.0, 0.5], first=0, asked=mask)[0] for mask in (None, asked))
    assert (part[asked] == whole[asked]).all()
    assert not part[~asked].any()


@given(
    st.integers(0, 10_000),
    st.lists(
        st.lists(st.integers(0, TAGS - 1), min_size=1, max_size=6, unique=True).map(sorted), min_size=1, max_size=8
    ),
)
def test_the_kernels_rank_hidden_tags_of_equal_scores_as_the_formula_does(seed, some):
    """Few different weights and equal counts: many scores are equal."""
    related = random_related(seed)
    coarse = replace(
        related,
        alone=np.round(related.alone * 3).astype(np.float32),
        together=np.round(related.together * 2).astype(np.float32),
        evidence=np.round(related.evidence).astype(np.float32),
        prior=np.round(related.prior).astype(np.float32),
    )
    counts = np.array([5, 5, 5, 41, 41, 41, 7, 7, 900])
    assert_kernels_agree(coarse, counts, some, [0.0, 0.4], first=2)


def test_a_prepared_query_computes_nothing_about_all_tags():
    """What the first query needs of all weights is there after `prepare`."""
    related = random_related(3)
    related.prepare()
    prepared = dict(vars(related))
    related.candidates((0,))
    related.candidates((0, 1))
    assert vars(related).keys() == prepared.keys()
