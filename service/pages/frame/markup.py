"""Texts and addresses as HTML writes them."""

from functools import lru_cache

import markupsafe

from service.pages.frame.params import QUOTED


@lru_cache(maxsize=QUOTED)
def escaped(text: str) -> str:
    """A text of which pages repeat many, such as the name of a tag."""
    return escaped_once(text)


def escaped_once(text: str) -> str:
    """A text of which there are too many to remember, such as the title of a document."""
    return str(markupsafe.escape(text))


def as_html(address: str) -> str:
    """An address: of the special characters, it has only &."""
    return address.replace("&", "&amp;")
