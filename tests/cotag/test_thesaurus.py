"""A thesaurus in SKOS as edits: what is matched, what is not, what contradicts, and the way there and back."""

import pytest

from cotag.commands.curation.edits import run_edits_action
from cotag.commands.curation.thesaurus import read_thesaurus
from cotag.commands.export import export_skos
from cotag.errors import StartError
from snapshot import SnapshotStore
from snapshot.edits import Edit
from snapshot.store.edits import EditStore
from tests.clustered import TAGS, published

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


def test_two_hundred_terms_are_imported_with_a_word_about_those_that_are_no_tags(redis, thesaurus, capsys):
    """Terms of the corpus and others, a top term, one circle: first refused whole, then imported whole."""
    SnapshotStore(redis).publish(published())
    names = [*TAGS, *(f"term {number}" for number in range(200 - len(TAGS)))]
    lines = [f'<urn:t:{n}> a skos:Concept ; skos:prefLabel "{name}" .' for n, name in enumerate(names)]
    lines += [f"<urn:t:{n}> skos:broader <urn:t:0> ." for n in range(1, 200)]
    circle = thesaurus(HEAD + "\n".join([*lines, "<urn:t:0> skos:broader <urn:t:7> ."]))
    with pytest.raises(StartError, match="round in a circle"):
        act(redis, circle)
    assert EditStore(redis).read("small").revision == 0
    act(redis, thesaurus(HEAD + "\n".join(lines)))
    shown = capsys.readouterr()
    assert f"200 terms, {len(TAGS)} of them tags of small" in shown.err
    assert "no tags of the served version: term " in shown.err
    assert "199 of 199 edits are new" in shown.out


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
