"""The registry of formats: what is in it can be declared and is read, and nothing else is."""

import gzip
from pathlib import Path

import pytest

from tests.corpora import read_corpora
from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.errors import CorpusError
from worker.sources.formats.format import FileFormat
from worker.sources.formats.registry import FORMATS, format_of
from worker.sources.formats.streams.lines import lines


def colon_documents(path, name, fields, tally):
    """`id: tag tag`, one document a line."""
    for number, line in lines(path, tally):
        tally.lines += 1
        identity, colon, tags = line.decode().partition(":")
        if colon:
            yield fields.parser.parse(identity, tags.split(), None)
        else:
            tally.pass_over(f"{name} line {number}", "no colon")


@pytest.fixture
def colon(monkeypatch):
    """A format of its own, added in one line."""
    monkeypatch.setitem(FORMATS, "colon", FileFormat("Colons", (".colon", ".cln"), own_reader=colon_documents))


def declared(folder, source):
    file = folder / "corpora.toml"
    file.write_text(f"[corpora.one]\nbad_lines = 0.5\nsource = {source}\n")
    return read_corpora(file)["one"]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("d.colon", "'d.colon'"),
        ("d.cln.gz", "'d.cln.gz'"),
        ("d.colon", "{ files = '*.colon' }"),
        ("d.txt", "{ files = 'd.txt', format = 'colon' }"),
    ],
)
def test_a_format_that_is_added_to_the_registry_is_recognised_and_read(tmp_path, colon, name, source):
    content = b"a: x y\noops\nb: y\n"
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    tagged, counts = load_documents(declared(tmp_path, source), Stages(lambda *_: None))
    assert (tagged.ids, tagged.keys) == (("a", "b"), ("x", "y"))
    assert counts["bad_lines"] == 1


def test_an_unknown_format_is_refused_with_the_known_ones(tmp_path, colon):
    (tmp_path / "d.yaml").touch()
    known = ", ".join(FORMATS)
    assert known.startswith("jsonl, json, csv, tsv, ")
    assert known.endswith(", colon")
    with pytest.raises(CorpusError, match=f"unknown format 'yaml'; the formats are {known}$"):
        declared(tmp_path, "{ files = 'd.yaml', format = 'yaml' }")
    with pytest.raises(CorpusError, match=f"declare format: {known}$"):
        declared(tmp_path, "{ files = 'd.yaml' }")


def test_only_a_format_with_a_header_can_do_without(tmp_path, colon):
    (tmp_path / "d.colon").touch()
    with pytest.raises(CorpusError, match="header belongs to csv, tsv"):
        declared(tmp_path, "{ files = 'd.colon', header = false }")


def test_no_suffix_belongs_to_two_formats():
    suffixes = [suffix for each in FORMATS.values() for suffix in each.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(format_of(f"name{suffix}.zst") == kind for kind in FORMATS for suffix in FORMATS[kind].suffixes)
    assert format_of("name.zst") is None


def test_every_format_and_suffix_is_documented():
    text = (Path(__file__).parents[3] / "docs" / "reference" / "corpora-sources.md").read_text()
    (row,) = (line for line in text.splitlines() if line.startswith("| `format` |"))
    for kind, each in FORMATS.items():
        assert f'`"{kind}"`' in row
        assert all(f"`{suffix}`" in row for suffix in each.suffixes if suffix != f".{kind}")
