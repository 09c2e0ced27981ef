"""Which questions are quick is known before they are answered."""

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

import service.questions.text.close_spelling
from service.api.quick import is_quick
from service.api.routes.queries import questions
from service.errors import ServiceError
from service.questions.text.query import parse_query
from tests.clustered import TAGS

QUICK = {question.path.rpartition("/")[2]: question.quick for question in questions(None)}
"""What each question declares to be quick."""


def ask(view, address):
    path, _, query = address.partition("?")
    return is_quick(view, parse_qsl(query, keep_blank_values=True), QUICK[path])


def test_a_question_is_slow_unless_its_declaration_says_otherwise():
    declared = {path for path, quick in QUICK.items() if quick}
    assert declared == {"cloud", "related", "tags", "tag"}
    by_path = {question.path.rpartition("/")[2]: question for question in questions(None)}
    for path in declared:
        assert by_path[path].quick < set(by_path[path].query_model.model_fields), "some parameter of each is slow"


@pytest.mark.parametrize(
    "address",
    [
        "cloud",
        "cloud?tag=payment",
        "cloud?tag=Payment&tag=cash&limit=100&specificity=0.1&groups=100&by=clusters",
        "cloud?q=payments",
        "cloud?q=",
        "cloud?q=+",
        "related?q=Credit+Cards+snow&tag=rain",
        "related?tag=payment&limit=100",
        "related?limit=x",
        "tags",
        "tags?prefix=pay",
        "tags?limit=100&offset=10000000",
        "tag?tag=JAZZ&limit=99",
    ],
)
def test_quick_questions(view, address):
    assert ask(view, address)


@pytest.mark.parametrize(
    "address",
    [
        "cloud?tag=nothing",
        "cloud?tag=payment&tag=nothing",
        "cloud?tag=payment&limit=101",
        "cloud?limit=500",
        "cloud?q=paymnet",
        "cloud?q=payment+nothing",
        "cloud?q=---",
        "related?q=nothing&tag=payment",
        "tags?infix=a",
        "tags?prefix=p&infix=a",
        "tags?limit=1000",
        "tag?tag=nothing",
        "related?nonsense=1",
        "cloud?tag=payment&together=true",
        "cloud?tag=payment&exclude=cash",
    ],
)
def test_questions_that_may_be_slow(view, address):
    assert not ask(view, address)


some_words = st.sampled_from([*TAGS, "payments", "credit", "paymnet", "nothing", "-", "Á"])


@given(st.lists(some_words, max_size=3), st.lists(some_words, max_size=4).map(" ".join))
def test_a_quick_query_searches_no_similar_tags(view, tags, text):
    """Comparing a word with all tags is what takes long."""
    searched = []

    def note(search):
        return lambda *given, **more: searched.append(given) or search(*given, **more)

    pairs = [*(("tag", tag) for tag in tags), ("q", text)]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("extract", "extractOne"):
            patch.setattr(
                service.questions.text.close_spelling.process,
                name,
                note(getattr(service.questions.text.close_spelling.process, name)),
            )
        quick = is_quick(view, pairs, QUICK["cloud"])
        assert not searched
        try:
            parse_query(view, tags, text)
        except ServiceError:
            assert not quick
    assert not (quick and searched)
