"""An Atom feed (RFC 4287) of the newest documents of a corpus, a concept or a tag: follow a topic."""

from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from service.questions.documents.documents import documents
from service.questions.text.query import ParsedQuery
from service.questions.text.xml_text import xml_text
from service.response_cache import CachedResponse
from service.view.view import View
from service.view.window import newest_date
from snapshot.version.documents.dates import parse_date, shown_date

MEDIA_TYPE = "application/atom+xml; charset=utf-8"


def feed(view: View, query: ParsedQuery, cluster: int | None, limit: int) -> CachedResponse:
    """The newest documents that have a date. Ids are the same in every version, so readers show each once."""
    corpus = view.snapshot.corpus
    updated = _moment(newest_date(view))
    answer = documents(view, query, cluster=cluster, match="all", limit=limit, offset=0, sort="date")
    about = ", ".join(view.tag_names[tag] for tag in query.tags)
    title = " · ".join(filter(None, [view.snapshot.title, "" if cluster is None else view.labels[cluster], about]))
    name = f"urn:cotag:{quote(corpus)}:{'' if cluster is None else cluster}:{quote(about)}"
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(title)}</title><id>{escape(name)}</id><updated>{updated}</updated>",
        f"<author><name>{escape(view.snapshot.title)}</name></author>",
    ]
    for document in answer.documents:
        seconds = parse_date(document["date"])
        if seconds is None:
            continue
        link = "" if document["url"] is None else f"<link href={quoteattr(document['url'])}/>"
        terms = "".join(f"<category term={quoteattr(tag)}/>" for tag in document["tags"])
        lines.append(
            f"<entry><title>{escape(document['title'] or document['id'])}</title>"
            f"<id>urn:cotag:{quote(corpus)}:document:{quote(document['id'])}</id>"
            f"<updated>{_moment(seconds)}</updated>{link}{terms}</entry>"
        )
    lines.append("</feed>")
    return CachedResponse(xml_text("\n".join(lines)).encode(), "", MEDIA_TYPE)


def _moment(seconds: int) -> str:
    shown = shown_date(seconds)
    return shown if "T" in shown else f"{shown}T00:00:00Z"
