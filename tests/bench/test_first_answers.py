"""The measurement of first-time answers asks what readers ask, and is not misled by busy machines."""

from urllib.parse import parse_qsl

import pytest

from bench.service.first_answers import answering, batches, means, several_tags, single_tags, table, total
from service.questions.text.query import parse_query
from service.view.view import View
from tests.clustered import counts, snapshot_at


@pytest.fixture(scope="module")
def view():
    return View(snapshot_at())


def test_common_tags_are_asked_for_more_often_and_every_query_is_known(view):
    single = [parse_qsl(query) for query in single_tags(view, 2000)]
    asked = [value for ((name, value),) in single if name == "tag"]
    held = counts()
    commonest, rarest = max(held, key=held.__getitem__), min(held, key=held.__getitem__)
    assert asked.count(commonest) > asked.count(rarest) > 0
    for query in several_tags(view, 100):
        names = {name for name, _ in parse_qsl(query)}
        assert names in ({"tag"}, {"q"})
        tags = [value for name, value in parse_qsl(query) if name == "tag"]
        text = "".join(value for name, value in parse_qsl(query) if name == "q")
        assert not parse_query(view, tags, text).ignored


def test_a_batch_that_was_disturbed_in_one_round_counts_as_in_another():
    assert means([{"parse": [1.0, 9.0]}, {"parse": [5.0, 3.0]}]) == {"parse": 2.0}
    assert [len(batch) for batch in batches(["q"] * 9)] == [4, 4, 1]


def test_the_table_has_all_stages_and_leaves_the_reference_out_of_the_total(view):
    figures = {"related": means([answering(view, "related", single_tags(view, 8))])}
    assert list(figures["related"]) == ["parse", "validate", "handle", "encode", "reference"]
    assert total({"parse": 1.0, "encode": 2.0, "reference": 9.0}) == 3.0
    assert table("small", figures, figures).startswith("| small | related | ")
