"""Documents are ranked as the plain formula says, page by page, with exact totals and reasons."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from bench.service.documents.ours import ALL, evidence_scores, likeness_scores
from bench.service.documents.tasks import drawn
from cocluster import document_index
from cocluster.tags.lifts import SHRINKAGE
from service.questions.documents import ranking
from service.questions.documents.evidence import (
    FLOOR,
    SIZE_EXPONENT,
    complete_scores,
    evidence,
    exact_scores,
)
from service.questions.documents.likeness import likeness
from service.questions.documents.postings import (
    OWN_WEIGHT,
    POSTED,
    affordable_postings,
    postings_of,
    shortest,
    with_most,
)
from service.questions.documents.ranking import COMPARED, ranked_documents, similar_documents
from service.questions.documents.reasons import reasons
from service.questions.documents.sets import documents_with_all, joint_counts
from tests.needs import corpus_file

DOCUMENTS, TAGS = 300, 60


def random_matrix(seed):
    """Documents in three topics, each with at least one tag."""
    random = np.random.default_rng(seed)
    chance = np.where(np.arange(DOCUMENTS)[:, None] % 3 == np.arange(TAGS) % 3, 0.2, 0.02)
    dense = (random.random((DOCUMENTS, TAGS)) < chance).astype(float)
    dense[np.arange(DOCUMENTS), random.integers(0, TAGS, DOCUMENTS)] = 1.0
    return csr_array(dense)


@pytest.fixture(scope="module")
def corpus():
    matrix = random_matrix(0)
    return matrix.toarray(), matrix, document_index(matrix)


def queries_of(*queries, tags=TAGS):
    rows = np.zeros((len(queries), tags))
    for row, query in zip(rows, queries, strict=True):
        row[list(query)] = 1.0
    return csr_array(rows)


QUERIES = ((3,), (3, 6), (0, 1, 2), (5, 8, 11, 14))
EVERYTHING = 10 * DOCUMENTS


def rough_scores(index, query):
    """The score of every document by the first neighbours, 0 for those that nothing speaks for."""
    found, scores = evidence(index, query), np.zeros(index.position_count, dtype=np.float32)
    scores[found.documents] = found.scores
    return scores


@pytest.mark.parametrize("query", QUERIES)
def test_evidence_is_the_plain_formula(corpus, query):
    """The scores from the index equal those of whole matrices: by the first neighbours, and by all."""
    dense, matrix, index = corpus
    rough, exact = (evidence_scores(matrix, queries_of(query), neighbours=most)[0] for most in (POSTED, ALL))
    assert rough_scores(index, query) == pytest.approx(rough, rel=1e-4, abs=1e-4)
    assert exact_scores(index, query, np.arange(DOCUMENTS)) == pytest.approx(exact, rel=1e-4, abs=1e-4)
    complete = np.flatnonzero(dense[:, list(query)].all(axis=1))
    assert complete_scores(index, query, complete) == pytest.approx(exact[complete], rel=1e-4, abs=1e-4)


def test_evidence_by_hand():
    """A tag counts by the size of its document, with one tag more; a tag beside it counts by its lift."""
    index = document_index(csr_array(np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])))
    own, beside = OWN_WEIGHT * 4 / 2, 4 * 1 / (1 + SHRINKAGE) / (2 * 2)
    lifts = [own / 2**SIZE_EXPONENT, own / 3**SIZE_EXPONENT, beside / 3**SIZE_EXPONENT, 0.0]
    expected = np.log1p(np.array(lifts) / FLOOR)
    assert rough_scores(index, (0,)) == pytest.approx(expected, rel=1e-5)
    assert exact_scores(index, (0,), np.arange(4)) == pytest.approx(expected, rel=1e-5)


def test_likeness_is_the_plain_formula(corpus):
    """The likeness of documents equals that of whole matrices."""
    _, matrix, index = corpus
    plain = likeness_scores(matrix, queries_of((3, 6)))[0]
    assert likeness(index, (3, 6), np.arange(DOCUMENTS)) == pytest.approx(plain, rel=1e-4, abs=1e-5)


def test_plain_formula_on_a_shared_corpus():
    """The same on documents of a real corpus."""
    corpus_file("debtags")
    matrix, _ = drawn("debtags", 1)
    index = document_index(matrix)
    asked = np.arange(0, matrix.shape[0], 400)
    plain = evidence_scores(matrix, csr_array(matrix[asked]))
    near = likeness_scores(matrix, csr_array(matrix[asked]))
    for row, document in enumerate(asked.tolist()):
        query = index.tags_of(document).tolist()
        assert exact_scores(index, query, np.arange(matrix.shape[0])) == pytest.approx(plain[row], rel=1e-3, abs=1e-3)
        assert likeness(index, query, np.arange(matrix.shape[0])) == pytest.approx(near[row], rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("query", QUERIES)
def test_total_counts_documents_with_all_tags(corpus, query):
    """`total` is exact, whatever the kind of match and the page."""
    dense, _, index = corpus
    expected = int(dense[:, list(query)].all(axis=1).sum())
    for match in (None, "all", "any", "near"):
        assert ranked_documents(index, query, match=match, limit=5, offset=3).total == expected


@pytest.mark.parametrize("query", QUERIES)
def test_matches(corpus, query):
    """all: those with every tag; any: those with one; near: those and further ones, by score alone."""
    dense, _, index = corpus
    has = dense[:, list(query)] > 0
    every = {match: ranked_documents(index, query, match=match, limit=EVERYTHING) for match in ("all", "any", "near")}
    assert set(every["all"].documents.tolist()) == set(np.flatnonzero(has.all(axis=1)).tolist())
    assert set(every["any"].documents.tolist()) == set(np.flatnonzero(has.any(axis=1)).tolist())
    assert set(every["any"].documents.tolist()) < set(every["near"].documents.tolist())
    for page in every.values():
        assert (np.diff(page.scores) <= 0).all()
        assert not page.more


@pytest.mark.parametrize("query", QUERIES)
def test_complete_documents_first(corpus, query):
    """By default documents with all tags come first, then those with some, then the near ones; each part by score."""
    _, _, index = corpus
    page = ranked_documents(index, query, limit=EVERYTHING)
    complete = ranked_documents(index, query, match="all", limit=EVERYTHING).documents.tolist()
    some = ranked_documents(index, query, match="any", limit=EVERYTHING).documents.tolist()
    near = ranked_documents(index, query, match="near", limit=EVERYTHING).documents.tolist()
    some = [each for each in some if each not in complete]
    assert page.documents.tolist() == [*complete, *some, *(each for each in near if each not in {*complete, *some})]


@pytest.mark.parametrize("match", [None, "all", "any", "near"])
@pytest.mark.parametrize("size", [1, 7, 40])
def test_pages_join_without_gaps_or_duplicates(corpus, match, size, monkeypatch):
    """Pages in sequence give the whole order once, across the end of what is scored exactly; `more` until the last."""
    _, _, index = corpus
    monkeypatch.setattr("service.questions.documents.ranking.RESCORED", 60)
    whole = ranked_documents(index, (3, 6), match=match, limit=EVERYTHING).documents.tolist()
    joined, more = [], True
    while more:
        page = ranked_documents(index, (3, 6), match=match, limit=size, offset=len(joined))
        joined, more = joined + page.documents.tolist(), page.more
        assert len(page.documents) == size or not more
    assert joined == whole


def test_ties_go_to_the_lower_position():
    """Identical documents come in the order of their positions, also where a page cuts through them."""
    index = document_index(csr_array(np.array([[1.0, 1, 0]] * 6 + [[0, 1, 1]] * 6)))
    assert ranked_documents(index, (0,), limit=4).documents.tolist() == [0, 1, 2, 3]
    assert ranked_documents(index, (0,), limit=4, offset=4).documents.tolist() == [4, 5, 6, 7]
    assert similar_documents(index, (0, 1), exclude=2, limit=5).documents.tolist() == [0, 1, 3, 4, 5]


@pytest.mark.parametrize("copies", [5, 11, 49, 50, 51, 67])
def test_equal_documents_have_equal_scores(corpus, copies):
    """However many documents are scored at once, identical ones get the same bits."""
    _, matrix, _ = corpus
    index = document_index(csr_array(matrix[np.r_[np.arange(DOCUMENTS), np.full(copies, 9)]]))
    same = np.r_[9, np.arange(DOCUMENTS, DOCUMENTS + copies)]
    query = index.tags_of(9).tolist()
    near = (*query[1:], (query[0] + 3) % TAGS)
    for scores in (
        likeness(index, query, same),
        likeness(index, query, np.r_[np.arange(7), same])[7:],
        exact_scores(index, near, same),
        rough_scores(index, near)[same],
        complete_scores(index, query, same),
    ):
        assert len(set(scores.tolist())) == 1


@pytest.mark.parametrize("match", [None, "all", "any", "near"])
def test_among(corpus, match):
    """A filter leaves the order as it is; `total` counts what it lets through."""
    dense, _, index = corpus
    mask = np.arange(DOCUMENTS) % 2 == 0
    whole = ranked_documents(index, (3, 6), match=match, limit=EVERYTHING).documents.tolist()
    page = ranked_documents(index, (3, 6), match=match, limit=EVERYTHING, among=mask)
    assert page.documents.tolist() == [each for each in whole if mask[each]]
    assert page.total == int(dense[mask][:, [3, 6]].all(axis=1).sum())


def test_query_without_tags(corpus):
    """Without tags every document matches, in the order of positions."""
    _, _, index = corpus
    for match in (None, "all", "any", "near"):
        page = ranked_documents(index, (), match=match, limit=3, offset=2)
        assert (page.documents.tolist(), page.total, page.more) == ([2, 3, 4], DOCUMENTS, True)
        assert page.because == ((), (), ())


def test_repeated_tags_count_once(corpus):
    """A tag named twice is one tag."""
    _, _, index = corpus
    once, twice = (ranked_documents(index, query, limit=20) for query in ((3, 6), (3, 6, 3)))
    assert once.documents.tolist() == twice.documents.tolist()
    assert once.total == twice.total


def test_similar_documents(corpus):
    """The first are ordered by likeness; the document itself is left out; pages join."""
    _, _, index = corpus
    query = index.tags_of(9).tolist()
    whole = similar_documents(index, query, exclude=9, limit=EVERYTHING)
    assert 9 not in whole.documents
    assert whole.total == len(documents_with_all(index, query)) - 1
    assert len(set(whole.documents.tolist())) == len(whole.documents)
    assert (np.diff(whole.scores) <= 0).all()
    first = whole.documents[:COMPARED]
    assert whole.scores[:COMPARED] == pytest.approx(likeness(index, query, first), rel=1e-5)
    pages = [similar_documents(index, query, exclude=9, limit=40, offset=at).documents.tolist() for at in (0, 40, 80)]
    assert [*pages[0], *pages[1], *pages[2]] == whole.documents[:120].tolist()


def test_similar_without_a_common_tag():
    """Documents that share no tag come up through the company of their tags."""
    rows = [[1.0, 1, 0, 0]] * 5 + [[0, 1, 1, 0]] * 5 + [[0, 0, 0, 1]] * 5
    index = document_index(csr_array(np.array([*rows, [1, 0, 0, 0], [0, 0, 1, 0]])))
    page = similar_documents(index, (0,), exclude=15, limit=20)
    assert 5 in page.documents
    assert 10 not in page.documents


def test_reasons(corpus):
    """A query tag that the document has is a reason; for another one, its neighbours in the document are."""
    _, _, index = corpus
    page = ranked_documents(index, (3, 6), match="near", limit=EVERYTHING)
    for document, because in zip(page.documents.tolist(), page.because, strict=True):
        own = set(index.tags_of(document).tolist())
        tags = [reason.tag for reason in because]
        shares = [reason.share for reason in because]
        assert tags
        assert set(tags) <= own
        assert len(tags) <= 3
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) <= 1.0 + 1e-6
    both = ranked_documents(index, (3, 6), match="all", limit=1).documents
    assert {reason.tag for reason in reasons(index, (3, 6), both)[0]} == {3, 6}


@pytest.mark.parametrize("query", [(), *QUERIES])
@pytest.mark.parametrize("candidates", [(4,), tuple(range(TAGS))])
def test_joint_counts(corpus, query, candidates):
    """The number of documents with all query tags and each candidate, by either way of counting."""
    dense, _, index = corpus
    mask = np.arange(DOCUMENTS) % 3 == 0
    has = dense[:, list(query)].all(axis=1)
    assert joint_counts(index, query, candidates).tolist() == dense[has][:, list(candidates)].sum(axis=0).tolist()
    expected = dense[has & mask][:, list(candidates)].sum(axis=0).tolist()
    assert joint_counts(index, query, candidates, mask).tolist() == expected


def test_documents_with_all(corpus):
    """The documents that have all tags, rising."""
    dense, _, index = corpus
    for query in QUERIES:
        expected = np.flatnonzero(dense[:, list(query)].all(axis=1)).tolist()
        assert documents_with_all(index, query).tolist() == expected


def test_arrays_may_be_read_only(corpus):
    """Nothing writes to the index: it may be a read-only memory map."""
    _, _, index = corpus
    for array in (*(each for each in vars(index).values() if each is not index.titles), *vars(index.titles).values()):
        array.flags.writeable = False
    ranked_documents(index, (3, 6), limit=5)
    similar_documents(index, (3, 6), limit=5)
    joint_counts(index, (3,), (4, 5))


def test_what_a_query_can_afford_is_read_by_falling_lift_and_long_lists_are_cut_to_short_documents(corpus):
    dense, _, index = corpus
    sizes = dense.sum(axis=1)
    postings = postings_of(index, (0, 1, 2))
    every = sum(len(posting.documents) for posting in postings)
    for most in (16, 100, 400, 3 * every):
        chosen = affordable_postings(index, postings, most)
        assert sum(len(posting.documents) for posting in chosen) <= most
        left = {posting.lift for posting in postings} - {posting.lift for posting in chosen}
        assert max(left, default=0.0) <= min(posting.lift for posting in chosen)
    assert len(chosen) == len(postings)
    own = index.documents_of(0)
    few = shortest(index, own, 7)
    assert len(few) == 7
    assert (np.diff(few.astype(int)) > 0).all()
    assert sizes[few].max() <= np.sort(sizes[own])[6]
    assert shortest(index, own, len(own)) is own


def test_documents_with_the_most_query_tags_are_never_left_out(corpus):
    dense, _, index = corpus
    held = dense[:, [0, 1, 2, 3, 6]].sum(axis=1)
    for wanted in (1, 20, EVERYTHING):
        found = with_most(index, (0, 1, 2, 3, 6), wanted)
        assert (held[found] >= 2).all()
        assert held[found].min() >= np.delete(held, found)[np.delete(held, found) > 1].max(initial=0)
        assert len(found) >= min(wanted, np.count_nonzero(held > 1))


@pytest.mark.parametrize("query", QUERIES)
def test_a_bounded_ranking_finds_nearly_what_a_full_one_does_and_scores_it_alike(corpus, query, monkeypatch):
    """A third of the lists is read; with room for all of them, the answers are the same."""
    _, _, index = corpus
    full = ranked_documents(index, query, match="near", limit=20)
    like = similar_documents(index, query, limit=20)
    every = sum(len(posting.documents) for posting in postings_of(index, query))
    monkeypatch.setattr(ranking, "AFFORDABLE", every)
    for found, expected in (
        (ranked_documents(index, query, match="near", limit=20), full),
        (similar_documents(index, query, limit=20), like),
    ):
        assert found.documents.tolist() == expected.documents.tolist()
        assert found.scores.tobytes() == expected.scores.tobytes()
    monkeypatch.setattr(ranking, "AFFORDABLE", every // 3)
    found = ranked_documents(index, query, match="near", limit=20)
    both = np.isin(found.documents, full.documents)
    assert np.count_nonzero(both) >= 16
    scores = dict(zip(full.documents.tolist(), full.scores.tolist(), strict=True))
    for document, score in zip(found.documents[both].tolist(), found.scores[both].tolist(), strict=True):
        assert score == pytest.approx(scores[document], rel=1e-6)
    assert (np.diff(found.scores) <= 0).all()
    # Among some documents, and far down the list, everything is read.
    among = np.ones(index.position_count, dtype=np.bool_)
    unbounded = ranked_documents(index, query, match="near", limit=20, among=among)
    assert unbounded.documents.tolist() == full.documents.tolist()
