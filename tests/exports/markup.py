"""XML and HTML: dumps, feeds, outlines, bookmarks."""

from datetime import datetime
from xml.sax.saxutils import escape, quoteattr

from tests.exports.documents import docs, export, named


def put(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def rfc822(date):
    return datetime.fromisoformat(date).strftime("%a, %d %b %Y 10:00:00 +0000")


@named("Stack Exchange Posts.xml")
def stack_exchange(folder):
    """A data dump: a row for each question or answer."""
    rows = "".join(
        f'  <row Id="{d.number}" PostTypeId="1" CreationDate="{d.date}T00:00:00.000" Score="3" '
        f"Body={quoteattr('<p>How?</p>')} Title={quoteattr(d.title)} Tags={quoteattr(''.join(f'<{t}>' for t in d.tags))} />\n"  # noqa: E501
        f'  <row Id="{1000 + d.number}" PostTypeId="2" ParentId="{d.number}" CreationDate="{d.date}T01:00:00.000" '
        'Score="1" Body="&lt;p&gt;So.&lt;/p&gt;" />\n'
        for d in docs()
    )
    text = f'\ufeff<?xml version="1.0" encoding="utf-8"?>\n<posts>\n{rows}</posts>'
    return export(put(folder, "Posts.xml", text), "title", "date")


@named("WordPress WXR")
def wordpress(folder):
    """WordPress' own export (WXR): posts with categories and tags, pictures among them."""
    items = "".join(
        f"<item><title>{escape(d.title)}</title><link>{d.url}</link><pubDate>{rfc822(d.date)}</pubDate>"
        f'<guid isPermaLink="false">https://a.example/?p={d.number}</guid>'
        f"<wp:post_id>{d.number}</wp:post_id><wp:post_date><![CDATA[{d.date} 10:00:00]]></wp:post_date>"
        "<wp:post_type><![CDATA[post]]></wp:post_type>"
        '<category domain="category" nicename="all"><![CDATA[All]]></category>'
        + "".join(f'<category domain="post_tag" nicename="x"><![CDATA[{tag}]]></category>' for tag in d.tags)
        + f"</item>\n<item><title>picture</title><link>{d.url}/picture</link>"
        f"<wp:post_id>{1000 + d.number}</wp:post_id><wp:post_type><![CDATA[attachment]]></wp:post_type></item>\n"
        for d in docs()
    )
    text = (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<!-- generator="WordPress/6.5" -->\n'
        '<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"'
        ' xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">'
        f"<channel><title>A blog</title><link>https://a.example</link><wp:wxr_version>1.2</wp:wxr_version>"
        f"<wp:tag><wp:term_id>3</wp:term_id><wp:tag_slug>x</wp:tag_slug></wp:tag>\n{items}</channel></rss>"
    )
    return export(put(folder, "blog.WordPress.2024-06-01.xml", text), "title", "url", "date")


@named("RSS")
def rss(folder):
    items = "".join(
        f"<item><title>{escape(d.title)}</title><link>{d.url}</link><guid>{d.url}</guid>"
        f"<pubDate>{rfc822(d.date)}</pubDate>"
        f'<media:thumbnail url="{d.image}"/>'
        + "".join(f"<category>{escape(tag)}</category>" for tag in d.tags)
        + "</item>"
        for d in docs()
    )
    text = (
        '<?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>'
        f"<title>News</title><link>https://a.example</link><category>News</category>{items}</channel></rss>"
    )
    return export(put(folder, "feed.rss", text), "title", "url", "image", "date")


@named("Atom")
def atom(folder):
    entries = "".join(
        f"<entry><id>tag:a.example,2024:{d.number}</id><title>{escape(d.title)}</title>"
        f'<link rel="alternate" href="{d.url}"/><published>{d.date}T00:00:00Z</published>'
        + "".join(f'<category term="{escape(tag)}" scheme="https://a.example/tags"/>' for tag in d.tags)
        + "</entry>"
        for d in docs()
    )
    text = f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>{entries}</feed>'
    return export(put(folder, "atom.xml", text), "title", "url", "date")


@named("OPML with categories")
def opml(folder):
    """The feeds of a reader; categories as OPML 2.0 has them."""
    outlines = "".join(
        f'<outline type="rss" text={quoteattr(d.title)} title={quoteattr(d.title)} xmlUrl="{d.url}/feed" '
        f'htmlUrl="{d.url}" created="{rfc822(d.date)}" category={quoteattr(",".join(d.tags))}/>\n'
        for d in docs()
    )
    text = f'<?xml version="1.0"?><opml version="2.0"><head><title>Feeds</title></head><body>{outlines}</body></opml>'
    return export(put(folder, "feeds.opml", text), "title", "url", "date")


@named("OPML with folders")
def opml_folders(folder):
    """The same where folders are the only tags."""
    groups: dict[str, list[str]] = {}
    for d in docs():
        for tag in d.tags:
            groups.setdefault(tag, []).append(
                f'<outline type="rss" text={quoteattr(d.title)} xmlUrl="{d.url}/feed" htmlUrl="{d.url}"/>'
            )
    body = "".join(f"<outline text={quoteattr(tag)}>{''.join(feeds)}</outline>" for tag, feeds in groups.items())
    text = f'<?xml version="1.0"?><opml version="1.0"><head/><body>{body}</body></opml>'
    return export(put(folder, "subscriptions.xml", text), "title", "url")


@named("bookmarks.html")
def bookmarks(folder):
    """Bookmarks as browsers and Pinboard, Raindrop or Firefox export them."""
    stamp = {d.number: int(datetime.fromisoformat(d.date + "T10:00:00+00:00").timestamp()) for d in docs()}
    links = "".join(
        f'    <DT><A HREF="{d.url}" ADD_DATE="{stamp[d.number]}" LAST_MODIFIED="{stamp[d.number]}" ICON="data:image/png;base64,AAAA" '  # noqa: E501
        f'TAGS="{",".join(d.tags)}">{escape(d.title)}</A>\n    <DD>A note\n'
        for d in docs()
    )
    text = (
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<!-- This is an automatically generated file. -->\n"
        '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n<TITLE>Bookmarks</TITLE>\n'
        f"<H1>Bookmarks Menu</H1>\n<DL><p>\n  <DT><H3>Unsorted</H3>\n  <DL><p>\n{links}  </DL><p>\n</DL><p>\n"
    )
    return export(put(folder, "bookmarks.html", text), "title", "url", "date")
