"""Proposals over HTTP and on the command line: with all evidence, page by page, and as lines for a corpora file."""

import json
import tomllib
from datetime import timedelta

import pytest
from click.testing import CliRunner

from cotag.cli import cli
from cotag.commands.curation.proposals import toml_lines
from service.pages.curate import CurateParams, anchor, curate
from service.questions.edits import proposals as module
from service.questions.edits.proposals import proposals
from service.view.view import View
from snapshot import PROPOSAL_KINDS, Proposal, encode, normalise, undecided
from snapshot.edits import EditState, parse_edit
from snapshot.store.edits import EditStore
from tests.clustered import NOON, clustered, published, snapshot_at
from tests.corpora import read_corpora
from tests.service.api.test_api import get, problem

FOUND = (
    Proposal("variant", "payment", "paymnet", 60, 9, 1, 0.82, ("cash", "coin"), ("d0", "d4")),
    Proposal("nested", "music", "music/jazz", 50, 7, 2, 0.4, ("band",), ("d0", "d4", "d8")),
    Proposal("co-occurring", "rain", "snow", 50, 40, 38, 0.9, ("wind",), ("d1", "d5")),
    Proposal("substitute", "guitar", "piano", 50, 40, 0, 0.7, (), ("d2", "d6"), 0.824, ("tune", "concert")),
    Proposal("rare", "bread", 'br"ead', 50, 3, 0, 0.3, ("cheese",), ("d3",)),
    Proposal("head-word", "coin", "gold coin", 50, 9, 4, 0.4, ("cash",), ("d0", "d4")),
    Proposal("implied", "weather", "drizzle", 90, 20, 18, 0.4, ("cloud",), ("d0", "d4", "d8")),
    Proposal("broad", "version-control", "", 40, 0, 0, 0.95, ("rain",), ("d0", "d5")),
    Proposal("staged", "storm", "stromy", 50, 1, 0, 0.0, ("wind",), ("d1",), choices=("storm", "rain")),
)


@pytest.fixture
def proposing(live, store, client):
    """A client of a service whose next version has proposals."""
    store.publish(encode(snapshot_at(NOON + timedelta(hours=1), proposals=FOUND), clustered()[1]))
    live.refresh()
    return client


def test_a_run_stores_its_proposals():
    """The small corpus has one tag that all topics use, and no two spellings of any."""
    assert [(each.kind, each.tag) for each in clustered()[0].proposals] == [("broad", "version-control")]


def test_a_proposal_has_all_its_evidence(proposing):
    answer = get(proposing, "/v1/corpora/small/proposals?kind=variant")
    (proposal,) = answer["proposals"]
    assert {name: value for name, value in proposal.items() if name != "documents"} == {
        "kind": "variant",
        "tag": "payment",
        "other": "paymnet",
        "count": 60,
        "other_count": 9,
        "together": 1,
        "changes": 9,
        "similarity": 0.82,
        "shared": ["cash", "coin"],
        "text_similarity": None,
        "words": [],
        "sentence": None,
        "choices": [],
    }
    one, second = proposal["documents"]
    assert (one["id"], second["id"]) == ("d0", "d4")
    assert sorted(one["tags"]) == sorted(get(proposing, "/v1/corpora/small/document?id=d0")["document"]["tags"])


def test_a_proposal_says_how_many_documents_would_change(proposing, monkeypatch):
    monkeypatch.setattr(module, "HIDDEN_KINDS", frozenset())
    found = get(proposing, "/v1/corpora/small/proposals")["proposals"]
    assert {each["kind"]: each["changes"] for each in found} == {
        "variant": 9,
        "nested": 5,
        "co-occurring": 40,
        "substitute": 40,
        "rare": 3,
        "head-word": 5,
        "implied": 2,
        "broad": 40,
        "staged": 1,
    }


def test_texts_are_evidence_in_one_sentence(proposing):
    (proposal,) = get(proposing, "/v1/corpora/small/proposals?kind=substitute")["proposals"]
    assert (proposal["text_similarity"], proposal["words"]) == (0.824, ["tune", "concert"])
    assert proposal["sentence"] == "The texts of both are 82 % alike: tune, concert"
    assert f"{proposal['sentence']}." in proposing.get("/curate?corpus=small&kind=substitute").text


def test_a_broad_tag_has_no_other(proposing):
    (proposal,) = get(proposing, "/v1/corpora/small/proposals?kind=broad")["proposals"]
    assert (proposal["tag"], proposal["other"], proposal["other_count"]) == ("version-control", None, None)
    assert proposal["together"] is None


def test_all_kinds_are_counted_and_listed_page_by_page(proposing, monkeypatch):
    monkeypatch.setattr(module, "HIDDEN_KINDS", frozenset())
    whole = get(proposing, "/v1/corpora/small/proposals")
    assert [(each["kind"], each["total"]) for each in whole["kinds"]] == [(kind, 1) for kind in PROPOSAL_KINDS]
    assert (whole["total"], len(whole["proposals"])) == (9, 9)
    assert get(proposing, "/v1/corpora/small/proposals?limit=2&offset=1")["proposals"] == whole["proposals"][1:3]


def test_a_hidden_kind_is_answered_only_when_it_is_asked_for(proposing, monkeypatch):
    monkeypatch.setattr(module, "HIDDEN_KINDS", frozenset({"substitute"}))
    whole = get(proposing, "/v1/corpora/small/proposals")
    assert {each["kind"] for each in whole["proposals"]} == set(PROPOSAL_KINDS) - {"substitute"}
    assert [each["kind"] for each in whole["kinds"] if each["hidden"]] == ["substitute"]
    assert get(proposing, "/v1/corpora/small/proposals?kind=substitute")["total"] == 1


def test_an_unknown_kind_is_refused_with_those_that_there_are(proposing):
    answer = problem(proposing, "/v1/corpora/small/proposals?kind=spelling", 422)
    assert all(kind in answer["detail"] for kind in PROPOSAL_KINDS)


def test_a_version_without_proposals_has_none():
    assert proposals(View(snapshot_at(proposals=())), None, limit=10, offset=0).total == 0


def test_without_documents_a_sample_is_an_id():
    """A view without documents: the corpus leaves them out, or they are not loaded yet."""
    (proposal,) = proposals(View(snapshot_at(proposals=FOUND)), "rare", limit=10, offset=0).proposals
    assert proposal["documents"] == [{"id": "d3", "title": None, "url": None, "tags": []}]


@pytest.mark.parametrize(
    ("edit", "gone"),
    [
        ({"kind": "synonym", "tag": "Paymnet", "to": "payment"}, {"variant"}),
        ({"kind": "distinct", "tags": ["paymnet", "Payment"]}, {"variant"}),
        ({"kind": "apart", "tags": ["payment", "paymnet"]}, {"variant"}),
        ({"kind": "later", "tags": ["paymnet", "payment"]}, {"variant"}),
        ({"kind": "synonym", "tag": "rain", "to": "storm"}, {"co-occurring"}),
        ({"kind": "ban", "tag": "piano"}, {"substitute"}),
        ({"kind": "ban", "tag": "version-control"}, {"broad"}),
        ({"kind": "keep", "tag": "version-control"}, {"broad"}),
        ({"kind": "later", "tags": ["version-control"]}, {"broad"}),
        ({"kind": "broader", "tag": "gold coin", "to": "coin"}, {"head-word"}),
        ({"kind": "distinct", "tags": ["gold coin", "coin"]}, {"head-word"}),
        ({"kind": "admit", "tag": "Stromy"}, {"staged"}),
        ({"kind": "ban", "tag": "stromy"}, {"staged"}),
        ({"kind": "broader", "tag": "music/jazz", "to": "music"}, {"nested"}),
        ({"kind": "implies", "tag": "drizzle", "to": "weather"}, {"implied"}),
        ({"kind": "distinct", "tags": ["drizzle", "weather"]}, {"implied"}),
        ({"kind": "keep", "tag": "payment"}, set()),
        ({"kind": "later", "tags": ["payment", "cash"]}, set()),
        ({"kind": "move", "tag": "payment", "to": "rain"}, set()),
    ],
)
def test_what_an_editor_decided_is_not_proposed(edit, gone):
    left = undecided(FOUND, [parse_edit(edit)])
    assert {each.kind for each in left} == set(PROPOSAL_KINDS) - gone


def test_lines_for_the_corpora_file_can_be_pasted(tmp_path):
    twice = Proposal("rare", "oven", "paymnet", 50, 3, 0, 0.3, (), ())
    lines = toml_lines(snapshot_at(), [*FOUND, twice])
    file = tmp_path / "corpora.toml"
    file.write_text('[corpora.small]\nsource = "x.jsonl"\n' + "\n".join(lines))
    corpus = read_corpora(file)["small"]
    assert corpus.synonyms == {"paymnet": "payment", "snow": "rain", "piano": "guitar", 'br"ead': "bread"}
    assert corpus.broader == {"gold coin": "coin", "music/jazz": "music"}
    assert corpus.implies == {"drizzle": "weather"}
    assert corpus.ban == ["version-control"]
    evidence = "# variant: 9 and 60 documents, 1 with both, similarity 0.82"
    assert f'synonyms."paymnet" = "payment"  {evidence}' in lines


def test_the_command_prints_a_table_json_or_toml(redis, redis_url, environment, store):
    environment.setenv("COTAG_REDIS_URL", redis_url)
    store.publish(published(proposals=FOUND))

    def run(*options):
        result = CliRunner().invoke(cli, ["proposals", "small", *options], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    assert "paymnet" in run()
    assert [each["kind"] for each in json.loads(run("--json", "--kind", "rare"))["proposals"]] == ["rare"]
    assert tomllib.loads(run("--toml", "--kind", "variant")) == {"synonyms": {"paymnet": "payment"}}
    assert run("--kind", "broad", "--toml").count("version-control") == 1


def test_a_corpus_without_a_snapshot_is_said(redis, redis_url, environment):
    environment.setenv("COTAG_REDIS_URL", redis_url)
    result = CliRunner().invoke(cli, ["proposals", "none"])
    assert "none has no snapshot" in str(result.exception)


def test_the_operators_page_counts_what_editors_may_decide(proposing, monkeypatch):
    monkeypatch.setattr(module, "HIDDEN_KINDS", frozenset({"rare"}))
    html = proposing.get("/ops").text
    assert "1 variant, 1 nested, 1 co-occurring, 1 substitute, 1 head-word, 1 implied, 1 broad, 1 staged" in html


def test_the_editors_page_shows_proposals_and_the_tags_of_a_concept(proposing):
    html = proposing.get("/curate?corpus=small&kind=variant").text
    assert html.count('class="proposal"') == 1
    assert 'data-tag="payment" data-other="paymnet"' in html
    assert "9 documents and 60 documents, 1 with both; company 82 % alike; near both: cash, coin." in html
    number = get(proposing, "/v1/corpora/small/tag?tag=rain")["cluster"]
    html = proposing.get(f"/curate?corpus=small&id={number}").text
    members = get(proposing, f"/v1/corpora/small/clusters/{number}")["tags"]
    assert [f'data-menu="{member["tag"]}"' in html for member in members] == [True] * len(members)
    assert html.count('data-anchor="') == 1 + len(get(proposing, "/v1/corpora/small/clusters")["clusters"])


def test_a_concept_is_named_by_a_tag_that_is_neither_broad_nor_moved_there(view):
    concept = view.cluster_of[view.index["rain"]]
    common = [view.snapshot.names[tag] for tag in view.members[concept] if not view.broad[tag]]
    assert anchor(view, concept) == common[0]
    home = view.cluster_of[view.index["version-control"]]
    assert anchor(view, home) != "version-control"
    other = next(name for name in ("payment", "guitar", "bread") if view.cluster_of[view.index[name]] != concept)
    moved = view.with_edits(EditState(1, (parse_edit({"kind": "move", "tag": common[0], "to": other}),)))
    target = moved.cluster_of[moved.index[normalise(other)]]
    assert view.index[common[0]] in moved.members[target]
    assert anchor(moved, target) != common[0]


def test_a_long_sample_document_shows_the_tags_of_its_proposal(view):
    page = curate(view, CurateParams("small"))
    proposal = {"tag": "payment", "other": "paymnet"}
    tags = [*(f"tag {number}" for number in range(30)), "paymnet"]
    shown = page.sampled(proposal, {"id": "d", "title": None, "url": None, "tags": tags})
    assert shown == ["paymnet", *tags[: page.SAMPLED - 1]]


def test_the_editors_page_takes_an_unknown_kind_and_concept_for_none(proposing):
    known = proposing.get("/curate?corpus=small")
    odd = proposing.get("/curate?corpus=small&kind=nonsense&id=999&offset=7")
    assert known.status_code == odd.status_code == 200
    assert "There is nothing to decide here" in odd.text


def test_the_command_leaves_out_what_was_decided(redis, redis_url, environment, store):
    environment.setenv("COTAG_REDIS_URL", redis_url)
    store.publish(published(proposals=FOUND))
    EditStore(redis).change("small", 0, add=[parse_edit({"kind": "distinct", "tags": ["payment", "paymnet"]})])
    result = CliRunner().invoke(cli, ["proposals", "small", "--json"], catch_exceptions=False)
    assert [each["kind"] for each in json.loads(result.output)["proposals"]] == [
        "nested",
        "rare",
        "head-word",
        "staged",
    ]


def test_a_new_tag_that_waits_has_its_own_buttons_and_lines(proposing):
    html = proposing.get("/curate?corpus=small&kind=staged").text
    assert "<q>stromy</q>" in html
    assert "It waits: 1 document has it, 50 documents the other; beside it: wind." in html
    assert all(f'data-decide="{decision}"' in html for decision in ("admit", "same", "ban"))
    assert [f'data-to="{choice}"' in html for choice in ("storm", "rain")] == [True, True]
    (line,) = (line for line in toml_lines(snapshot_at(), FOUND) if "stromy" in line)
    assert line == '  "stromy",  # new: 1 documents, like storm'
