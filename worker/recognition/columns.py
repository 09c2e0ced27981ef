"""Finds the id and the tags of a document among the names of columns or fields."""

import re
import shlex
from collections.abc import Sequence
from typing import Any, Final, Protocol

from worker.errors import CorpusError

TAG_NAMES: Final = (
    ("whole", {"tags", "tag"}),
    ("word", {"tags", "tag", "hashtags"}),
    ("whole", {"keywords", "keyword", "labels", "categories"}),
    ("word", {"keywords", "keyword", "labels", "label", "categories", "category"}),
    ("whole", {"genres", "topics", "subjects", "concepts", "themes", "bookshelves", "shelves", "folders"}),
    (
        "whole",
        {"schlagwörter", "schlagworte", "stichwörter", "stichworte", "étiquettes", "mots clés", "etiquetas",
         "palabras clave", "palavras chave", "etichette", "parole chiave", "trefwoorden", "słowa kluczowe", "теги",
         "метки", "ключевые слова", "标签", "タグ"},
    ),
)  # fmt: skip
"""What the column of the tags is called, likelier names first: as a whole, or by a word as in `post_tags`."""

ID_NAMES: Final = (
    ("whole", {"id"}),
    ("whole", {"doc", "document"}),
    ("word", {"id", "uuid", "guid"}),
    ("whole", {"key", "slug", "nr", "nummer"}),
    ("whole", {"isbn", "doi"}),
    ("word", {"url", "uri", "link", "permalink", "href", "doc", "document"}),
    ("whole", {"path", "filepath", "source file"}),
    ("whole", {"file", "filename", "file name"}),
)

PEOPLE: Final = {"user", "author", "owner", "member", "account", "tagger"}
"""Words of names such as `userId`: people tag documents, and are none."""

NAMES_OF_PEOPLE: Final = PEOPLE | {
    "authors", "users", "editor", "editors", "creator", "creators", "director", "directors", "actor", "actors", "cast",
    "artist", "artists", "writer", "writers", "translator", "contributor", "contributors", "people", "person",
    "developer", "developers", "publisher", "publishers", "name", "names",
}  # fmt: skip
"""Words of columns whose values look like lists of tags but are names."""

MEASURES: Final = {"weight", "count", "score", "rank", "votes", "timestamp", "time", "date", "rating"}

NOT_TAGS: Final = {"id", "ids", "count", "counts", "number", "date", "url", "slug", "type", "version"}
"""Words of names such as `tag_id` and `tag count`."""


def words(name: str) -> list[str]:
    """The words of a name: `PostTags`, `post_tags` and `Post Tags` are the same."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word.lower() for word in re.findall(r"[^\W_]+", spaced)]


def tag_candidates(names: Sequence[str]) -> list[str]:
    """The columns that are equally likely to hold the tags."""
    return _likeliest(names, TAG_NAMES, NOT_TAGS)


def id_candidates(names: Sequence[str], *, best_only: bool = True) -> list[str]:
    """The columns that are equally likely to hold the id, or all that may."""
    if best_only:
        return _likeliest(names, ID_NAMES, set())
    rest, candidates = list(names), []
    while best := _likeliest(rest, ID_NAMES, set()):
        candidates += best
        rest = [name for name in rest if name not in best]
    return candidates


def exact(names: Sequence[str], *wanted: str) -> str | None:
    """The first column of one of these names, in any case and with any white space around it."""
    return next((name for word in wanted for name in names if " ".join(words(name)) == word), None)


def named(names: Sequence[str], wanted: str, flag: str, place: object) -> str:
    """The column that a flag names, in any case; CorpusError with all columns if there is none."""
    if wanted in names:
        return wanted
    alike = [name for name in names if name.casefold() == wanted.casefold()]
    if len(alike) != 1:
        raise CorpusError(
            f"{place}: {flag} {wanted}: there is no such column or field; there are {listed_names(names)}"
        )
    return alike[0]


class HasValues(Protocol):
    """A sample of records."""

    def values(self, name: str) -> list[Any]:
        """The values of a column."""


def equally_likely(place: str, candidates: Sequence[str], role: str, flag: str, sample: HasValues) -> CorpusError:
    """That several columns may play a role, the flag that chooses one, and three values of each."""
    choices = " or ".join(f"{flag} {shell_word(name)}" for name in candidates)
    shown = "".join(
        f"\n  {flag} {shell_word(name)}: " + " · ".join(str(value)[:60] for value in sample.values(name)[:3])
        for name in candidates
    )
    return CorpusError(f"{place}: {' and '.join(candidates)} are equally likely to {role}; choose: {choices}{shown}")


def numbered_tags(names: Sequence[str]) -> list[str]:
    """Columns such as tag1, tag2 and tag3, if there are several."""
    numbered = [
        name for name in names if re.fullmatch(r"(tag|keyword|label|category|genre)s?[ _.-]?\d+", name, re.IGNORECASE)
    ]
    return numbered if len(numbered) > 1 else []


def belong_together(names: Sequence[str]) -> bool:
    """Whether several columns hold parts of the same tags: numbered ones, or Zotero's manual and automatic tags."""
    return bool(numbered_tags(names)) or {name.lower() for name in names} == {"manual tags", "automatic tags"}


def shell_word(text: str) -> str:
    """A name or query as it is typed in a shell."""
    return shlex.quote(text)


def listed_names(names: Sequence[Any]) -> str:
    """Names in a message, at most twenty."""
    return ", ".join(map(str, names[:20])) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _likeliest(names: Sequence[str], likely: Sequence[tuple[str, set[str]]], excluded: set[str]) -> list[str]:
    for extent, accepted in likely:
        for_names = [(name, words(name)) for name in names]
        if extent == "whole":
            found = [name for name, parts in for_names if " ".join(parts) in accepted]
        else:
            found = [name for name, parts in for_names if accepted & set(parts) and not excluded & set(parts)]
        if found:
            return found
    return []
