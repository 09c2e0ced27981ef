"""Cards from every source: declared like other fields, refused with their line, free for those who have none."""

import csv
import io
import json
import sqlite3

import pytest

from snapshot import Card, PushedDocument, PushedDocuments
from tests.corpora import read_corpora
from tests.worker.gathering import gather
from tests.worker.writing import corpus_of
from worker.corpora.declaration import Corpus
from worker.corpora.reader import read_documents
from worker.errors import CorpusError
from worker.sources.blocks import in_blocks
from worker.sources.document import Document, Tally
from worker.vocabulary.tag_corpus import Entries, read_entries

ROWS = [
    {"id": "a", "tags": "x|y", "title": "A thing", "url": "a.html", "image": "https://i.org/a.png", "year": "1999"},
    {"id": "b", "tags": "y", "title": "", "url": "", "image": "", "year": ""},
]
CARD = Card("A thing", "https://example.org/a.html", "https://i.org/a.png", {"year": "1999"})
SOURCE = {"separator": "|", "fields": ["year"], "base_url": "https://example.org/"}


def read(corpus, redis=None):
    tally = Tally()
    return list(read_documents(corpus, tally, redis)), tally


def write(path, rows, header=True):
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path
    out = io.StringIO(newline="")
    table = csv.DictWriter(out, list(rows[0]), delimiter="," if path.suffix == ".csv" else "\t")
    if header:
        table.writeheader()
    table.writerows(rows)
    path.write_text(out.getvalue())
    return path


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv"])
def test_files_have_cards(tmp_path, kind):
    corpus = corpus_of(write(tmp_path / f"d.{kind}", ROWS), **SOURCE)
    assert read(corpus)[0] == [Document("a", ("x", "y"), card=CARD), Document("b", ("y",))]


def test_columns_may_have_other_names_and_numbers(tmp_path):
    renamed = [{"id": "a", "tags": "x", "name": "T", "link": "/l", "picture": "/p", "jahr": "7"}]
    places = {"title": "name", "url": "link", "image": "picture", "fields": {"year": "jahr"}, "base_url": "/"}
    expected = [Document("a", ("x",), card=Card("T", "/l", "/p", {"year": "7"}))]
    for kind in ("jsonl", "csv"):
        assert read(corpus_of(write(tmp_path / f"d.{kind}", renamed), separator="|", **places))[0] == expected
    numbers = {"title": 3, "url": 4, "image": 5, "fields": {"year": 6}, "base_url": "/", "header": False}
    path = write(tmp_path / "numbered.csv", renamed, header=False)
    assert read(corpus_of(path, separator="|", **numbers))[0] == expected
    bare = corpus_of(path, separator="|", header=False)
    assert read(bare)[0] == [Document("a", ("x",))]


def test_a_column_that_is_declared_must_exist(tmp_path):
    path = write(tmp_path / "d.csv", ROWS)
    with pytest.raises(CorpusError, match='no column "picture" in the header'):
        read(corpus_of(path, image="picture"))
    with pytest.raises(CorpusError, match='no column "author" in the header'):
        read(corpus_of(path, fields=["author"]))
    short = write(tmp_path / "short.csv", ROWS[:1], header=False)
    _, tally = read(corpus_of(short, header=False, title=9))
    assert tally.faults == ["short.csv line 1: 6 columns, but column 9 is declared"]


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_wrong_url_is_dropped_and_counted(tmp_path, kind):
    rows = [dict(ROWS[0], url=url) for url in ("https://example.org/", "javascript:alert(1)", "a.html")]
    found, tally = read(corpus_of(write(tmp_path / f"d.{kind}", rows), separator="|"))
    assert [document.card.url for document in found] == ["https://example.org/", None, None]
    assert (tally.bad, tally.dropped) == (0, 2)
    assert tally.dropped_example == "the url 'javascript:alert(1)' is neither http nor https"


def test_a_corpus_without_documents_reads_no_cards(tmp_path):
    path = write(tmp_path / "d.jsonl", [{"id": "a", "tags": ["x"], "url": "javascript:"}])
    assert read(corpus_of(path))[1].dropped == 1
    left_out = corpus_of(path).model_copy(update={"documents": False})
    found, tally = read(left_out)
    assert (found, tally.bad) == ([Document("a", ("x",))], 0)


def sql_corpus(path, query, **source):
    return Corpus(name="one", source={"sql": f"sqlite:///{path}", "query": query, **source})


def test_columns_of_a_query_have_cards_by_name(tmp_path):
    path = tmp_path / "d.db"
    with sqlite3.connect(path) as database:
        database.execute("create table d (id, tag, kind, title, link, year)")
        database.execute(
            "insert into d values ('a', 'x', 'k', 'A thing', 'a.html', 1999), ('a', 'y', 'k', null, null, null)"
        )
    source = {"url": "link", "fields": ["year"], "base_url": "https://example.org/"}
    card = Card("A thing", "https://example.org/a.html", None, {"year": 1999})
    expected = [Document("a", ("x",), "k", card), Document("a", ("y",), "k")]
    assert read(sql_corpus(path, "select id, tag, kind, title, link, year from d", **source))[0] == expected
    reordered = sql_corpus(path, "select id, tag, title, year, kind, link from d", label="kind", **source)
    assert read(reordered)[0] == expected
    tagged = gather(expected, pairs=True)
    assert tagged.cards.get(0) == card.encode()


@pytest.mark.parametrize(
    ("query", "source", "message"),
    [
        ("select 1, 2, 3 as kind, 4 as mood", {}, r"gives 4 columns \(unknown: mood\); it must give document and tag"),
        ("select 1, 2, 3 as title", {"url": "link"}, 'gives no column "link" after the first two'),
        ("select 1, 2, 3 as title", {"label": "kind"}, 'gives no column "kind" after the first two'),
    ],
)
def test_columns_of_a_query_that_nobody_declared_are_refused(tmp_path, query, source, message):
    with pytest.raises(CorpusError, match=message):
        read(sql_corpus(tmp_path / "d.db", query, **source))


def test_pushed_documents_have_cards(redis):
    card = {"title": "A thing", "url": "a.html", "image": "https://i.org/a.png", "fields": {"year": "1999"}}
    pushed = PushedDocuments(redis, "live")
    pushed.put([PushedDocument("a", ["x"], None, card), PushedDocument("b", ["y"])])
    corpus = Corpus(name="live", source={"pushed": True, "base_url": "https://example.org/"})
    found, _ = read(corpus, redis)
    assert sorted(found, key=lambda document: document.id) == [Document("a", ("x",), card=CARD), Document("b", ("y",))]
    _, tally = read(Corpus(name="live", source={"pushed": True}), redis)
    assert (tally.bad, tally.dropped) == (0, 1)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('base_url = "example.org"', "source.base_url: 'example.org' is neither an http or https URL nor a path"),
        ("title = 3", "source: title must be a name"),
        ("fields = { year = 3 }", r"source: fields.year must be a name"),
        ("fields = [1]", "source.fields"),
    ],
)
def test_a_wrong_declaration_is_named(tmp_path, keys, message):
    write(tmp_path / "d.jsonl", ROWS)
    file = tmp_path / "corpora.toml"
    file.write_text(f'[corpora.one]\nsource = {{ files = "d.jsonl", {keys} }}\n')
    with pytest.raises(CorpusError, match=message):
        read_corpora(file)


def test_documents_without_cards_take_no_memory_for_them():
    entries = read_entries(in_blocks(Document(f"d{n}", ("x",)) for n in range(1000)), pairs=False)
    assert (len(entries.cards.text), len(entries.cards.starts)) == (0, 0)
    assert gather([Document("a", ("x",))]).cards is None


def test_the_last_card_counts_and_the_same_one_is_held_once():
    one, other = Card("one"), Card("other")
    pairs = [Document("a", ("x",), card=one), Document("b", ("x",)), Document("a", ("y",), card=one)]
    entries = read_entries(in_blocks(pairs), pairs=True)
    assert bytes(entries.cards.text) == one.encode()
    replaced = gather([Document("a", ("x",), card=one), Document("a", ("x",), card=other), Document("b", ("x",))])
    assert [replaced.cards.get(position) for position in range(2)] == [other.encode(), b""]
    gone = gather([Document("a", ("x",), card=one), Document("a", ("x",))])
    assert gone.cards.get(0) == b""


def test_shards_are_joined_with_their_cards():
    content = [Document(f"d{n}", ("x",), card=Card(f"t{n}") if n % 3 else None) for n in range(20)]
    whole, parts = read_entries(in_blocks(content), pairs=False), Entries(pairs=False)
    for start in range(0, 20, 6):
        parts.extend(read_entries(in_blocks(content[start : start + 6]), pairs=False))
    assert [parts.cards.get(row) for row in range(20)] == [whole.cards.get(row) for row in range(20)]


def test_another_title_is_another_corpus():
    """So the next run publishes it, although no tag changed."""
    fingerprints = {gather([Document("a", ("x",), card=card)]).fingerprint for card in (None, Card("1"), Card("2"))}
    assert len(fingerprints) == 3
