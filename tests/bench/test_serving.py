"""The measurements of the service: the mix of queries, wrk's report, the rows, and what normal clients see."""

import pytest
from scipy import sparse

from bench.service.serving.__main__ import QUESTIONS, paths, row
from bench.service.serving.cases import CASES
from bench.service.serving.corpora import Served
from bench.service.serving.loading import Load, parsed
from bench.service.serving.mix import PAGES, QUERIES, Mix, Query, mixed
from bench.service.serving.readers import Reads
from snapshot import normalise
from tests.clustered import clustered, documents

BEFORE = "answered before"
SPACE = " "
"""wrk pads units of one letter."""

REPORT = f"""Running 1s test @ http://127.0.0.1:1
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.00ms    1.00ms   9.00ms   90.00%
  Latency Distribution
     50%  850.00us
     75%    2.00ms
     90%    3.00ms
     99%    1.50s{SPACE}
  1234 requests in 1.00s, 1.00MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 5
Requests/sec:   1234.50
"""


@pytest.fixture(scope="module")
def corpus():
    snapshot, of_documents = clustered()
    known = {key: number for number, key in enumerate(snapshot.keys)}
    rows = [sorted({known[normalise(tag)] for tag in each["tags"]}) for each in documents()]
    matrix = sparse.lil_array((len(rows), len(known)), dtype=int)
    for number, tags in enumerate(rows):
        matrix[number, tags] = 1
    return Served(snapshot, of_documents, sparse.csr_array(matrix))


def test_a_fifth_of_the_mix_is_several_tags_of_one_document(corpus):
    mix = mixed(corpus)
    assert len(mix.queries) == QUERIES
    assert len(mix.of("several")) == QUERIES // 5
    assert {query.free for query in mix.of("several")} == {True, False}
    together = [{normalise(tag) for tag in each["tags"]} for each in documents()]
    for query in mix.of("several"):
        tags = {normalise(tag) for tag in query.tags}
        assert 2 <= len(tags) <= 4
        assert any(tags <= each for each in together)


def test_the_same_seed_gives_the_same_mix(corpus):
    assert mixed(corpus, 1) == mixed(corpus, 1) != mixed(corpus, 2)


def test_common_tags_are_asked_for_most(corpus):
    asked = [query.tags[0] for seed in range(20) for query in mixed(corpus, seed).of("one")]
    counts = dict(zip(corpus.snapshot.names, corpus.snapshot.counts.tolist(), strict=True))
    commonest, rarest = max(counts, key=counts.get), min(counts, key=counts.get)
    assert asked.count(commonest) > 5 * asked.count(rarest) > 0


def test_a_query_is_sent_as_tags_as_free_text_or_to_the_page():
    several = ("a b", "c&d")
    assert Query(several, free=False).path("cloud", "/v1/corpora/x") == "/v1/corpora/x/cloud?tag=a%20b&tag=c%26d"
    assert Query(several, free=True).path("related", "") == "/related?q=a%20b%20c%26d"
    assert Query(several, free=False).path("page", "/v1/corpora/x") == "/?q=a%20b%20c%26d"
    assert Query(several, free=True).path("results", "/v1/corpora/x") == "/?q=a%20b%20c%26d"


def test_rivals_learn_from_the_path_how_large_an_answer_must_be():
    """Both pages have the same path in the service."""
    mix = Mix((Query(("a b",), free=False),))
    for question in QUESTIONS:
        (bare,) = {tuple(paths(case, mix, "x")) for case in CASES if (case.question, case.label) == (question, "(a)")}
        assert bare[0].partition("?")[0] == f"/{question}"
        (own,) = {tuple(paths(case, mix, "x")) for case in CASES if (case.question, case.label) == (question, BEFORE)}
        assert own[0].startswith("/?q=" if question in PAGES else f"/v1/corpora/x/{question}?tag=")


def test_a_corpus_without_documents_is_published_without_their_table(corpus):
    assert corpus.encoded().index
    assert not corpus.without_documents().encoded().index


def test_counts_of_pairs_leave_single_tags_out(corpus):
    together = corpus.together()
    assert together.diagonal().sum() == 0
    assert (together != together.T).nnz == 0
    first, second = corpus.incidence[:, [0]].toarray().ravel(), corpus.incidence[:, [1]].toarray().ravel()
    assert together[0, 1] == int((first * second).sum())


def test_what_wrk_reports():
    assert parsed(REPORT) == Load(1234.5, 0.85, 1500.0, 15, 1234, 0.0)
    with pytest.raises(ValueError, match="no latency of 99%"):
        parsed(REPORT.replace("     99%    1.50s \n", ""))


def test_a_row_compares_neighbours_in_time_with_its_bar():
    def loads(*processor):
        return [Load(1.0, 1.0, 1.0, 0, 1, each) for each in processor]

    measured = {case: loads(1.0, 2.0, 4.0) for case in CASES}
    before = next(case for case in CASES if (case.question, case.label) == ("related", "answered before"))
    page = next(case for case in CASES if (case.question, case.label) == ("page", "answered before"))
    assert row(before, measured)["ratio"] == 1.0
    assert row(before, measured)["held"] is True
    measured[before] = loads(2.0, 4.0, 8.0)
    assert (row(before, measured)["ratio"], row(before, measured)["held"]) == (2.0, False)
    assert row(page, measured)["held"] is False, "the bar of a page is in milliseconds"
    cloud = next(case for case in CASES if (case.question, case.label) == ("cloud", "first time, one tag"))
    measured[cloud] = loads(8.0, 0.6, 9.0)
    assert row(cloud, measured)["held"] is True, "and so is that of a cloud asked for the first time; the least counts"


def test_every_case_is_compared_with_another_of_its_question():
    for case in CASES:
        assert [each for each in CASES if (each.question, each.label) == (case.question, case.of)]


def test_percentiles_are_those_of_answered_reads():
    reads = Reads([n / 1000 for n in range(1, 101)], failed=7)
    assert (reads.sent, reads.percentile(0.5), reads.percentile(1.0)) == (107, 51.0, 100.0)
