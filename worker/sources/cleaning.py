"""Cleans tags as sources spell them. Each step has a switch in the corpora file."""

import html
import re
from html.entities import html5
from typing import Final

from pydantic import BaseModel, ConfigDict

INVISIBLE: Final = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Characters without a width. Joiners are not among them: scripts and emoji need them inside a word."""

JOINERS: Final = "\u200c\u200d"

HASHTAG: Final = re.compile(r"#+(?=\d*[^\W\d])")
"""A hash before a word with a letter: `#food` and `#2024goals`, but neither `#1` nor the end of `c#`."""

PAIRS: Final = dict(zip("\"'`“„‘«([{<", "\"'`”“’»)]}>", strict=True))
"""Quotes and brackets that may enclose a tag."""

BULLET: Final = re.compile(r"^[-–—•·*]+\s+|\s+[-–—•·*]+$")
ENTITY: Final = r"&(?:#\d+|#[xX][0-9a-fA-F]+|([A-Za-z][A-Za-z0-9]*))"
WHOLE_ENTITY: Final = re.compile(f"{ENTITY};")
"""With its semicolon: `rock&reggae` contains none."""

ENTITY_AT_END: Final = re.compile(f"{ENTITY}$")


class Cleaning(BaseModel):
    """Which steps are on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entities: bool = True
    invisible: bool = True
    hashes: bool = True
    punctuation: bool = True

    def clean(self, tag: str) -> str:
        """The cleaned tag, with white space collapsed. A tag of nothing but punctuation stays as it is."""
        if self.entities and "&" in tag:
            tag = _unescape(_unescape(tag))  # twice: exports of exports escape what is escaped
        if self.invisible and not tag.isascii():
            tag = INVISIBLE.sub("", tag).strip(JOINERS)
        tag = " ".join(tag.split())
        while tag != (cleaned := self._strip(tag)):
            tag = cleaned
        return tag

    def _strip(self, tag: str) -> str:
        """One round of the steps that another may have to follow."""
        stripped = tag
        if self.hashes:
            stripped = HASHTAG.sub("", stripped, count=1) if stripped.startswith("#") else stripped
        if self.punctuation:
            stripped = _strip_punctuation(stripped)
        return stripped if any(map(str.isalnum, stripped)) else tag


def split_list(text: str, separator: str) -> list[str]:
    """The tags of a text. The semicolon that ends an HTML entity, as in `R&amp;B;soul`, separates nothing."""
    pieces = text.split(separator)
    if separator != ";" or "&" not in text:
        return pieces
    tags = pieces[:1]
    for piece in pieces[1:]:
        if _ends_in_entity(tags[-1]):
            tags[-1] += f";{piece}"
        else:
            tags.append(piece)
    return tags


def _unescape(text: str) -> str:
    return WHOLE_ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def _ends_in_entity(text: str) -> bool:
    match = ENTITY_AT_END.search(text)
    return match is not None and (match[1] is None or f"{match[1]};" in html5)


def _strip_punctuation(tag: str) -> str:
    """Without commas, colons and semicolons at the ends, bullets, quotes and brackets around it, and a full stop."""
    tag = BULLET.sub("", tag).strip(" ,;:|")
    if len(tag) > 2 and PAIRS.get(tag[0]) == tag[-1] and not {tag[0], tag[-1]} & set(tag[1:-1]):
        tag = tag[1:-1].strip()
    if tag.endswith(".") and "." not in tag[:-1]:
        tag = tag[:-1]
    return tag
