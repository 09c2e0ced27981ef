"""Databases with documents, tags and their pairs in tables of their own are joined: by keys, names or contents."""
# ruff: noqa: S608 - queries of a test

import shlex
import sqlite3

import pytest
from sqlalchemy import create_engine, text

from tests.worker.postgres import running_postgres
from worker.corpora.reader import read_documents
from worker.errors import CorpusError
from worker.recognition import Section, Wishes, recognise, section_corpus
from worker.sources.document import Tally

FOUR = {"1": {"a", "b"}, "2": {"b"}, "3": set(), "4": {"a"}}
POSTS = "insert into {} values (1, 'One'), (2, 'Two'), (3, 'Three'), (4, 'Four');"
TAGS = "insert into {} values (11, 'a'), (12, 'b');"
PAIRS = "insert into {} values (1, 11), (1, 12), (2, 12), (4, 11);"

PK = "integer primary key"


def table(name, *columns):
    return f"create table {name} ({', '.join(columns)});"


def rows(posts, tags, pairs):
    return POSTS.format(posts) + TAGS.format(tags) + PAIRS.format(pairs)


SCHEMAS = {
    "foreign keys": table("entry", f"nr {PK}", "title text")
    + table("entry_tag", "e integer references entry", "t integer references tag (nr)")
    + table("tag", f"nr {PK}", "name text")
    + rows("entry", "tag", "entry_tag"),
    "Joplin: names alone": table("notes", f"id {PK}", "title text")
    + table("note_tags", "note_id", "tag_id")
    + table("tags", f"id {PK}", "title text")
    + rows("notes", "tags", "note_tags"),
    "calibre: other links, and a view that needs calibre": table("books", f"id {PK}", "title text")
    + table("tags", f"id {PK}", "name text")
    + table("books_tags_link", f"id {PK}", "book integer", "tag integer")
    + table("authors", f"id {PK}", "name text")
    + table("books_authors_link", f"id {PK}", "book integer", "author integer")
    + "insert into authors values (1, 'Doe'); insert into books_authors_link values (1, 1, 1);"
    + "create view tag_browser_tags as select id, name, sortconcat(id) from tags;"
    + rows("books", "tags", "books_tags_link (book, tag)"),
    "prefixes and capitals": table("app_Post", f"PostId {PK}", "Title text")
    + table("app_Tag", f"TagId {PK}", "Name text")
    + table("app_PostTag", "PostId integer", "TagId integer")
    + rows("app_Post", "app_Tag", "app_PostTag"),
    "the text of the tag in the pairs": table("photo", f"id {PK}", "title text")
    + table("photo_tag", "photo_id integer", "tag text")
    + POSTS.format("photo")
    + "insert into photo_tag values (1, 'a'), (1, 'b'), (2, 'b'), (4, 'a');",
    "tags that each belong to a document": table("item", f"id {PK}", "title text")
    + table("tags", f"id {PK}", "item_id integer references item (id)", "name text")
    + POSTS.format("item")
    + "insert into tags (item_id, name) values (1, 'a'), (1, 'b'), (2, 'b'), (4, 'a');",
    "a name that the contents contradict": table("item", f"id {PK}", "title text")
    + table("thing", f"id {PK}", "title text")
    + table("tag", f"id {PK}", "name text")
    + table("tagging", "item_id integer", "tag_id integer")
    + "insert into item values (901, 'not meant');"
    + rows("thing", "tag", "tagging"),
    "people, and tags before categories": table("users", f"id {PK}", "name text")
    + table("posts", f"id {PK}", "title text", "tags_count integer")
    + table("tags", f"id {PK}", "name text", "user_id integer references users (id)")
    + table("categories", f"id {PK}", "name text")
    + table("post_categories", "post_id references posts (id)", "category_id references categories (id)")
    + table("taggings", "user_id references users (id)", "post_id references posts", "tag_id references tags (id)")
    + "insert into users values (1, 'u'); insert into categories values (1, 'wrong');"
    + "insert into post_categories values (1, 1);"
    + rows("posts (id, title)", "tags (id, name)", "taggings (post_id, tag_id)"),
}


def database(folder, script, name="data.db"):
    with sqlite3.connect(folder / name) as connection:
        connection.executescript(script)
    connection.close()
    return str(folder / name)


def read(target, **wishes):
    recognised = recognise(target, "t", Wishes(**wishes))
    found = {}
    for document in read_documents(section_corpus(Section("t", "t", recognised, 1)), Tally()):
        tags, _ = found.setdefault(document.id, (set(), document.card))
        tags |= set(document.tags)
    return found, recognised


@pytest.mark.parametrize("schema", SCHEMAS)
def test_documents_get_their_tags_and_titles_from_other_tables(tmp_path, schema):
    found, recognised = read(database(tmp_path, SCHEMAS[schema]))
    assert {name: tags for name, (tags, _) in found.items()} == FOUR
    assert [card.title for _, card in found.values()] == ["One", "Two", "Three", "Four"]
    assert recognised.source["query"] in recognised.description, "the join is shown before it runs"
    assert recognised.source["layout"] == "pairs"


def test_postgresql_is_joined_like_sqlite(tmp_path):
    with running_postgres() as server:
        engine = create_engine(server.url())
        with engine.begin() as connection:
            connection.execute(text(SCHEMAS["prefixes and capitals"]))
        engine.dispose()
        found, _ = read(server.url())
    assert {name: tags for name, (tags, _) in found.items()} == FOUR


TWO = (
    table("posts", f"id {PK}", "title text")
    + table("photos", f"id {PK}", "title text")
    + table("tags", f"id {PK}", "name text")
    + table("post_tags", "post_id references posts (id)", "tag_id references tags (id)")
    + table("photo_tags", "photo_id references photos (id)", "tag_id references tags (id)")
    + POSTS.format("photos")
    + rows("posts", "tags", "post_tags")
    + "insert into photo_tags values (4, 12);"
)


def test_two_equal_joins_are_shown_with_their_records_and_each_query_works(tmp_path):
    target = database(tmp_path, TWO)
    with pytest.raises(CorpusError, match="in several tables; choose one") as error:
        recognise(target, "t", Wishes())
    readings = str(error.value).splitlines()[1:]
    assert [reading.rpartition("': ")[2] for reading in readings] == ["4: b", "1: a · 1: b · 2: b"]
    found = []
    for reading in readings:
        *flags, query = shlex.split(reading)[:4]
        assert flags == ["--layout", "pairs", "--query"]
        documents_read, _ = read(target, layout="pairs", query=query.removesuffix(":"))
        found.append({name: tags for name, (tags, _) in documents_read.items()})
    assert found == [{"1": set(), "2": set(), "3": set(), "4": {"b"}}, FOUR]


def test_two_tables_of_which_no_name_says_which_has_the_tags_are_both_shown(tmp_path):
    script = (
        table("film", f"id {PK}", "title text")
        + table("actor", f"id {PK}", "name text")
        + table("casting", "film_id references film (id)", "actor_id references actor (id)")
        + rows("film", "actor", "casting")
    )
    with pytest.raises(CorpusError) as error:
        recognise(database(tmp_path, script), "t", Wishes())
    assert len(str(error.value).splitlines()) == 3


def test_a_database_without_tags_names_its_tables(tmp_path):
    target = database(tmp_path, "create table a (x integer); create table b (y integer);")
    with pytest.raises(CorpusError, match=r"--query SQL; its tables are a \(x\); b \(y\)"):
        recognise(target, "t", Wishes())


def test_several_tables_with_a_column_of_tags_get_advice_that_works(tmp_path):
    target = database(
        tmp_path,
        "create table a (id integer, tags text); create table b (id integer, tags text);"
        "insert into a values (1, 'x;y'), (2, 'y');",
    )
    with pytest.raises(CorpusError) as error:
        recognise(target, "t", Wishes())
    advice = shlex.split(str(error.value))
    found, _ = read(target, query=advice[advice.index("--query") + 1].removesuffix(";"))
    assert {name: tags for name, (tags, _) in found.items()} == {"1": {"x", "y"}, "2": {"y"}}
