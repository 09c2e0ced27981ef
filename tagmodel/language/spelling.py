"""Normalises tags, so that two spellings of one tag compare equal, and tells which spellings are variants of one."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

SEPARATOR: Final = r"[\s_\-\u00ad\u058a\u2010-\u2015\u2212'`\u00b4\u2018\u2019\u201b\u02bc\u2032]+"
"""White space, hyphens, underscores and apostrophes."""

SEPARATORS: Final = re.compile(rf"((?<=\d){SEPARATOR}(?=\d))|{SEPARATOR}")
LOOSE_DOTS: Final = re.compile(r"\.+(?![^\W_]|\.)")
"""Dots that neither a letter nor a digit follows."""

BETWEEN_WORDS: Final = re.compile(r"[\s\-_/.:\u2010-\u2015]+")
AROUND_WORDS: Final = "!\"$%&'()*,;<=>?@[]^`{|}~‘’‚“”„«»…·¡¿"
"""Marks before and after words of a title. Not plus and number sign: C++, C#."""

SHORTEST_PLURAL: Final = 5
NO_PLURALS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        acoustics aesthetics analytics arms arts athens athletics bahamas blues brussels classics contents customs
        dynamics economics electronics ethics genetics genomics glasses goods graphics gymnastics headquarters jeans
        kansas lens linguistics logistics lyrics mathematics means mechanics news optics pants paris phonetics
        physics politics proteomics rights robotics savings semantics series shorts souls species statistics texas
        thanks times wales windows works
        """,
    )
)
"""Last words that are no plurals, or whose singular means another thing."""

TagPairs = frozenset[frozenset[str]]


def normalise(text: str) -> str:
    """The form in which two spellings of a tag are equal: NFKC, case folded, white space collapsed.

    Folding can produce text that NFKC would change again (ᾳ, some ligatures), so this repeats until
    nothing changes: normalise(normalise(t)) == normalise(t) for every t.
    """
    if text.isascii():  # most tags: NFKC changes nothing, and a lower case is a folded one
        return " ".join(text.lower().split())
    while True:
        folded = " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())
        if folded == text:
            return folded
        text = folded


def spelling_key(form: str) -> str:
    """What the variants of one spelling share: a normalised form without separators, and without accents in Latin.

    Plus, number sign, a dot before a letter or digit, and other punctuation are part of a tag. Between two digits a
    separator counts, whichever it is: 96-0 is not 960. A form of separators alone has the empty key: it folds nothing.
    """
    key = SEPARATORS.sub(lambda match: " " if match[1] else "", LOOSE_DOTS.sub("", form))
    return key if key.isascii() else _without_latin_accents(key)


def words_of_title(title: str) -> list[str]:
    """The words of a title as queries find them: normalised, without accents in Latin and marks around them."""
    form = normalise(title)
    words = BETWEEN_WORDS.split(form if form.isascii() else _without_latin_accents(form))
    return [bare for word in words if (bare := word.strip(AROUND_WORDS))]


def plural_key(form: str) -> str:
    """The spelling key without its plural s, if it has five letters or more and its last word is a regular plural."""
    key = spelling_key(form)
    regular = len(key) >= SHORTEST_PLURAL and key.endswith("s") and not key.endswith("ss")
    return key[:-1] if regular and SEPARATORS.sub(" ", form).split()[-1] not in NO_PLURALS else key


def distinct_pairs(lists: Iterable[Iterable[str]]) -> TagPairs:
    """Every two tags of each list, normalised; ValueError for a list that keeps nothing apart."""
    pairs: set[frozenset[str]] = set()
    for tags in lists:
        forms = [normalise(tag) for tag in tags]
        if len(set(forms)) < 2 or len(set(forms)) < len(forms) or not all(forms):
            raise ValueError(f"{list(tags)} does not have two or more different tags")
        pairs |= {frozenset((one, other)) for one in forms for other in forms if one != other}
    return frozenset(pairs)


def _without_latin_accents(key: str) -> str:
    letters: list[str] = []
    latin = False
    for letter in unicodedata.normalize("NFD", key):
        if not unicodedata.combining(letter):
            latin = letter.isascii() or unicodedata.name(letter, "").startswith("LATIN ")
        elif latin:
            continue
        letters.append(letter)
    return unicodedata.normalize("NFC", "".join(letters))
