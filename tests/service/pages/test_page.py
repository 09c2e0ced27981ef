"""The search page, and what all pages have in common."""

import html
import re
from dataclasses import replace
from datetime import timedelta
from urllib.parse import quote, quote_plus

import numpy as np
import pytest
from pydantic import ValidationError

from service.pages.frame.assets import STATIC
from service.pages.frame.colours import HUES, TONES, concept_hue
from service.pages.frame.frame import PAGES
from service.pages.frame.renderer import CONTROLS, without_controls
from service.questions.clouds.overview import overview
from service.settings import ServiceSettings
from snapshot import encode, normalise
from tests.clustered import BROAD, NOON, clustered, counts, published, snapshot_at
from tests.conftest import TOPICS
from tests.service.api.test_api import get


def headings(html):
    return [re.sub(r"<[^>]*>", "", heading) for heading in re.findall(r"<h2[^>]*>(.*?)</h2>", html)]


def test_the_first_view_shows_the_corpus_in_groups(client):
    html = client.get("/").text
    assert "A small corpus" in html
    assert "Search 200 documents, or start from one of these words." in html
    assert "%" not in re.sub(r"<[^>]*>", "", html)
    html = client.get("/?groups=4").text
    groups = get(client, "/v1/corpora/small/cloud?groups=4")["groups"]
    assert len(groups) == len(TOPICS)
    assert len(headings(html)) == len(TOPICS)
    for heading in headings(html):
        assert any(set(heading.split(", ")) <= set(tags) for tags in TOPICS.values())


def test_the_headings_of_the_first_view_open_their_groups(client):
    html = client.get("/?groups=4").text
    for heading in re.findall(r"<h2[^>]*><a href=\"([^\"]*)\">([^<]*)</a>", html):
        tags = [quote_plus(tag) for tag in heading[1].split(", ")]
        assert heading[0].startswith(f"/?corpus=small&amp;group={'&amp;group='.join(tags)}&amp;")
        assert heading[0].endswith("&amp;groups=4")


def test_the_first_view_shows_the_best_tags_of_each_group(client, view):
    answer = overview(view, 8, 4)
    assert [len(group["tags"]) for group in answer.groups] == [2, 2, 2, 2]
    assert answer.other.size == len(view.counts) - 8
    for group in answer.groups:
        assert group["key"] in {tag["tag"] for tag in group["tags"]}
        assert set(group["label"].split(", ")) <= {tag["tag"] for tag in group["tags"]}


def test_every_group_has_an_address_of_its_own_on_the_page(client):
    html = client.get("/?tag=payment&groups=4").text
    keys = [group["key"] for group in get(client, "/v1/corpora/small/cloud?tag=payment&groups=4&limit=80")["groups"]]
    assert re.findall(r'<section class="group[^"]*" id="([^"]*)"', html) == [f"group-{quote(key)}" for key in keys]


def test_a_broad_tag_is_marked_and_a_concept_has_one_colour(client, view):
    html = client.get("/?tag=payment").text
    marked = re.findall(r'<li class="w\d (hue\d+ tone\d)( broad)?"><a [^>]*>([^<]*)</a>', html)
    assert [tag for _, broad, tag in marked if broad] == [BROAD]
    assert marked
    for hue, _, tag in marked:
        assert hue == concept_hue(view.cluster_of[view.index[normalise(tag)]], view)


def test_every_tag_of_a_cloud_and_every_chosen_tag_leads_to_its_concept(client, view):
    html = client.get("/?tag=payment&tag=rain").text
    cloud = re.findall(
        r'<li class="w[^"]*"><a [^>]*>([^<]*)</a><small>.*?<a href="/concept\?corpus=small&amp;id=(\d+)"', html
    )
    chips = re.findall(
        r'<span><a href="/concept\?corpus=small&amp;id=(\d+)" title="Its concept: [^"]+">([^<]*)</a>', html
    )
    assert [tag for _, tag in chips] == ["payment", "rain"]
    assert len(cloud) == html.count('<li class="w') > 20
    for tag, concept in [*cloud, *((tag, concept) for concept, tag in chips)]:
        assert int(concept) == view.cluster_of[view.index[normalise(tag)]]


@pytest.mark.parametrize("address", ["/?tag=payment", "/explore", "/concept"])
def test_a_page_that_is_unchanged_keeps_its_content_security_policy(client, address):
    """A browser replaces the headers of the page that it kept by those of the 304."""
    first = client.get(address)
    again = client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert "default-src 'self'" in first.headers["Content-Security-Policy"]
    assert "Content-Security-Policy" not in again.headers


def test_the_style_sheet_has_every_hue_and_every_tone_in_light_and_dark():
    style = (STATIC / "style.css").read_text()
    assert [int(hue) for hue, _ in re.findall(r"\.hue(\d+) { --h: (\d+); }", style)] == list(range(HUES))
    for tone in range(TONES):
        assert len(re.findall(rf"--tone{tone}: ", style)) == 2
        assert f".tone{tone} {{ --tone: var(--tone{tone}); }}" in style


@pytest.mark.parametrize("sheet", ["style.css", "points.css", "document.css", "concept.css"])
def test_visitors_pages_have_one_scale_of_type(sheet):
    sizes = re.findall(r"font-size: ([^;]+);", (STATIC / sheet).read_text())
    assert [size for size in sizes if not size.startswith(("var(--t", "clamp(var(--t")) and "px" not in size] == []


@pytest.mark.parametrize("address", ["/", "/?tag=payment"])
def test_the_page_says_when_the_concepts_mean_little(client, store, live, address):
    assert "mean little" not in client.get(address).text
    later = NOON + timedelta(hours=1)
    store.publish(published(later, quality={"bits": 0.02, "random_bits": 0.01}))
    live.refresh()
    html = client.get(address).text
    assert re.search(r'<p class="notice">These concepts mean little[^<]* Try more documents', html)


def test_a_search_shows_what_was_understood_and_what_may_have_been_meant(client):
    html = client.get("/?q=paymnet+zzzz+cahs").text
    assert "“paymnet” was taken for <strong>payment</strong>" in html
    assert "“zzzz” is not a word we know." in html
    assert re.search(r"“cahs” is not a word we know. Did you mean <a[^>]*>cash</a>", html)


def test_the_best_tags_of_other_groups_come_with_their_reasons(client):
    aside = r'<aside class="related".*?</aside>'
    listed = r"<li[^>]*><a [^>]*>([^<]+)</a>[^\n]*\n\s*<span class=.because.>(.*?)</span>"
    groups = get(client, "/v1/corpora/small/cloud?tag=payment")["groups"]
    shown = dict(re.findall(listed, re.search(aside, client.get("/?tag=payment").text, re.DOTALL)[0]))
    others = [group for group in groups[1:] if not group["also"]]
    assert set(shown) == {group["tags"][0]["tag"] for group in others}
    assert len(others) > 1
    for group in others:
        assert shown[group["tags"][0]["tag"]] == f'in <a href="#group-{quote(group["key"])}">{group["label"]}</a>'
    two = client.get("/?tag=payment&tag=cash").text
    best = get(client, "/v1/corpora/small/cloud?tag=payment&tag=cash")["groups"][1]["tags"][0]["tag"]
    related = get(client, "/v1/corpora/small/related?tag=payment&tag=cash&limit=80")["related"]
    (first,) = (each for each in related if each["tag"] == best)
    reasons = ", ".join(reason["tag"] for reason in first["because"])
    assert f"through {reasons}" in two
    assert headings(client.get("/").text)[-1] != "Other directions"


def test_the_documents_of_each_chosen_tag_are_counted(client):
    html = client.get("/?tag=payment&tag=snow").text
    held = counts()
    assert f"{held['payment']} with payment</a> · " in html
    assert f"{held['snow']} with snow</a></p>" in html


def test_links_refine_and_remove_and_leave_out_what_is_usual(client):
    html = client.get("/?tag=payment").text
    assert 'href="/?corpus=small&amp;tag=payment&amp;tag=credit+card"' in html
    assert 'href="/?corpus=small" aria-label="Remove payment"' in html
    html = client.get("/?tag=payment&groups=3&specificity=0.8").text
    assert 'href="/?corpus=small&amp;tag=payment&amp;tag=cash&amp;groups=3&amp;specificity=0.8"' in html


def test_fewer_groups_join_concepts(client):
    assert len(headings(client.get("/?groups=1").text)) == 1


def test_words_that_are_no_tags_leave_a_usable_page(client):
    answer = client.get("/?q=paimen")
    assert answer.status_code == 200
    assert re.search(r"Nothing here is called .*paimen.*\.\s+Did you mean <a[^>]*>payment</a>\?", answer.text)
    assert all(heading in answer.text for heading in headings(client.get("/").text))


def test_one_unknown_tag_among_others_leaves_the_others(client):
    answer = client.get("/?tag=payment&tag=snowy")
    assert answer.status_code == 404
    assert 'value="payment"' in answer.text
    assert 'value="snowy"' not in answer.text
    assert 'href="/?corpus=small&amp;tag=payment&amp;tag=snow"' in answer.text


def test_what_people_type_is_never_markup(client):
    for path in ("/?q=<script>alert(1)</script>", "/?tag=<script>&corpus=<script>", "/?corpus=<script>alert(1)"):
        assert "<script>" not in client.get(path).text


def test_tags_are_never_markup(client, live, store):
    """In the cloud, among the related tags, in a title, and in addresses."""
    odd = '<b>"R&B"</b>'
    names = tuple(odd if name == "cash" else name for name in snapshot_at().names)
    store.publish(published(NOON + timedelta(hours=1), names=names, keys=tuple(map(normalise, names))))
    live.refresh()
    for path in ("/", "/?tag=payment", "/?tag=payment&tag=coin", f"/?tag={quote_plus(odd)}"):
        html = client.get(path).text
        assert "<b>" not in html
        assert ">&lt;b&gt;&#34;R&amp;B&#34;&lt;/b&gt;<" in html
    address = "/?corpus=small&amp;tag=payment&amp;tag=%3Cb%3E%22R%26B%22%3C%2Fb%3E"
    assert client.get("/?tag=payment").text.count(f'href="{address}"') >= 1


def test_a_tag_may_have_the_name_of_a_method(client, live, store):
    """Without documents no group has pictures, and templates look for what a dict lacks among its methods."""
    methods = [name for name in dir(dict) if not name.startswith("_")]
    leading = [group["key"] for group in get(client, "/v1/corpora/small/cloud?tag=payment")["groups"]]
    renamed = dict(zip(leading, methods, strict=False))
    names = tuple(renamed.get(name, name) for name in snapshot_at().names)
    version = snapshot_at(NOON + timedelta(hours=1), names=names, keys=tuple(map(normalise, names)))
    store.publish(encode(version, replace(clustered()[1], table=None)))
    live.refresh()
    page = client.get("/?tag=payment")
    assert page.status_code == 200
    assert any(f'id="group-{name}"' in page.text for name in renamed.values())


@pytest.mark.parametrize(
    "query",
    [
        *("groups=0", "groups=-3", "groups=many", "groups=9999"),
        *("specificity=nan", "specificity=2", "specificity=x"),
        *("tag=&q=", "q=" + "x" * 5000, "&".join(f"tag=t{number}" for number in range(50))),
    ],
)
def test_odd_parameters_never_break_the_page(client, query):
    assert client.get(f"/?{query}").status_code in {200, 404}


@pytest.mark.parametrize("path", ["/", "/?tag=payment", "/?corpus=nothing"])
def test_pages_need_nothing_from_elsewhere_and_run_no_inline_code(client, path):
    answer = client.get(path)
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    assert not re.search(r'(src|href)="https?://', answer.text)
    assert " style=" not in answer.text
    assert not re.search(r"<script(?![^>]* src=)", answer.text)
    assert not re.search(r"\son\w+=", answer.text)
    assert re.findall(r'"(/static/[^"]+)"', answer.text)
    for address in re.findall(r'"(/static/[^"]+)"', answer.text):
        assert client.get(address).status_code == 200


def test_every_page_is_linked_from_every_other_and_says_which_it_is(client):
    """In two menus: one for visitors, one for operators and builders; with the corpus, where a page is about one."""
    for here in PAGES.values():
        html = client.get(here.path).text
        menus = re.findall(r"<nav [^>]*aria-label[^>]*>(.*?)</nav>", html, re.DOTALL)[:2]
        for menu, visitors in zip(menus, (True, False), strict=True):
            linked = [page for page in PAGES.values() if page.in_navigation and page.for_visitors == visitors]
            assert re.findall(r">([^<>]+)</a>", menu) == [page.title for page in linked]
            assert re.findall(r'aria-current="page">(.*?)</a>', menu) == [page.title for page in linked if page == here]
            if here.about_corpus:
                links = [f"{page.path}?corpus=small" if page.about_corpus else page.path for page in linked]
                assert re.findall(r'href="([^"]+)"', menu) == links
    assert [page.title for page in PAGES.values() if page.in_navigation and page.for_visitors] == [
        "Search",
        "Map",
        "Concepts",
    ]


@pytest.mark.parametrize("address", ["/", "/?tag=payment", "/map", "/concept", "/concept?id=0", "/document?id=d1"])
def test_visitors_read_no_words_of_the_makers(client, address):
    """Outside what is folded away for operators and builders, and addresses."""
    html = client.get(address).text
    html = re.sub(r"<details class=\"(panel|switch builders)\">.*?</details>", "", html, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", " ", html.partition("<body>")[2]).replace("A small corpus", "")
    assert not re.search(r"snapshot|criterion|bits|corpus|cluster|of the cloud|\d %", text, re.IGNORECASE)


def test_only_the_chosen_pages_are_served(app_with):
    """Others are neither linked nor there."""
    client = app_with(public_pages="visitors").test_client()
    for page in PAGES.values():
        assert (client.get(page.path).status_code == 200) == page.for_visitors, page.name
    assert "For operators and builders" not in client.get("/").text
    some = app_with(public_pages="search,ops").test_client()
    assert some.get("/map").status_code == 404
    assert some.get("/ops").status_code == 200
    assert "/map" not in some.get("/").text
    assert app_with(public_pages="none").test_client().get("/").status_code == 404


def test_a_page_that_does_not_exist_is_no_setting():
    with pytest.raises(ValidationError, match="'serach' is no page: all, visitors, none, search"):
        ServiceSettings(public_pages="serach")


@pytest.mark.parametrize("path", ["/nowhere", "/static/nothing.css", "/map/x"])
def test_an_unknown_address_is_a_page_with_a_search_box(client, path):
    answer = client.get(path, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert "Nothing is here" in answer.text
    assert '<form id="search" action="/" method="get" role="search">' in answer.text
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
    for accept in ("application/json", "*/*", "application/json, text/html;q=0.5"):
        asked = client.get(path, headers={"Accept": accept})
        assert (asked.status_code, asked.mimetype) == (404, "application/problem+json")


def test_another_corpus_is_chosen_on_the_same_page(client, store, live):
    store.publish(published(corpus="topics", title="Another corpus"))
    live.refresh()
    for page in PAGES.values():
        switch = f'<a href="{page.path}?corpus=topics">Another corpus</a>'
        assert (switch in client.get(page.path).text) == page.about_corpus


def test_an_unknown_corpus_is_told_with_those_there_are(client):
    answer = client.get("/?corpus=nothing")
    assert answer.status_code == 404
    assert "There is no collection of this name here." in answer.text
    assert '<a href="/?corpus=small">A small corpus</a>' in answer.text


def test_a_tag_that_nothing_surrounds_is_told(client, live, store):
    """All relations are taken away: in the four topics every tag has some."""
    related = snapshot_at().related
    nothing = np.zeros(0, np.float32)
    none = replace(
        related,
        starts=np.zeros_like(related.starts),
        indices=related.indices[:0],
        alone=nothing,
        together=nothing,
        evidence=nothing,
    )
    store.publish(published(NOON + timedelta(hours=1), related=none))
    live.refresh()
    assert "There are no other words beside this one" in client.get("/?tag=snow").text
    assert "There are no other words beside these" in client.get("/?tag=snow&tag=cash").text


def test_static_files_are_kept_for_ever_under_their_digest_and_checked_otherwise(client):
    html = client.get("/").text
    address = re.search(r'"(/static/\w+/style.css)"', html)[1]
    versioned = client.get(address, headers={"Accept-Encoding": "br"})
    assert "immutable" in versioned.headers["Cache-Control"]
    assert versioned.headers["Content-Encoding"] == "br"
    assert client.get("/static/0123/style.css").headers["Cache-Control"] == "no-cache"
    plain = client.get("/static/style.css")
    assert plain.headers["Cache-Control"] == "no-cache"
    assert client.get("/static/style.css", headers={"If-None-Match": plain.headers["ETag"]}).status_code == 304
    assert client.get("/static/nothing.css").status_code == 404
    assert client.get("/static/..%2Fapp.py").status_code == 404


def test_scripts_import_only_what_is_there():
    for script in STATIC.glob("*.js"):
        for name in re.findall(r'from "([^"]+)"', script.read_text()):
            assert name.startswith("./"), script
            assert (STATIC / name).exists(), script


def test_the_first_view_is_small(client):
    """Everything a browser loads for the first view, as it travels: under 100 kB, with a wide margin."""

    def travels(path):
        return len(client.get(path, headers={"Accept-Encoding": "br"}).get_data())

    html = client.get("/").text
    addresses = {"/"} | set(re.findall(r'"(/static/[^"]+)"', html))
    assert sum(travels(address) for address in addresses) < 60_000


def test_control_characters_never_reach_the_page_raw(client):
    page = client.get("/", query_string={"q": "pay\x00\x07\x1b\x9fment"}).text
    assert not [letter for letter in page if ord(letter) < 32 and letter not in "\t\n\r"]
    assert not [letter for letter in page if 0x7F <= ord(letter) <= 0x9F]
    assert "\ufffd" in page


def test_of_all_characters_html_lacks_only_controls():
    """Looking at the bytes of a page finds the same as looking at its characters."""
    for letter in map(chr, [*range(0x100), 0x2028, 0xFFFD, 0x1F600]):
        expected = "\ufffd" if CONTROLS.match(letter) else letter
        assert without_controls(f"a{letter}b") == f"a{expected}b".encode()


def test_every_group_leads_to_its_concepts(client, view):
    page = client.get("/?q=payment").text
    linked = set(re.findall(r'href="/concept\?corpus=small&amp;id=(\d+)"', page))
    assert linked
    assert linked <= {str(cluster) for cluster in view.clusters}
    for cluster in linked:
        assert client.get(f"/concept?corpus=small&id={cluster}").status_code == 200


def test_a_heading_opens_its_group_and_a_trail_leads_back(client):
    """The address names the tags of the group; from there the query and the whole corpus are a step away."""
    page = client.get("/?corpus=small&tag=payment")
    address = html.unescape(re.search(r'<h2 id="heading1"><a href="([^"]*)"', page.text)[1])
    assert address.startswith("/?corpus=small&tag=payment&group=")
    opened = client.get(address)
    assert opened.status_code == 200
    assert 'class="quiet trail"' in opened.text
    assert 'href="/?corpus=small&amp;tag=payment"' in opened.text
    assert 'id="documents"' in opened.text
    first = client.get("/?corpus=small")
    address = html.unescape(re.search(r'<h2 id="heading1"><a href="([^"]*)"', first.text)[1])
    assert address.startswith("/?corpus=small&group=")
    assert client.get(address).status_code == 200
    assert client.get("/?corpus=small&group=nonsense").status_code == 200


MAKERS_WORDS = re.compile(
    r"snapshot|criterion|\bbits?\b|information lost|corpus|corpora|cluster|dendrogram|matrix|vocabulary|\d ?%",
    re.IGNORECASE,
)


def visible(page):
    """The words of a page that visitors read: not the markup, and not what is for operators and builders."""
    main = re.search(r"<main.*</main>", page, re.DOTALL)[0]
    main = re.sub(r"<details class=\"(?:panel|behind)\">.*?</details>", "", main, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", main))


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/?tag=payment&tag=rain",
        "/?q=xylofoon",
        "/map",
        "/concepts",
        "/concept",
        "/concept?id=1",
        "/document",
        "/nope",
    ],
)
def test_visitors_read_no_word_of_the_makers(carded, address):
    """Snapshots, criteria and percentages are for operators and builders."""
    page = carded.get(address, headers={"Accept": "text/html"}).text
    assert MAKERS_WORDS.findall(visible(page)) == []
