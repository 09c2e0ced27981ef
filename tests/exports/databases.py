"""Databases with posts, tags and the pairs of both."""

import sqlite3

from tests.exports.documents import docs, export, named


def write(path, script, posts, tags, pairs):
    names = sorted({tag for doc in docs() for tag in doc.tags})
    number = {tag: n for n, tag in enumerate(names, start=100)}
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
        for doc in docs():
            connection.execute(posts, (doc.number, doc.title, doc.url, doc.date))
            connection.executemany(pairs, [(doc.number, number[tag]) for tag in doc.tags])
        connection.executemany(tags, [(number[tag], tag) for tag in names])
    connection.close()
    return path


@named("SQLite with foreign keys")
def with_keys(folder):
    """A blog whose tables refer to each other."""
    path = write(
        folder / "blog.sqlite",
        """create table users (id integer primary key, name text);
        create table posts (id integer primary key, title text, url text, created_at text, author_id integer
            references users (id));
        create table tags (id integer primary key, name text, slug text);
        create table post_tags (id integer primary key, post_id integer references posts (id),
            tag_id integer references tags (id));""",
        "insert into posts (id, title, url, created_at) values (?, ?, ?, ?)",
        "insert into tags (id, name) values (?, ?)",
        "insert into post_tags (post_id, tag_id) values (?, ?)",
    )
    return export(path, "title", "url", "date")


@named("SQLite without foreign keys")
def without_keys(folder):
    """The same without foreign keys and with other names: only names and contents tell."""
    path = write(
        folder / "bookmarks.db",
        """create table bookmark (bookmark_id integer, title text, url text, created text);
        create table label (label_id integer, label text);
        create table bookmark_label_map (bookmark integer, label integer);""",
        "insert into bookmark values (?, ?, ?, ?)",
        "insert into label values (?, ?)",
        "insert into bookmark_label_map values (?, ?)",
    )
    return export(path, "title", "url", "date")
