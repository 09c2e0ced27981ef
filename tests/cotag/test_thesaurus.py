"""A thesaurus in SKOS as edits: what is matched, what is not, what contradicts, and the way there and back."""

from collections import Counter
from pathlib import Path

import pytest

from cotag.commands.curation.edits import run_edits_action
from cotag.commands.curation.thesaurus import read_thesaurus
from cotag.commands.export import export_skos
from cotag.errors import StartError
from service.view.view import View
from snapshot import SnapshotStore, encode, normalise
from snapshot.edits import Edit, EditState
from snapshot.store.edits import EditStore
from tests.clustered import NOON, TAGS, documents, published
from tests.conftest import write_jsonl
from worker.clustering.cluster import cluster, load_documents
from worker.clustering.stages import Stages
from worker.corpora.declaration import Corpus
from worker.corpora.edits import with_edits

HEAD = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
FILE = (
    HEAD
    + """
<urn:t:rain> a skos:Concept ; skos:prefLabel "rain"@en, "Regen"@de ; skos:altLabel "Rain", "drizzle"@en ;
    skos:broader <urn:t:weather> ; skos:definition "Water that falls." .
<urn:t:weather> a skos:Concept ; skos:prefLabel "weather" ; skos:narrower <urn:t:wind> .
<urn:t:wind> a skos:Concept ; skos:prefLabel "wind" ; skos:broader <urn:t:elsewhere> .
<urn:t:nameless> a skos:Concept .
"""
)


@pytest.fixture
def thesaurus(tmp_path):
    def write(text=FILE, name="vocabulary.ttl"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def act(redis, path, *, dry_run=False):
    run_edits_action(redis, "small", "import", (str(path),), dry_run=dry_run, as_json=False)


def test_labels_broader_terms_and_definitions_become_edits(thesaurus):
    """An other spelling needs no edit, a relation to a term outside the file makes none."""
    found = read_thesaurus(thesaurus())
    assert {edit.id for edit in found.edits} == {
        edit.id
        for edit in (
            Edit("translate", "rain", label="Regen", language="de"),
            Edit("synonym", "drizzle", "rain"),
            Edit("describe", "rain", text="Water that falls."),
            Edit("broader", "rain", "weather"),
            Edit("broader", "wind", "weather"),
        )
    }
    assert found.remarks == ["urn:t:nameless has no preferred label"]
    assert found.unmatched({"rain", "wind"}.__contains__) == ["weather"]


MORE = ["Storms", "fore-cast"]
"""A plural and a spelling of tags of the small corpus."""

FOUR_TOPICS = Path(__file__).parent / "thesauri" / "four_topics.ttl"


def test_a_thesaurus_of_two_hundred_terms_is_imported_with_a_word_about_those_that_are_no_tags(redis, capsys):
    """All 32 tags of the four topics are terms; the other 168 are named, the first twenty of them in full."""
    SnapshotStore(redis).publish(published())
    thesaurus = read_thesaurus(FOUR_TOPICS)
    kinds = Counter(edit.kind for edit in thesaurus.edits)
    assert (len(thesaurus.terms), kinds["broader"], thesaurus.remarks) == (200, 196, [])
    topics = {normalise(tag) for tag in TAGS} - {"version-control"}
    assert topics <= {normalise(term) for term in thesaurus.terms}
    act(redis, FOUR_TOPICS)
    shown = capsys.readouterr()
    assert f"200 terms, {len(topics)} of them tags of small" in shown.err
    assert "no tags of the served version: " in shown.err
    assert f"and {200 - len(topics) - 20} more" in shown.err
    assert f"{len(thesaurus.edits)} of {len(thesaurus.edits)} edits are new" in shown.out
    view = View(SnapshotStore(redis).load("small", SnapshotStore(redis).current("small")))
    view = view.with_edits(EditStore(redis).read("small"))
    rain, weather = view.names.tag("rain"), view.names.tag("weather")
    assert weather is None  # an edit about a tag that is not there waits for it
    assert view.relations.descriptions[rain] == "Water that falls in drops."
    assert view.relations.labels[rain] == {"de": "Regen"}
    act(redis, FOUR_TOPICS)
    assert f"0 of {len(thesaurus.edits)} edits are new" in capsys.readouterr().out


def test_what_contradicts_editors_is_named_and_nothing_is_imported(redis, capsys):
    """Another description, another tag of a synonym, and a circle: all three are named, in a dry run, too."""
    SnapshotStore(redis).publish(published())
    own = [
        Edit("describe", "rain", text="Wet."),
        Edit("synonym", "rainfall", "snow"),
        Edit("broader", "weather", "drizzle"),
    ]
    EditStore(redis).change("small", 0, add=own)
    for dry_run in (True, False):
        with pytest.raises(StartError, match="3 contradictions; nothing was changed") as refused:
            act(redis, FOUR_TOPICS, dry_run=dry_run)
        for said in ("two descriptions", "be two tags", "round in a circle: 'weather'"):
            assert said in str(refused.value)
    assert EditStore(redis).read("small").stored == tuple(own)


def test_an_export_imported_into_an_empty_corpus_gives_the_same_edits(redis, tmp_path):
    SnapshotStore(redis).publish(published())
    edits = [
        Edit("broader", "rain", "forecast"),
        Edit("broader", "rain", "wind"),
        Edit("implies", "storm", "wind"),
        Edit("describe", "rain", text='Two lines\nand "quotes".'),
        Edit("translate", "rain", label="Regen", language="de"),
    ]
    EditStore(redis).change("small", 0, add=edits)
    for name in ("out.ttl", "out.jsonld"):
        export_skos(redis, "small", tmp_path / name, version=None, base="", as_json=False)
        run_edits_action(redis, name, "import", (str(tmp_path / name),), dry_run=False, as_json=True)
        assert {edit.id for edit in EditStore(redis).read(name).stored} == {edit.id for edit in edits}


def test_synonyms_go_there_and_back_and_what_a_run_folded_makes_no_edit(redis, tmp_path):
    """Other labels are synonyms that an editor decided, and spellings and plurals that the run folded by its rule."""
    synonyms = [Edit("synonym", "downpour", "rain"), Edit("synonym", "Électronique", "rain")]
    variants = [
        {**document, "tags": [*document["tags"], *MORE]} for document in documents() if "storm" in document["tags"]
    ]
    path = write_jsonl(tmp_path / "small.jsonl", [*documents(), *variants])
    corpus = Corpus(name="small", source=path.name, path=path, variants="plurals")
    stages = Stages(lambda *_: None)
    corpus = with_edits(corpus, EditState(1, tuple(synonyms)))
    tagged, notes = load_documents(corpus, stages)
    SnapshotStore(redis).publish(encode(*cluster(corpus, tagged, NOON, stages, notes=notes)))
    EditStore(redis).change("small", 0, add=synonyms)
    for name in ("out.ttl", "out.jsonld"):
        export_skos(redis, "small", tmp_path / name, version=None, base="", as_json=False)
        for shown in ("downpour", "Électronique", *MORE):
            assert shown in (tmp_path / name).read_text()
        run_edits_action(redis, name, "import", (str(tmp_path / name),), dry_run=False, as_json=True)
        assert {edit.id for edit in EditStore(redis).read(name).stored} == {edit.id for edit in synonyms}


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("a.ttl", "<a> <b", "not turtle"),
        ("a.ttl", HEAD, "no skos:Concept"),
        ("a.jsonld", "{", "not JSON"),
        ("a.jsonld", '{"@context": "https://elsewhere.example/context"}', "another address"),
        ("a.rdf", "<a>", "not xml"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(thesaurus, name, text, fault):
    with pytest.raises(StartError, match=fault):
        read_thesaurus(thesaurus(text, name))
