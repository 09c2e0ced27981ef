"""Exports as people have them are read with one command, completely; bad files are refused with one line."""

import zipfile

import pytest

from bench.worker.exports import measure, summary
from tests.corpora import read_corpora
from tests.exports.catalogue import EXPORTS
from tests.exports.documents import docs
from tests.exports.tables import table_text, write_xlsx
from worker.corpora.reader import read_documents
from worker.errors import CorpusError
from worker.recognition import Section, Wishes, corpora_file, recognise, section_corpus
from worker.sources.document import Tally


@pytest.mark.parametrize("name", EXPORTS)
def test_everything_that_an_export_holds_is_found(tmp_path, name):
    export = EXPORTS[name](tmp_path)
    found = measure(str(export.target), dict(export.options))
    complete, counts = summary(found, export.holds, [doc.tags for doc in docs()])
    print(f"{name}: {counts}")
    assert complete, found if isinstance(found, str) else counts


@pytest.mark.parametrize("name", EXPORTS)
def test_the_corpora_file_of_an_export_declares_what_was_recognised(tmp_path, name):
    """`cotag up` and `cotag init` write it, and read it again."""
    export = EXPORTS[name](tmp_path)
    target = str(export.target)
    section = Section("one", "One", recognise(target, "one", Wishes(**export.options)), 1)
    file = tmp_path / "corpora.toml"
    file.write_text(corpora_file([section], tmp_path, "for a test"))
    read, meant = (each.document_source.model_dump() for each in (read_corpora(file)["one"], section_corpus(section)))
    assert {**read, "files": ""} == {**meant, "files": ""}, "files may be named relative to the corpora file"


def test_what_is_not_used_is_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,tags,price,empty\n1,a;b,3,\n2,b,4,\n")
    assert recognise(str(path), "t", Wishes()).description.endswith("; columns not used: price")


def test_an_assumed_encoding_is_said(tmp_path):
    assert (
        "windows-1252 (assumed)"
        in recognise(str(EXPORTS["CSV in Windows-1252"](tmp_path).target), "t", Wishes()).description
    )


def test_equal_readings_are_shown_with_three_values_each(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,keywords,labels\n1,a;b,u\n2,b,v\n3,c,w\n4,d,x\n")
    with pytest.raises(CorpusError, match=r"--tags keywords: a;b · b · c\n  --tags labels: u · v · w$"):
        recognise(str(path), "t", Wishes())


@pytest.mark.parametrize("bad", ["javascript:alert(1)", "http://[broken", "/relative.png"])
def test_a_bad_address_is_dropped_and_counted_and_its_document_stays(tmp_path, bad):
    path = tmp_path / "t.csv"
    path.write_text(
        table_text(
            ["id", "title", "image", "tags"],
            [[1, "One", bad, "a;b"], [2, "Two", "https://a.example/2", "b;c"], [3, "T", "https://a.example/3", "b;c"]],
        )
    )
    corpus, tally = section_corpus(Section("t", "t", recognise(str(path), "t", Wishes()), 1)), Tally()
    cards = [document.card for document in read_documents(corpus, tally)]
    assert [(card.title, card.image) for card in cards] == [
        ("One", None),
        ("Two", "https://a.example/2"),
        ("T", "https://a.example/3"),
    ]
    assert (tally.bad, tally.dropped) == (0, 1)


def refused(path):
    with pytest.raises(CorpusError) as error:
        recognise(str(path), "t", Wishes())
    assert "\n" not in str(error.value)
    return str(error.value)


def test_entities_are_not_read(tmp_path):
    path = tmp_path / "bomb.xml"
    path.write_text('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><rss><channel><item>&x;</item></channel></rss>')
    assert "declares entities or refers to other files" in refused(path)


def test_broken_xml_is_refused_with_its_place(tmp_path):
    path = tmp_path / "feed.rss"
    path.write_text("<rss><channel><item><title>x</item></channel></rss>")
    assert "line 1, column" in refused(path)


def test_archives_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("worker.sources.formats.streams.archives.ALWAYS_ALLOWED", 2**20)
    monkeypatch.setattr("worker.sources.formats.streams.archives.MOST_TIMES", 10)
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("t.csv", "tags\n" + "a;b\n" * 2**20)
    section = Section("t", "t", recognise(str(bomb), "t", Wishes()), 1)
    with pytest.raises(CorpusError, match="unpacks to more than"):
        list(read_documents(section_corpus(section), Tally()))
    book = write_xlsx(tmp_path / "bomb.xlsx", [["id", "tags"], [1, "a" * 2**26]])
    assert "unpacks to more than" in refused(book)


def test_an_archive_of_several_tables_names_them(tmp_path):
    path = tmp_path / "several.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.csv", "id,tags")
        file.writestr("b.csv", "id,tags")
    assert "holds 2 files (a.csv, b.csv); unpack it and name one of them" in refused(path)


def test_mixed_encodings_are_refused_with_their_lines(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("id,tags\n1,Käse;b\n".encode() + "2,Käse;b\n".encode("cp1252"))
    assert "line 2 is UTF-8 but line 3 is not" in refused(path)
