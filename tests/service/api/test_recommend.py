"""Documents for a history: relevant, spread over its concepts, with reasons; dislikes count, and nothing is kept."""

import pytest

from tests.conftest import TOPICS
from tests.service.api.test_checks import ask
from tests.service.api.test_suggest import client
from tests.service.written import documents

__all__ = ["client"]
RECOMMEND = "/v1/corpora/written/recommend"
TAGS_OF = {document["id"]: document["tags"] for document in documents()}
TOPIC_OF = {tag: topic for topic, tags in TOPICS.items() for tag in tags}


def recommended(client, **history):
    return ask(client, RECOMMEND, history).get_json()


def ids(answer):
    return [each["document"]["id"] for each in answer["documents"]]


def topics(names):
    return [TOPIC_OF[TAGS_OF[name][0]] for name in names]


def of_topic(topic, number):
    return [name for name, tags in TAGS_OF.items() if TOPIC_OF[tags[0]] == topic][:number]


def test_documents_of_the_history_bring_documents_like_them_with_reasons(client):
    liked = of_topic("weather", 3)
    answer = recommended(client, liked=liked)
    assert set(topics(ids(answer))) == {"weather"}
    assert not set(ids(answer)) & set(liked)
    first = answer["documents"][0]
    assert {each["name"] for each in first["because"]} <= set(liked)
    assert first["sentence"].startswith("because of About weather")
    assert answer["divergence"] < 0.7
    assert sum(each["share"] for each in answer["concepts"]) == pytest.approx(1.0, abs=0.01)


def test_diversity_gives_a_small_interest_its_share(client):
    """Nine liked of one topic and three of another: calibrated, the smaller interest has a quarter."""
    liked = [*of_topic("weather", 9), *of_topic("music", 3)]
    spread = recommended(client, liked=liked, diversity=1, limit=20)
    plain = recommended(client, liked=liked, diversity=0, limit=20)
    assert topics(ids(spread)).count("music") in range(4, 7)
    assert set(topics(ids(spread))) == {"weather", "music"}
    assert spread["divergence"] < plain["divergence"]
    scores = [each["document"]["score"] for each in plain["documents"]]
    assert scores == sorted(scores, reverse=True)


def test_dislikes_hold_documents_back(client):
    liked = [*of_topic("weather", 4), *of_topic("music", 4)]
    disliked = of_topic("music", 40)[4:]
    answer = recommended(client, liked=liked, disliked=disliked, limit=20)
    assert not set(ids(answer)) & set(disliked)
    answer = recommended(client, liked=liked, disliked_tags=["rain", "guitar"], limit=40)
    assert ids(answer)
    assert not any({"rain", "guitar"} & set(TAGS_OF[name]) for name in ids(answer))


def test_what_was_seen_comes_back_only_if_asked_for_and_counts_less(client):
    seen, liked = of_topic("weather", 2), of_topic("music", 2)
    without = recommended(client, seen=seen, liked=liked, limit=100)
    assert not {*seen, *liked} & set(ids(without))
    shares = {topics(of_topic(each, 1))[0]: 0.0 for each in ("weather", "music")}
    for each in without["documents"]:
        for reason in each["because"]:
            shares[TOPIC_OF[TAGS_OF[reason["name"]][0]]] += reason["share"]
    assert shares["music"] > shares["weather"] > 0
    again = recommended(client, seen=seen, liked=liked, limit=100, exclude_seen=False)
    assert {*seen, *liked} & set(ids(again))


def test_a_tag_is_a_history_too_and_the_unknown_is_named(client):
    answer = recommended(client, tags=["piano", "zebra"], liked=["nobody"])
    assert answer["unknown"] == ["nobody", "zebra"]
    assert set(topics(ids(answer))) == {"music"}
    assert answer["documents"][0]["sentence"] == "because of piano"
    nothing = recommended(client, tags=["zebra"])
    assert (nothing["documents"], nothing["divergence"], nothing["concepts"]) == ([], None, [])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "not an object"),
        ({}, "history is empty"),
        ({"liked": ["a"], "loved": []}, "unknown field loved"),
        ({"liked": "a"}, "liked: not a list"),
        ({"liked": [3]}, "liked: one is not a text"),
        ({"liked": ["a"] * 1001}, "at most 1000"),
        ({"liked": ["a"], "diversity": 1.5}, "diversity"),
        ({"liked": ["a"], "diversity": True}, "diversity"),
        ({"liked": ["a"], "limit": 101}, "limit"),
        ({"liked": ["a"], "exclude_seen": 1}, "exclude_seen"),
    ],
)
def test_a_wrong_body_is_refused_with_what_is_wrong(client, body, message):
    assert message in ask(client, RECOMMEND, body, status=422).get_json()["detail"]
