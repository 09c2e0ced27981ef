import re

import pytest


def test_the_first_view_shows_the_corpus_in_groups(client):
    html = client.get("/").text
    assert "A small corpus" in html
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", html) == ["payment, cash", "Rain, snow", "Broad tags"]


def test_a_search_shows_what_was_understood(client):
    html = client.get("/?q=paymnet+zzzz").text
    assert "“paymnet” was taken for <strong>payment</strong>" in html
    assert "Not a tag here: zzzz" in html


def test_links_refine_and_remove(client):
    html = client.get("/?tag=payment").text
    assert 'href="/?corpus=small&amp;tag=payment&amp;tag=credit+card&amp;groups=8"' in html
    assert 'href="/?corpus=small&amp;groups=8" title="Remove payment"' in html


def test_words_that_are_no_tags_leave_a_usable_page(client):
    answer = client.get("/?q=paiement")
    assert answer.status_code == 404
    assert "Did you mean" in answer.text
    assert "payment, cash" in answer.text


def test_what_people_type_is_never_markup(client):
    for answer in (client.get("/?q=<script>alert(1)</script>"), client.get("/?tag=<script>&corpus=<script>")):
        assert "<script" not in answer.text


@pytest.mark.parametrize("query", ["groups=0", "groups=-3", "groups=many", "groups=9999", "tag=&q=", "q=" + "x" * 5000])
def test_odd_parameters_never_break_the_page(client, query):
    assert client.get(f"/?{query}").status_code in {200, 404}


def test_the_page_needs_nothing_from_elsewhere_and_runs_no_inline_code(client):
    answer = client.get("/")
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert not re.search(r'(src|href)="https?://', answer.text)
    assert " style=" not in answer.text
    for path in re.findall(r'"(/static/[^"]+)"', answer.text):
        with client.get(path) as static:
            assert static.status_code == 200


def test_an_unknown_corpus_is_told(client):
    answer = client.get("/?corpus=nothing")
    assert answer.status_code == 404
    assert "there is no corpus" in answer.text
