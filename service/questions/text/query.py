"""Parses queries: finds the tags among their words, by exact name, synonym, plural, inflection and close spelling.

A word that is no tag but stands in titles of documents is understood, too.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from service.answers import DidYouMean, Part
from service.errors import UnknownTags
from service.questions.text.close_spelling import MOST_SPELLINGS, closest, similarly_spelled, suggest, words_of
from service.questions.text.inflection import inflected
from service.view.names import Found, How
from service.view.view import View, without_accents
from snapshot import normalise, words_of_title

EXCLUSION: Final = re.compile(r"""(?<!\S)-(?:"([^"]*)"|([^\s"-]\S*))""")
"""A word or a quoted phrase of a query that begins with a hyphen: what follows is excluded."""

COMMON_WORD: Final = 0.05
"""A word in a larger share of the titles counts only if nothing else of a text is known."""

Unknown = Literal["refuse", "ignore"]


@dataclass(frozen=True)
class ParsedQuery:
    """The tags of a query, the words that are no tags, and the tags that are excluded. No tag is both.

    `title_words` are the words that stand in titles, by their numbers in the document index, behind all tags.
    """

    text: str
    parts: tuple[Part, ...]
    ignored: tuple[str, ...]
    tags: tuple[int, ...]
    title_words: tuple[int, ...] = ()
    suggestions: tuple[DidYouMean, ...] = ()
    excluded_parts: tuple[Part, ...] = ()
    excluded: tuple[int, ...] = ()
    group: tuple[int, ...] = ()
    """The tags of a group that was opened: only documents with at least two of them count."""

    nothing_known: bool = False
    """Something is asked for, and none of it is known: the answer is empty, not that of the whole corpus."""

    @property
    def asked(self) -> tuple[int, ...]:
        """The tags and the words of titles: what documents and related tags are found by."""
        return self.tags + self.title_words


NOTHING: Final = ParsedQuery("", (), (), ())
"""The empty query, which stands for the whole corpus."""


def parse_query(
    view: View,
    tags: list[str],
    text: str,
    *,
    exclude: Sequence[str] = (),
    group: Sequence[str] = (),
    unknown: Unknown = "refuse",
) -> ParsedQuery:
    """Parse exact tags and free text into one query. An exact tag that is unknown is an error, an unknown word is not.

    `unknown` says what to do with a tag that the corpus does not know; unknown words of a text are always ignored.
    A tag that is both asked for and excluded is excluded. `group` are exact tags of a group that was opened.
    """
    wanted, phrases = split_excluded(text)
    query = _parse_wanted(view, tags, wanted, unknown=unknown)
    if group:
        query = replace(query, group=exact_tags(view, list(group), unknown=unknown).tags)
    return _without(view, replace(query, text=text), exclude, phrases, unknown=unknown) if exclude or phrases else query


def split_excluded(text: str) -> tuple[str, list[str]]:
    """The text without the words that it excludes, and these: `card -credit -"bank note"`."""
    if "-" not in text:
        return text, []
    phrases = [" ".join(words_of(quoted or word)) for quoted, word in EXCLUSION.findall(text)]
    return EXCLUSION.sub(" ", text), [phrase for phrase in phrases if phrase]


def _without(
    view: View, query: ParsedQuery, tags: Sequence[str], phrases: Sequence[str], *, unknown: Unknown
) -> ParsedQuery:
    """The query with excluded tags. Words of a text are not excluded by close spelling: that would hide too much."""
    parts: dict[int, Part] = {}
    ignored: list[str] = []
    for tag in tags:
        found = view.names.find(tag)
        if found is None and unknown == "refuse":
            raise _unknown_tag(view, tag)
        _sort_in(view, tag, found, parts, ignored)
    for phrase in phrases:
        _sort_in(view, phrase, find_phrase(view, phrase), parts, ignored)
    kept = tuple(tag for tag in query.tags if tag not in parts)
    named = {view.tag_names[tag] for tag in kept}
    return replace(
        query,
        parts=tuple(part for part in query.parts if part.tag is None or part.tag in named),
        tags=kept,
        ignored=query.ignored + tuple(ignored),
        suggestions=query.suggestions + _did_you_mean(view, ignored),
        excluded_parts=tuple(parts.values()),
        excluded=tuple(parts),
    )


def _sort_in(view: View, text: str, found: Found | None, parts: dict[int, Part], ignored: list[str]) -> None:
    if found is None:
        ignored.append(text)
    else:
        parts.setdefault(found[0], Part(text, view.tag_names[found[0]], found[1]))


def _parse_wanted(view: View, tags: list[str], text: str, *, unknown: Unknown) -> ParsedQuery:
    """The query without what it excludes."""
    if not text.strip():
        return exact_tags(view, tags, unknown=unknown)
    if not tags:
        return parse_text(view, text)
    try:
        exact = exact_tags(view, tags, unknown=unknown)
    except UnknownTags:
        if unknown == "refuse":
            raise
        exact = _ignore_all(view, tags)
    typed = parse_text(view, text)
    parts = dict(zip((*exact.tags, *typed.tags), (*exact.parts, *_of_tags(typed.parts)), strict=True))
    titles = tuple(part for part in typed.parts if part.tag is None)
    return ParsedQuery(
        text=typed.text,
        parts=(*parts.values(), *titles),
        ignored=exact.ignored + typed.ignored,
        tags=tuple(parts),
        title_words=typed.title_words,
        suggestions=exact.suggestions + typed.suggestions,
        nothing_known=not parts and not titles,
    )


def _of_tags(parts: Iterable[Part]) -> list[Part]:
    return [part for part in parts if part.tag is not None]


def exact_tags(view: View, tags: list[str], *, unknown: Unknown = "refuse") -> ParsedQuery:
    """Look up exact tags: by their own names, as synonyms, or as variants that the run folds.

    All must exist, or, if unknown ones are ignored, at least one.
    """
    parts: dict[int, Part] = {}
    ignored: list[str] = []
    for tag in tags:
        found = view.names.find(tag)
        if found is None and unknown == "refuse":
            raise _unknown_tag(view, tag)
        _sort_in(view, tag, found, parts, ignored)
    if ignored and not parts:
        raise _unknown_tag(view, ignored[0])
    suggestions = _did_you_mean(view, ignored)
    return ParsedQuery("", tuple(parts.values()), tuple(ignored), tuple(parts), suggestions=suggestions)


def _unknown_tag(view: View, tag: str) -> UnknownTags:
    message = rare(view, normalise(tag)) or f"there is no tag {tag!r} in {view.snapshot.corpus}"
    return UnknownTags(message, suggest(view, tag))


def _ignore_all(view: View, tags: list[str]) -> ParsedQuery:
    return ParsedQuery("", (), tuple(tags), (), suggestions=_did_you_mean(view, tags))


def _did_you_mean(view: View, ignored: list[str]) -> tuple[DidYouMean, ...]:
    """What ignored words may have meant."""
    words = ignored[:MOST_SPELLINGS]
    return tuple(DidYouMean(word, near) for word in words if (near := similarly_spelled(view, word)))


def rare(view: View, form: str) -> str:
    """Why a declared synonym is no tag here: no document has its tag. Empty for all else."""
    tag = view.names.rare.get(form)
    return "" if tag is None else f"{form!r} stands for {tag!r}, which no document of {view.snapshot.corpus} has"


def parse_known(view: View, text: str) -> ParsedQuery | None:
    """The query of a text all of whose words make tags; None if one does not, and close spellings must be searched for.

    The view keeps the last result: the caller that wants to know how long an answer takes asks first, then the answer.
    """
    last = view.last_parsed
    if last is None or last[0] != text:
        last = view.last_parsed = (text, _parse_known(view, text))
    return last[1]


def parse_text(view: View, text: str) -> ParsedQuery:
    """Find tags in free text: the longest phrases that are tags first, then inflections, words of titles, spellings."""
    known = parse_known(view, text)
    if known is not None:
        return known
    words = words_of(text)
    parts: dict[int, Part] = {}
    titles: dict[int, Part] = {}
    ignored: list[str] = []
    start = spellings = 0
    while start < len(words):
        length, index, how = _longest(view, words[start:])
        if index is None and spellings < MOST_SPELLINGS:
            spellings += 1
            length, index, how = _inflected(view, words[start:])
            title = find_title_word(view, words[start]) if index is None else None
            if title is not None:
                titles.setdefault(title, Part(words[start], None, "title"))
                start += 1
                continue
            if index is None:
                length, index = closest(view, words[start:])
        phrase = " ".join(words[start : start + length])
        if index is None:
            ignored.append(phrase)
        else:
            parts.setdefault(index, Part(phrase, view.tag_names[index], how))
        start += length
    titles, common = _without_common(view, titles, alone=not parts)
    ignored += common
    if not parts and not titles and not ignored:
        ignored = [text.strip()]
    return ParsedQuery(
        text=text,
        parts=(*parts.values(), *titles.values()),
        ignored=tuple(ignored),
        tags=tuple(parts),
        title_words=tuple(titles),
        suggestions=_did_you_mean(view, ignored),
        nothing_known=not parts and not titles,
    )


def find_title_word(view: View, word: str) -> int | None:
    """The number of a word, or of its singular or plural, among the words of titles; None if no title has it."""
    if not view.has_documents or not view.documents.has_title_words:
        return None
    bare = words_of_title(word)
    if len(bare) != 1:
        return None
    numbers = (view.documents.title_word(form) for form in (bare[0], *_number_forms(bare[0])))
    return next((number for number in numbers if number is not None), None)


def _without_common(view: View, titles: dict[int, Part], *, alone: bool) -> tuple[dict[int, Part], list[str]]:
    """The words of titles without those that say nothing beside other words (the, of), and these."""
    index = view.documents.index if titles else None
    if index is None:
        return {}, []
    most = COMMON_WORD * index.document_count
    rare = {number: part for number, part in titles.items() if index.count(number) <= most}
    if alone and not rare:
        return titles, []
    return rare, [part.text for number, part in titles.items() if number not in rare]


def _parse_known(view: View, text: str) -> ParsedQuery | None:
    words = words_of(text)
    parts: dict[int, Part] = {}
    start = 0
    while start < len(words):
        length, index, how = _longest(view, words[start:])
        if index is None:
            return None
        parts.setdefault(index, Part(" ".join(words[start : start + length]), view.tag_names[index], how))
        start += length
    return ParsedQuery(text, tuple(parts.values()), (), tuple(parts)) if parts else None


def _longest(view: View, words: list[str]) -> tuple[int, int | None, How]:
    """How many of the first words make a tag, which one, and how it was recognised."""
    for length in range(min(view.longest_phrase_from(words[0]), len(words)), 0, -1):
        found = find_phrase(view, " ".join(words[:length]))
        if found is not None:
            certain = found[1] == "exact" and (len(words) == 1 or words[1] in view.loose)
            swapped = None if length > 1 or certain else _swapped(view, words)
            return (length, *found) if swapped is None else (2, swapped, "spelling")
    swapped = _swapped(view, words)
    return (1, None, "spelling") if swapped is None else (2, swapped, "spelling")


def _swapped(view: View, words: list[str]) -> int | None:
    """The tag that the first two words make in the other order."""
    return view.loose.get(f"{words[1]} {words[0]}") if len(words) > 1 else None


def _inflected(view: View, words: list[str]) -> tuple[int, int | None, How]:
    """The same if the first words make no tag: by an inflection."""
    pair = " ".join(words[:2])
    if len(words) > 1:
        index = inflected(view, pair)
        if index is not None:
            return 2, index, "inflection"
    index = inflected(view, words[0])
    return 1, index, "spelling" if index is None else "inflection"


def find_phrase(view: View, phrase: str) -> Found | None:
    """The tag that a phrase without punctuation stands for; None if only a search for close spellings can tell."""
    index = view.loose.get(phrase)
    if index is not None:
        return index, "exact"
    alias = view.aliases.get(phrase)
    if alias is not None and alias[1] == "synonym":
        return alias
    for form in _number_forms(phrase):
        index = view.loose.get(form)
        if index is not None:
            return index, "plural"
        other = view.aliases.get(form)
        if other is not None and other[1] == "synonym":
            return other
    if alias is not None:
        return alias
    plain = without_accents(phrase)
    index = view.unaccented.get(plain, view.loose.get(plain))
    return (index, "spelling") if index is not None else view.names.variant(phrase)


def _number_forms(phrase: str) -> list[str]:
    """Singular for plural and the reverse, by the regular English endings."""
    forms = [f"{phrase}s", f"{phrase}es"]
    if phrase.endswith("ies"):
        forms.append(f"{phrase[:-3]}y")
    if phrase.endswith("es"):
        forms.append(phrase[:-2])
    if phrase.endswith("s"):
        forms.append(phrase[:-1])
    if phrase.endswith("y"):
        forms.append(f"{phrase[:-1]}ies")
    return forms
