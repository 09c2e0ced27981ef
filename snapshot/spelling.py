"""Normalises tags, so that two spellings of one tag compare equal."""

import unicodedata


def normalise(text: str) -> str:
    """The form in which two spellings of a tag are equal: NFKC, case folded, white space collapsed.

    Folding can produce text that NFKC would change again (ᾳ, some ligatures), so this repeats until
    nothing changes: normalise(normalise(t)) == normalise(t) for every t.
    """
    while True:
        folded = " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())
        if folded == text:
            return folded
        text = folded
