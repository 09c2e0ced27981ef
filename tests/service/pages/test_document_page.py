"""Documents on the pages: under the cloud, for each group, on concept pages, and on a page of their own."""

import re
from html import unescape
from urllib.parse import quote, quote_plus

from service.questions.clouds.group_documents import documents_by_group
from service.view.document_store import MissingDocuments, left_out_of
from service.view.view import View
from tests.service.carded import ODD_ID, RARE, having


def html(carded, address, status=200):
    answer = carded.get(address)
    assert answer.status_code == status
    return answer.get_data(as_text=True)


def titles(page):
    return re.findall(r"<h3><a href=\"[^\"]*\">([^<]*)</a></h3>", page)


def test_a_query_shows_its_documents_and_their_number(carded):
    """The page counts the documents with all tags, marks the query's tags, and leads to the pages of documents."""
    page = html(carded, "/?tag=payment&tag=cash")
    number = len(having("payment", "cash"))
    assert f"{number} documents with payment and cash" in page
    assert "<mark>payment</mark>" in page
    assert 'href="https://site.example/' not in page
    assert 'src="https://site.example/' in page
    assert re.search(r'<h3><a href="/document\?corpus=carded&amp;id=', page)
    assert page.index('id="documents"') < page.index('class="groups"')


def test_near_documents_stand_apart_from_those_with_all_tags(carded):
    """Documents that lack a tag follow below a line that says so; those with some of the tags come first."""
    page = html(carded, "/?tag=payment&tag=rain")
    complete = len(having("payment", "rain"))
    before, _, after = page.partition("With some of these words")
    assert len(titles(before)) == complete
    assert len(titles(after)) == 12 - complete
    assert after.count("<mark>") >= 12 - complete
    one = html(carded, f"/?tag={quote_plus(RARE)}")
    assert "With some of these words" not in one
    assert len(titles(one.partition("Close to it")[0])) == len(having(RARE))


def test_documents_can_be_filtered_by_their_concepts(carded):
    """Each concept says how many of the documents it has; choosing one shows these, choosing it again shows all."""
    page = html(carded, "/?tag=payment")
    filters = re.findall(r'<a href="([^"]*concept=\d+[^"]*)">([^<]*) <small>(\d+)</small></a>', page)
    assert len(filters) > 1
    address, label, count = filters[0]
    only = html(carded, unescape(address))
    assert f"{count} document{'s' if int(count) > 1 else ''} with payment" in only
    chosen = re.search(r'<a href="([^"]*)" aria-current="true">([^<]*)<', only.partition('class="filters"')[2])
    assert chosen[2] == label
    assert "concept=" not in chosen[1]
    assert "concept=" not in html(carded, "/?tag=payment&concept=99").partition("</ul>")[0]


def test_results_appear_before_a_word_is_finished(carded):
    """The last word stands for the commonest tag that begins with it, and stays in the box."""
    page = html(carded, "/?q=paym&typing=1")
    assert '<h1 tabindex="-1">payment</h1>' in page
    assert 'value="paym"' in page
    assert 'class="chips"' not in page
    assert "Nothing here is called" in html(carded, "/?q=paym")
    both = html(carded, "/?q=payment+ca&typing=1")
    assert '<h1 tabindex="-1">payment and ' in both


def test_pages_of_documents_follow_each_other(carded):
    """`offset` goes through the documents; the next page begins where this one ends."""
    first, second = html(carded, "/?tag=payment"), html(carded, "/?tag=payment&offset=12")
    assert len(titles(first)) == len(titles(second)) == 12
    assert not set(titles(first)) & set(titles(second))
    assert "offset=12#documents" in first
    assert "Previous documents" in second


def test_choosing_a_tag_starts_at_the_first_documents_again(carded):
    """Links to other queries do not carry the offset along."""
    page = html(carded, "/?tag=payment&offset=12")
    adding = re.findall(r'href="(/\?corpus=carded&amp;tag=payment&amp;tag=[^"]*)"', page)
    assert adding
    assert not any("offset" in address for address in adding)


def test_a_document_page_shows_it_and_those_like_it(carded):
    """Tags lead to clouds, rare ones too, and there are documents like it."""
    page = html(carded, "/document?id=d7")
    assert re.search(rf'<li class="rare" title="Few documents have it"><a href="/[^"]*">{RARE}</a>', page)
    assert "Tags it may be missing" in page
    out = r'<a class="button" href="https://site.example/[^"]*" rel="noreferrer">Open it at site.example'
    assert re.search(out, html(carded, "/document?id=d2"))
    assert len(titles(page)) == 12


def test_odd_ids_have_pages(carded):
    """An id with a slash, a space and an ampersand is quoted in addresses and escaped in HTML."""
    page = html(carded, f"/document?id={quote(ODD_ID, safe='')}")
    assert "Number 8" in page
    assert f"/document?corpus=carded&amp;id={quote_plus(ODD_ID)}" in html(carded, "/document")


def test_an_unknown_document_lists_close_ids_and_all_documents(carded):
    """A wrong id is a 404 page that stays usable."""
    page = html(carded, "/document?id=d10o", 404)
    assert "There is no document &#39;d10o&#39; in carded." in page
    assert ">d10</a>" in page
    assert len(titles(page)) == 48


def test_groups_show_documents_of_the_query_first(carded):
    """Of the pictures of a group, those with the query's tags come first, and each group has some."""
    page = html(carded, "/?tag=payment")
    strips = re.findall(r'<ul class="strip".*?</ul>', page)
    assert strips
    assert all(1 <= strip.count("<img") <= 6 for strip in strips)


def test_a_corpus_without_documents_says_nothing_or_says_why(carded, monkeypatch):
    """Documents that a corpus leaves out are not missed; documents that cannot be read now are explained."""
    monkeypatch.setattr(View, "documents", property(lambda _: (_ for _ in ()).throw(missing.error)))
    monkeypatch.setattr(View, "document_state", property(lambda _: missing, lambda *_: None), raising=False)
    missing = left_out_of("carded")
    assert "documents-title" not in html(carded, "/?tag=rain")
    assert "declared with documents = false" in html(carded, "/document", 409)
    missing = MissingDocuments("the disk is full")
    assert "the disk is full" in html(carded, "/?tag=snow")
    assert "The disk is full" in html(carded, "/document?id=d1", 503)


def test_concepts_show_the_documents_that_stand_for_them(carded):
    """The page of a concept counts its documents and shows some of them."""
    number = carded.get("/v1/corpora/carded/document?id=d1").json["document"]["cluster"]
    page = html(carded, f"/concept?id={number}")
    assert re.search(r"\d+ tags, \d+ documents</p>", page)
    assert len(titles(page)) == 6


def test_no_pictures_are_looked_for_where_no_document_has_a_card(client, monkeypatch):
    """With half a million documents, that would take most of the time of a page."""
    monkeypatch.setattr("service.pages.search.results.documents_by_group", None)
    page = client.get("/?tag=payment").text
    assert 'id="documents"' in page
    assert 'class="strip"' not in page


def test_no_groups_have_no_documents():
    """A cloud without groups asks for nothing."""
    assert documents_by_group(None, None, None, [], 6) == []
