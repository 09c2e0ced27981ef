"""JSON as programs and services write it."""

import json

from tests.exports.documents import docs, export, named


def put(folder, name, content, encoding="utf-8"):
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1)
    path.write_bytes(text.encode(encoding))
    return path


def records():
    return [
        {"id": d.number, "title": d.title, "url": d.url, "cover": d.image, "published_at": d.date, "tags": d.tags}
        for d in docs()
    ]


ALL = ("title", "url", "image", "date")


@named('{"data": […]}')
def data_array(folder):
    """An API that wraps its answer."""
    content = {"meta": {"total": 60, "links": [{"rel": "next"}]}, "data": records()}
    return export(put(folder, "articles.json", content), *ALL)


@named("Hugging Face rows")
def hugging_face(folder):
    """The rows of a dataset viewer."""
    content = {
        "features": [{"feature_idx": 0, "name": "id", "type": {"dtype": "int64", "_type": "Value"}}],
        "rows": [{"row_idx": number, "row": record, "truncated_cells": []} for number, record in enumerate(records())],
        "num_rows_total": 60,
    }
    return export(put(folder, "rows.json", content), *ALL)


@named("Ghost")
def ghost(folder):
    """Ghost's export: posts, tags and their pairs as tables."""
    tags = sorted({tag for doc in docs() for tag in doc.tags})
    number = {tag: f"t{n}" for n, tag in enumerate(tags)}
    posts = [
        {"id": f"p{d.number}", "title": d.title, "slug": f"post-{d.number}", "html": "<p>…</p>",
         "feature_image": d.image, "status": "published", "published_at": d.date, "canonical_url": d.url}
        for d in docs()
    ]  # fmt: skip
    data = {
        "posts": posts,
        "tags": [{"id": number[tag], "name": tag, "slug": tag.replace(" ", "-")} for tag in tags],
        "posts_tags": [
            {"id": f"{d.number}-{n}", "post_id": f"p{d.number}", "tag_id": number[tag], "sort_order": n}
            for d in docs()
            for n, tag in enumerate(d.tags)
        ],
        "users": [{"id": "1", "name": "Jane"}],
    }
    content = {"db": [{"meta": {"exported_on": 1700000000, "version": "5.0.0"}, "data": data}]}
    return export(put(folder, "blog.ghost.json", content), *ALL)


@named("GraphQL")
def graphql(folder):
    """A GraphQL answer: edges and nodes, the tags too."""
    edges = [
        {"cursor": str(n), "node": {**record, "tags": {"nodes": [{"name": tag} for tag in record["tags"]]}}}
        for n, record in enumerate(records())
    ]
    content = {"data": {"allPosts": {"pageInfo": {"hasNextPage": False}, "edges": edges}}}
    return export(put(folder, "answer.json", content), *ALL)


@named("pandas by columns")
def pandas_columns(folder):
    """DataFrame.to_json(): column by column."""
    rows = records()
    content = {name: {str(n): row[name] for n, row in enumerate(rows)} for name in rows[0]}
    return export(put(folder, "frame.json", json.dumps(content)), *ALL)


@named("JSON Lines in UTF-16")
def utf16_lines(folder):
    """JSON Lines as PowerShell redirects them."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\r\n" for row in records())
    return export(put(folder, "lines.jsonl", text, "utf-16"), *ALL)


@named("SteamSpy (votes)")
def steam(folder):
    """SteamSpy: an object of games, each with the votes of its tags."""
    games = {
        str(d.number): {"appid": d.number, "name": d.title, "developer": "Studio", "owners": "0 .. 20,000",
                        "tags": {tag: 500 - 7 * n for n, tag in enumerate(d.tags)}}
        for d in docs()
    }  # fmt: skip
    return export(put(folder, "steamspy.json", games), "title")


@named("tags as objects")
def tag_objects(folder):
    """Tags as objects with a weight."""
    content = [
        {**record, "tags": [{"id": n, "name": tag, "weight": 9 - n} for n, tag in enumerate(record["tags"])]}
        for record in records()
    ]
    return export(put(folder, "things.json", content), *ALL)


@named("Pinboard JSON")
def pinboard(folder):
    """Pinboard: tags between spaces, the title is called description."""
    content = [
        {"href": d.url, "description": d.title, "extended": "", "meta": f"{d.number:032x}", "hash": f"{d.number:032x}",
         "time": f"{d.date}T10:00:00Z", "shared": "yes", "toread": "no", "tags": " ".join(d.words)}
        for d in docs()
    ]  # fmt: skip
    return export(put(folder, "pinboard_export.json", content), "title", "url", "date")


@named("CSL-JSON")
def csl(folder):
    """CSL-JSON: keywords in one text, missing where there are none."""
    content = [
        {"id": f"doe{d.number}", "type": "article-journal", "title": d.title, "URL": d.url,
         "author": [{"family": "Doe", "given": "Jane"}],
         "issued": {"date-parts": [[int(part) for part in d.date.split("-")]]}, "keyword": ", ".join(d.tags)}
        for d in docs()
    ]  # fmt: skip
    return export(put(folder, "references.json", content), "title", "url", "date")
