"""Large pushes: what they take of memory beside the body itself, and what a body may be."""

import tracemalloc

import orjson
import pytest

from service.api.pushed_body import check_body, documents_in
from service.errors import WrongLines
from snapshot import PushedDocuments

DOCUMENTS = 40_000


def records(count):
    return [{"id": f"d{number}", "tags": [f"tag{number % 50}", "é"], "title": "x" * 20} for number in range(count)]


LINES = b"\n".join(map(orjson.dumps, records(DOCUMENTS)))


@pytest.mark.parametrize("body", [LINES, orjson.dumps(records(DOCUMENTS))], ids=["lines", "array"])
def test_a_push_takes_little_more_memory_than_its_body(redis, body):
    """Documents that are all in memory take ten times as much."""
    pushed = PushedDocuments(redis, "pushed")
    check_body(body[:1000].rpartition(b"\n")[0] or body[: body.index(b"}") + 1] + b"]")
    tracemalloc.start()
    try:
        checked = check_body(body)
        assert pushed.put(documents_in(body)) == checked.total == DOCUMENTS
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(checked.first) == 1000
    assert pushed.count() == DOCUMENTS
    assert peak < 2.5 * len(body)


def test_both_readings_of_a_body_find_the_same():
    for body in (LINES[:2000].rpartition(b"\n")[0], orjson.dumps(records(30))):
        checked = check_body(body)
        assert list(documents_in(body)) == checked.first


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (b'[{"id": "a", "tags": []}', 1),
        (b'[{"id": "a", "tags": []} {"id": "b", "tags": []}]', 1),
        (b'[{"id": "a", "tags": []},\n]', 2),
        (b'[{"id": "a", "tags": []}]\nmore', 2),
        (b'[\n"\xff"]', 2),
        (b"[" * 100_000, 1),
        (b"[", 1),
    ],
)
def test_what_is_no_array_is_told_with_its_line(body, line):
    with pytest.raises(WrongLines) as told:
        check_body(body)
    assert str(told.value) == "the body is no JSON array"
    assert [number for number, _ in told.value.lines] == [line]


@pytest.mark.parametrize(
    "element", [b'{"id": "a", "tags": ["\\ud800"]}', b'{"id": "a", "tags": [], "fields": {"a": NaN}}']
)
def test_an_element_that_cannot_be_stored_is_a_fault(element):
    with pytest.raises(WrongLines, match="1 of 2 elements"):
        check_body(b'[{"id": "b", "tags": []}, ' + element + b"]")


def test_faults_are_counted_all_and_shown_in_part():
    with pytest.raises(WrongLines, match="5000 of 5000 lines are no documents") as told:
        check_body(b"{}\n" * 5000)
    assert len(told.value.lines) == 100
