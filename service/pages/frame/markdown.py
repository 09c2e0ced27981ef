"""The little Markdown of descriptions as HTML: paragraphs, emphasis, code and links to web pages. Nothing else.

What people type is never markup of the page: every part is escaped.
"""

import re
from typing import Final

from service.pages.frame.markup import escaped_once

INLINE: Final = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|\*\*(?P<strong>[^*\s](?:[^*]*[^*\s])?)\*\*"
    r"|\*(?P<em>[^*\s](?:[^*]*[^*\s])?)\*"
    r"|\[(?P<text>[^\]]+)\]\((?P<address>https?://[^\s()<>\"]+)\)"
)


def html_of(text: str) -> str:
    """A description as HTML; lines of one paragraph stay lines."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "".join(f"<p>{'<br>'.join(map(_line, each.splitlines()))}</p>" for each in paragraphs if each)


def _line(text: str) -> str:
    parts: list[str] = []
    place = 0
    for found in INLINE.finditer(text):
        parts += [escaped_once(text[place : found.start()]), _marked(found)]
        place = found.end()
    return "".join([*parts, escaped_once(text[place:])])


def _marked(found: re.Match[str]) -> str:
    inner = escaped_once(found["text"] or found[str(found.lastgroup)])
    if found["address"]:
        return f'<a href="{escaped_once(found["address"])}" rel="nofollow noopener">{inner}</a>'
    return f"<{found.lastgroup}>{inner}</{found.lastgroup}>"
