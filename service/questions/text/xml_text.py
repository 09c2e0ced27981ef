"""Texts inside XML, which allows fewer characters than documents may have."""

import re
from typing import Final

NOT_XML: Final = re.compile("[^\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def xml_text(text: str) -> str:
    """A text with a mark in place of each character that no XML document may contain."""
    return NOT_XML.sub("�", text)
