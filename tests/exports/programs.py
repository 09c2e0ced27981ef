"""Exports of programs whose columns, fields and tables have names of their own."""

import json
import sqlite3

from tests.exports.documents import docs, export, named
from tests.exports.tables import table_text


def put(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_text(text, encoding)
    return path


def put_lines(folder, name, records):
    return put(folder, name, "".join(json.dumps(record) + "\n" for record in records))


@named("Zotero CSV with DOIs")
def zotero_with_dois(folder):
    """Both the key and the DOI tell items apart."""
    titles = ["Key", "Item Type", "Publication Year", "Author", "Title", "DOI", "Url", "Date", "Manual Tags",
              "Automatic Tags"]  # fmt: skip
    rows = [
        [f"AB{d.number}", "book", 2024, "Doe, J.; Roe, R.", d.title, f"10.1/{d.number}", d.url, d.date,
         "; ".join(d.tags[:1]), "; ".join(d.tags[1:])]
        for d in docs()
    ]  # fmt: skip
    return export(put(folder, "library.csv", table_text(titles, rows)), "title", "url", "date")


@named("Goodreads (Bookshelves)")
def goodreads(folder):
    """The ISBN of old books is empty, and shelves are there twice."""
    titles = ["Book Id", "Title", "Author", "ISBN", "Publisher", "Bookshelves", "Bookshelves with positions",
              "Date Added"]  # fmt: skip
    rows = [
        [d.number, d.title, "Jane Doe", '=""', "P", ", ".join(d.tags),
         ", ".join(f"{tag} (#{n})" for n, tag in enumerate(d.tags)), d.date.replace("-", "/")]
        for d in docs()
    ]  # fmt: skip
    return export(put(folder, "goodreads_library_export.csv", table_text(titles, rows)), "title", "date")


@named("a column that only its values explain")
def multi_select(folder):
    """Notion calls the column as its owner does."""
    rows = [[d.title, "January 5, 2024 10:00 AM", ", ".join(d.tags), "Doe; Roe", d.url] for d in docs()]
    text = table_text(["Name", "Created", "Multi-select", "Authors", "Link"], rows)
    return export(put(folder, "database.csv", text, "utf-8-sig"), "title", "url", "date")


@named("German table (semicolons)")
def german(folder):
    rows = [[d.number, d.title, ", ".join(d.tags), d.image] for d in docs()]
    text = table_text(["Nr", "Titel", "Schlagwörter", "Bild"], rows, delimiter=";", newline="\r\n")
    return export(put(folder, "rezepte.csv", text, "cp1252"), "title", "image")


@named("MongoDB (mongoexport)")
def mongodb(folder):
    records = [
        {"_id": {"$oid": f"{d.number:024x}"}, "title": d.title, "tags": d.tags, "createdAt": {"$date": d.date}}
        for d in docs()
    ]
    return export(put_lines(folder, "articles.json", records), "title", "date")


@named("Elasticsearch (_source)")
def elasticsearch(folder):
    records = [
        {"_index": "a", "_id": str(d.number), "_source": {"title": d.title, "url": d.url, "keywords": d.tags}}
        for d in docs()
    ]
    return export(put_lines(folder, "dump.ndjson", records), "title", "url")


@named("OpenAlex (concepts)")
def openalex(folder):
    records = [
        {"id": f"https://openalex.org/W{d.number}", "title": d.title, "publication_date": d.date,
         "authorships": [{"author": {"display_name": "Jane Doe"}}],
         "concepts": [{"id": "C1", "display_name": tag, "level": 1, "score": 0.5} for tag in d.tags]}
        for d in docs()
    ]  # fmt: skip
    return export(put_lines(folder, "works.jsonl", records), "title", "date")


@named("Firefox bookmarks JSON")
def firefox(folder):
    """Folders inside folders, with bookmarks at every depth."""
    marks = [{"guid": f"g{d.number}", "title": d.title, "uri": d.url, "tags": ",".join(d.tags)} for d in docs()]
    inner = {"title": "inner", "children": marks[:20]}
    outer = {"title": "outer", "children": [*marks[20:40], inner]}
    content = {"guid": "root", "children": [{"title": "menu", "children": [*marks[40:], outer]}]}
    return export(put(folder, "bookmarks-backup.json", json.dumps(content)), "title", "url")


@named("Evernote")
def evernote(folder):
    """Every ENEX file names a document type, and some notes have one tag."""
    notes = "".join(
        f"<note><title>{d.title}</title><created>{d.date.replace('-', '')}T101500Z</created>"
        + "".join(f"<tag>{tag}</tag>" for tag in d.tags)
        + "<content><![CDATA[<en-note>…</en-note>]]></content></note>"
        for d in docs()
    )
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">\n'
        f"<en-export>{notes}</en-export>"
    )
    return export(put(folder, "notes.enex", text), "title", "date")


@named("Django (taggit)")
def django(folder):
    """Tags of any kind of document: only the values of object_id say which."""
    names = sorted({tag for d in docs() for tag in d.tags})
    with sqlite3.connect(folder / "db.sqlite3") as connection:
        connection.executescript(
            """create table blog_post (id integer primary key, title text, pub_date text);
            create table auth_user (id integer primary key, username text);
            create table django_content_type (id integer primary key, app_label text, model text);
            create table taggit_tag (id integer primary key, name text, slug text);
            create table taggit_taggeditem (id integer primary key, object_id integer,
                content_type_id integer references django_content_type (id),
                tag_id integer references taggit_tag (id));
            insert into django_content_type values (7, 'blog', 'post');
            insert into auth_user values (1, 'jane');"""
        )
        connection.executemany("insert into blog_post values (?, ?, ?)", [(d.number, d.title, d.date) for d in docs()])
        connection.executemany("insert into taggit_tag values (?, ?, ?)", [(n, t, t) for n, t in enumerate(names)])
        connection.executemany(
            "insert into taggit_taggeditem (object_id, content_type_id, tag_id) values (?, 7, ?)",
            [(d.number, names.index(tag)) for d in docs() for tag in d.tags],
        )
    connection.close()
    return export(folder / "db.sqlite3", "title", "date")
