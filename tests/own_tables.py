"""Seven tables as people have them, all of the same documents."""

import csv
import json
import sqlite3

from tests.conftest import topic_documents

DOCUMENTS = 80


def rows(documents=DOCUMENTS):
    """Number and tags of each document."""
    return [(number, document["tags"]) for number, document in enumerate(topic_documents(documents), start=1)]


def write_csv(path, titles, lines, *, delimiter=",", encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(titles)
        writer.writerows(lines)
    return path


def wordpress(folder):
    """An export plugin: titles and addresses beside categories and tags."""
    return write_csv(
        folder / "posts.csv",
        ["ID", "Title", "Permalink", "Categories", "Tags"],
        (
            [n, f"Post &amp; {n}", f"https://blog.example/{n}", "Uncategorized", ", ".join(tags).replace("&", "&amp;")]
            for n, tags in rows()
        ),
    )


def stack_exchange(folder):
    """A query of the Data Explorer: tags in angle brackets."""
    lines = ([n, f"How to {n}?", "".join(f"<{tag.replace(' ', '-')}>" for tag in tags)] for n, tags in rows())
    return write_csv(folder / "QueryResults.csv", ["Id", "Title", "Tags"], lines)


def semicolons(folder):
    """Keywords in one cell, with a semicolon between them."""
    return write_csv(folder / "songs.csv", ["id", "keywords"], ([n, "; ".join(tags)] for n, tags in rows()))


def pairs(folder):
    """One row for each document and tag."""
    lines = ([f"https://a.example/{n}", "ann", tag] for n, tags in rows() for tag in tags)
    return write_csv(folder / "bookmarks.tsv", ["document", "user", "tag"], lines, delimiter="\t")


def excel(folder):
    """Excel's CSV UTF-8 where the comma is decimal: a byte order mark and semicolons."""
    lines = ([n, "3,50", ", ".join(tags)] for n, tags in rows())
    return write_csv(folder / "Products.csv", ["Id", "Preis", "TAGS"], lines, delimiter=";", encoding="utf-8-sig")


def json_array(folder):
    """An export of an API, indented, without ids but with addresses."""
    content = [{"url": f"https://a.example/{n}", "title": f"Article {n}", "labels": tags} for n, tags in rows()]
    path = folder / "articles.json"
    path.write_text(json.dumps(content, indent=2))
    return path


def sqlite(folder):
    """A table of photos and one of their tags."""
    path = folder / "photos.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table photo (id integer primary key, name text)")
        connection.execute("create table photo_tag (photo_id integer, tag text)")
        for number, tags in rows():
            connection.execute("insert into photo values (?, ?)", (number, f"Photo {number}"))
            connection.executemany("insert into photo_tag values (?, ?)", [(number, tag) for tag in tags])
    connection.close()
    return path


TABLES = {
    "wordpress": (wordpress, []),
    "stack_exchange": (stack_exchange, []),
    "semicolons": (semicolons, []),
    "pairs": (pairs, []),
    "excel": (excel, []),
    "json_array": (json_array, []),
    "sqlite": (sqlite, ["--query", "select photo_id, tag from photo_tag"]),
}
"""How to write each, and what its command needs beside the name of the file."""
