"""Recognition of files and databases: what it declares reads the documents, and what it cannot tell it asks."""

import gzip
import json
import sqlite3

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.corpora import read_corpora
from tests.own_tables import DOCUMENTS, TABLES, rows
from worker.clustering.cluster import load_documents
from worker.clustering.stages import Stages
from worker.errors import CorpusError
from worker.recognition import Section, Wishes, corpora_file, corpus_name, recognise, refuse_equal_names, section_corpus
from worker.sources.formats.streams.lines import zstd
from worker.sources.sql import quote_names

SILENT = Stages(lambda *_: None)


def recognised(path, **wishes):
    name, title = corpus_name(str(path))
    return Section(name, title, recognise(str(path), name, Wishes(**wishes)), min_count=1)


def put(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def tags_of(section):
    """The tags of each document, by id, as the declaration reads them."""
    tagged, counts = load_documents(section_corpus(section), SILENT)
    assert counts["bad_lines"] == 0
    lists = tagged.matrix.tolil().rows
    return {name: {tagged.keys[tag] for tag in tags} for name, tags in zip(tagged.ids, lists, strict=True)}


@pytest.mark.parametrize("table", TABLES)
def test_each_of_the_seven_tables_is_read_as_its_owner_means_it(tmp_path, table):
    write, options = TABLES[table]
    wishes = {"query": options[1]} if options else {}
    section = recognised(write(tmp_path), **wishes)
    documents = tags_of(section)
    spelled = {frozenset(tag.lower().replace(" ", "-") for tag in tags) for _, tags in rows()}
    assert len(documents) == DOCUMENTS
    assert {frozenset(tag.replace(" ", "-") for tag in tags) for tags in documents.values()} == spelled


@pytest.mark.parametrize("table", TABLES)
def test_the_corpora_file_that_is_written_reads_the_same(tmp_path, table):
    write, options = TABLES[table]
    section = recognised(write(tmp_path), **({"query": options[1]} if options else {}))
    file = tmp_path / "corpora.toml"
    file.write_text(corpora_file([section], tmp_path, "for a test"))
    corpus = read_corpora(file)[section.name]
    assert (
        load_documents(corpus, SILENT)[0].fingerprint == load_documents(section_corpus(section), SILENT)[0].fingerprint
    )
    assert (corpus.min_count, corpus.watch) == (1, True)


def test_the_corpora_file_of_documents_with_dates_reads_the_same(tmp_path):
    """What is an object in the declaration is an inline table in the file."""
    line = '{{"id": "{0}", "tags": ["a", "b"], "created at": "2026-11-{0}"}}\n'
    section = recognised(put(tmp_path, "".join(map(line.format, range(10, 20))), "dated.jsonl"))
    assert section.recognised.source["fields"] == {"date": "created at"}
    file = tmp_path / "corpora.toml"
    file.write_text(corpora_file([section], tmp_path, "for a test"))
    assert read_corpora(file)["dated"].source.fields == {"date": "created at"}


ONE = {"1": {"a", "b"}, "2": {"b"}}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("ID,TAGS\n1,a;b\n2,b\n", "t.csv"),
        ("id,Tags\n1,a|b\n2,b\n", "t.csv"),
        ("id,tags\n1,|a|b|\n2,|b|\n", "t.csv"),
        ('id,tags\n1,"[""a"", ""b""]"\n2,"[""b""]"\n', "t.csv"),
        ("id,tags\n1,\"['a', 'b']\"\n2,['b']\n", "t.csv"),
        ("id,tags\n1,<a><b>\n2,<b>\n", "t.csv"),
        ("id,tags\n1,#a #b\n2,#b\n", "t.csv"),
        ("id\ttags\n1\ta, b\n2\tb\n", "t.tsv"),
        ("id\ttags\n1\ta, b\n2\tb\n", "t.txt"),
        ("id|tags\n1|a,b\n2|b\n", "t.csv"),
        ("\ufeffid;Keywords\r\n1;a, b\r\n2;b\r\n", "t.csv"),
        ("sep=;\r\nid;tags\r\n1;a,b\r\n2;b\r\n", "t.csv"),
        ("\n\nid,tags\n\n1,a;b\n2,b\n", "t.csv"),
        ("id;tags;;\n1;a|b;;\n2;b;;\n", "t.csv"),
        ('id,text,tags\n1,"x\ny, ""z""",a;b\n2,,b\n', "t.csv"),
        ("post_id,post_tags,tag_count\n1,a;b,2\n2,b,1\n", "t.csv"),
        ("id,keywords,tags\n1,x;y,a;b\n2,x,b\n", "t.csv"),
        ("doc,Tag\n1,a\n1,b\n2,b\n", "t.CSV"),
        ("id,doc,tag\n7,1,a\n8,1,b\n9,2,b\n", "t.csv"),
        ('{"id": 1, "categories": ["a", "b"]}\n{"id": 2, "categories": ["b"]}\n', "t.ndjson"),
        ('{"id": 1, "labels": "a, b"}\n{"id": 2, "labels": "b"}\n', "t.json"),
        ('[{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["b"]}]', "t.json"),
        ('[{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["b"]}]', "data"),
        ('{"id": 1, "tag": "a"}\n{"id": 1, "tag": "b"}\n{"id": 2, "tag": "b"}\n', "t.jsonl"),
    ],
)
def test_names_separators_and_layouts_are_recognised(tmp_path, content, name):
    assert tags_of(recognised(put(tmp_path, content, name))) == ONE


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstd.compress)])
def test_compressed_files_are_recognised(tmp_path, suffix, compress):
    assert tags_of(recognised(put(tmp_path, compress(b"id,tags\n1,a;b\n2,b\n"), f"t.csv{suffix}"))) == ONE
    array = json.dumps([{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["b"]}]).encode()
    assert tags_of(recognised(put(tmp_path, compress(array), f"t.json{suffix}"))) == ONE


@pytest.mark.parametrize("tags", [[["a", "b"], ["b"]], ["a;b", "b"]])
def test_parquet_is_recognised_with_lists_or_text(tmp_path, tags):
    pq.write_table(pa.table({"Id": [1, 2], "Tags": tags, "title": ["x", "y"]}), tmp_path / "t.parquet")
    assert tags_of(recognised(tmp_path / "t.parquet")) == ONE


def test_without_an_id_documents_are_known_by_their_line(tmp_path):
    assert tags_of(recognised(put(tmp_path, "tags\na;b\nb\n"))) == {"table.csv:2": {"a", "b"}, "table.csv:3": {"b"}}


def test_the_only_table_with_tags_of_a_database_is_found(tmp_path):
    with sqlite3.connect(tmp_path / "d.db") as connection:
        connection.executescript(
            "create table user (id, name); create table post (id, title, tags);"
            "insert into post values (1, 'x', 'a;b'), (2, 'y', 'b')"
        )
    connection.close()
    assert tags_of(recognised(tmp_path / "d.db")) == ONE
    assert tags_of(recognised(f"sqlite:///{tmp_path}/d.db", query="select title, id, tags from post;")) == ONE


@pytest.mark.parametrize(
    ("content", "wishes"),
    [
        ("a,b\n1,a;b\n2,b\n", {"tags": "B", "id": "a"}),
        ("id,tags\n1,a b\n2,b\n", {"separator": " "}),
        ("id,text\n1,I like #a and #b\n2,#b!\n", {"tags": "text", "pattern": r"#(\w+)"}),
        ("1,a;b\n2,b\n", {"tags": "2"}),
        ("1,a;b\n2,b;b\n", {"tags": "2"}),
        ("x,1,a\nx,1,b\nx,2,b\n", {"tags": "3", "id": "2"}),
        ("user,id,tag\n1,1,a\n1,1,b\n1,2,b\n", {}),
        ('id,tags\n1,"a,b"\n1,"a,b"\n2,b\n', {"layout": "list"}),
    ],
)
def test_options_overrule_what_is_recognised(tmp_path, content, wishes):
    assert tags_of(recognised(put(tmp_path, content), **wishes)) == ONE


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "keywords,labels\na;b,c\n",
            "keywords and labels are equally likely to hold the tags; choose: --tags keywords or",
        ),
        (
            "bookId,movieId,tag\n1,1,a\n1,1,b\n",
            "bookId and movieId are equally likely to be the id; choose: --id bookId",
        ),
        (
            'id,tags\n1,"a;b,c"\n',
            r"; and , are equally likely to separate the tags; choose:\n  --separator ';': a \+ b,c\n  --separator ','",
        ),
        (
            'id,tags\n1,"a,b"\n1,"c,d"\n',
            r"choose:\n  --layout pairs: 1: a,b · 1: c,d\n  --layout list: 1: a \+ b · 1: c \+ d",
        ),
        ("id,Zutaten\n1,a;b\n", r"no column is called tags \(id, Zutaten\); say which one: perhaps --tags Zutaten"),
        (
            "id,tags\n1,big data\n2,web\n",
            "each row has one tag, such as 'big data', and no id repeats.*--separator ' '",
        ),
        ("id,tags\n", "has column titles but no rows"),
        ("Export,,\n,,\nid,name,tags\n1,x,a;b\n", "row 3 seems to have the titles; delete the rows above it"),
        ("id,tags,tags\n1,a;b,c\n", "two columns are called tags; rename one of them"),
        ("id,tags\r1,a;b\r", "is no table: new-line character"),
        ("id,tags\n1,\n", "tags is empty in the first 1 rows"),
        ("", "is empty"),
        ('<?xml version="1.0"?>\n<posts/>', "has no rows"),
        (b"\x1f\x8brest", "is compressed with gzip; let its name end in .gz"),
    ],
)
def test_what_cannot_be_told_is_asked_with_the_option_that_answers(tmp_path, content, message):
    with pytest.raises(CorpusError, match=message):
        recognised(put(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{\n "items": [{"a": ["a"]}]\n}', "its lists are at items; name one: --records PLACE --tags FIELD"),
        ('[{"tags": ["a"]', "after element 1 of the array comes|element 1 is not JSON"),
        ("[1, 2]", "holds no JSON objects"),
        ('[{"tags": [{"size": 1}]}]', "an object among the tags has no name"),
    ],
)
def test_json_that_is_no_list_of_documents_is_refused_with_a_hint(tmp_path, content, message):
    with pytest.raises(CorpusError, match=message):
        recognised(put(tmp_path, content, "t.json"))


def test_an_option_that_names_no_column_lists_them(tmp_path):
    with pytest.raises(CorpusError, match="--tags topic: there is no such column or field; there are id, tags"):
        recognised(put(tmp_path, "id,tags\n1,a;b\n"), tags="topic")


def test_titles_and_addresses_are_recognised_if_they_can_be_shown(tmp_path):
    text = "id,Name,link,Image,tags\n1,One,https://a.example/1,/relative.png,a;b\n"
    section = recognised(put(tmp_path, text))
    assert {key: section.recognised.source.get(key) for key in ("title", "url", "image")} == {
        "title": "Name",
        "url": "link",
        "image": None,
    }
    relative = recognised(put(tmp_path, "id,url,tags\n1,/one,a;b\n2,/two,b\n"))
    assert relative.recognised.source["url"] is False
    assert "url is not used: the url '/one' is relative" in relative.recognised.description
    assert tags_of(relative) == ONE


def test_names_of_corpora_follow_the_files_and_equal_ones_are_refused():
    assert corpus_name("/x/My Récipes 2024.csv.gz") == ("my-recipes-2024", "My Récipes 2024")
    assert corpus_name("postgresql://me:secret@host/shop?x=1")[0] == "shop"
    with pytest.raises(CorpusError, match="gives no name"):
        corpus_name("料理.csv")
    with pytest.raises(CorpusError, match=r"a/x\.csv and b/x\.json would both be called x"):
        refuse_equal_names(["a/x.csv", "b/x.json"])


def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    path = put(tmp_path, "id,tags\n1,a;b\n")

    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", denied)
    with pytest.raises(CorpusError, match=r"table\.csv: Permission denied"):
        recognised(path)


def test_names_are_quoted_as_the_database_does():
    assert quote_names("sqlite://", ['odd "name"'], "one") == ['"odd ""name"""']


def test_no_message_shows_the_password_of_a_database():
    with pytest.raises(CorpusError) as refused:
        recognised("postgresql+nothing://me:hunter2@host/shop")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(("separator", "cells"), [("/", "list"), ("::", "list"), ("/", "text"), ("/", "hashtags")])
def test_tags_that_are_paths_are_recognised_and_declared(tmp_path, separator, cells):
    """In whatever form the tags are; the corpora file says so, and reads the same."""
    tags = [f"{top}{separator}{name}{number}" for top in ("animals", "plants") for name in "abc" for number in range(3)]
    lists = [[tags[number % 18], tags[(5 * number + 1) % 18], "plain"] for number in range(60)]
    if cells == "list":
        lines = [json.dumps({"id": f"d{number}", "tags": own}) for number, own in enumerate(lists)]
        path = put(tmp_path, "\n".join(lines), "notes.jsonl")
    else:
        write = {"text": ";".join, "hashtags": lambda own: " ".join(f"#{tag}" for tag in own)}[cells]
        path = put(tmp_path, "id,tags\n" + "\n".join(f"d{n},{write(own)}" for n, own in enumerate(lists)), "notes.csv")
    section = recognised(path)
    assert "tags are paths" in section.recognised.description
    assert section_corpus(section).nested == separator
    file = tmp_path / "corpora.toml"
    file.write_text(corpora_file([section], tmp_path, "test"))
    assert read_corpora(file)["notes"].nested == separator


@pytest.mark.parametrize(
    "tags",
    [
        [f"plain{number}" for number in range(20)],
        [f"{number}/{number}" for number in range(20)],  # nothing has a parent in common
        [f"https://a.example/{number}" for number in range(20)],
        ["a/b", "a/c", "a/d"],  # too few to tell
        [*(f"a/{number}" for number in range(9)), *(f"plain{number}" for number in range(11))],
    ],
)
def test_other_tags_are_no_paths(tmp_path, tags):
    lines = [json.dumps({"id": f"d{number}", "tags": [tag, tags[0]]}) for number, tag in enumerate(tags)]
    assert recognised(put(tmp_path, "\n".join(lines), "notes.jsonl")).recognised.nested is None
