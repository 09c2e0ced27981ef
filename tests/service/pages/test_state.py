"""The state of a page, all of it in the address."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from service.pages.concept.params import ConceptParams
from service.pages.curate import CurateParams
from service.pages.explore.explore import ExploreParams
from service.pages.search.params import SearchParams
from service.questions.clouds.defaults import USUAL_GROUPS

some_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: text.strip() == text
)
search_params = st.builds(
    SearchParams,
    corpus=some_text,
    q=some_text | st.just(""),
    tags=st.lists(some_text, max_size=20, unique=True).map(tuple),
    groups=st.integers(1, 24),
    specificity=st.integers(0, 100).map(lambda hundredths: hundredths / 100),
)
explore_params = st.builds(
    ExploreParams,
    corpus=some_text,
    leaves=st.integers(2, 60),
    cut=st.integers(0, 10_000_000),
    opened=st.lists(st.integers(0, 10**9), max_size=30, unique=True).map(tuple),
)
concept_params = st.builds(ConceptParams, corpus=some_text, id=st.none() | st.integers(0, 10**9))

curate_params = st.builds(
    CurateParams,
    corpus=some_text,
    kind=some_text | st.just(""),
    offset=st.integers(0, 1000),
    id=st.none() | st.integers(0, 10**9),
)


def read(kind, query):
    return kind.read(MultiDict(parse_qsl(query, keep_blank_values=True)), "usual")


@given(search_params | explore_params | concept_params | curate_params)
def test_an_address_describes_the_state_it_was_made_of(state):
    address = urlsplit(state.link())
    assert address.path == state.PATH
    assert read(type(state), address.query) == state


@pytest.mark.parametrize("kind", [SearchParams, ExploreParams, ConceptParams, CurateParams])
def test_what_is_as_usual_is_left_out_of_links(kind):
    assert kind("demo").link() == f"{kind.PATH}?corpus=demo"
    assert read(kind, "") == kind("usual")


@pytest.mark.parametrize(
    ("kind", "query", "field", "value"),
    [
        (SearchParams, "groups=0", "groups", 1),
        (SearchParams, "groups=99", "groups", 24),
        (SearchParams, "groups=many", "groups", USUAL_GROUPS),
        (SearchParams, "specificity=0.123", "specificity", 0.12),
        (SearchParams, "specificity=1.01", "specificity", 0.5),
        (SearchParams, "specificity=nan", "specificity", 0.5),
        (SearchParams, "q=" + "x" * 600, "q", "x" * 500),
        (SearchParams, "tag=a&tag=+&tag=b&tag=a", "tags", ("a", "b")),
        (SearchParams, "&".join(f"tag={number}" for number in range(30)), "tags", tuple(map(str, range(20)))),
        (ExploreParams, "leaves=1", "leaves", 2),
        (ExploreParams, "leaves=61", "leaves", 60),
        (ExploreParams, "cut=-1", "cut", 0),
        (ExploreParams, "open=7&open=x&open=-1&open=7&open=2", "opened", (7, 2)),
        (ExploreParams, "open=" + "9" * 5000, "opened", ()),
        (ConceptParams, "id=x", "id", None),
        (ConceptParams, "id=-1", "id", None),
        (ConceptParams, "id=" + "9" * 5000, "id", None),
        (ExploreParams, "&".join(f"open={number}" for number in range(40)), "opened", tuple(range(30))),
    ],
)
def test_what_makes_no_sense_is_as_usual_and_numbers_stay_in_their_range(kind, query, field, value):
    assert getattr(read(kind, query), field) == value


@given(search_params, some_text)
def test_an_address_that_adds_a_tag_is_that_of_the_state_with_the_tag(state, tag):
    assert state.adding(tag) == state.link(tags=tuple(dict.fromkeys((*state.tags, tag))))


def test_links_add_and_drop_one_tag_or_branch():
    state = SearchParams("demo", tags=("a", "b"), groups=3)
    assert state.adding("c") == "/?corpus=demo&tag=a&tag=b&tag=c&groups=3"
    assert state.adding("a") == state.link()
    assert state.dropping("a") == "/?corpus=demo&tag=b&groups=3"
    tree = ExploreParams("demo", opened=(5,))
    assert tree.opening(7) == "/explore?corpus=demo&open=5&open=7"
    assert tree.closing(5) == "/explore?corpus=demo"
