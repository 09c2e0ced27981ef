"""The groups of a cloud as the search page shows them.

All texts here are HTML already, for a template without autoescape: a page has hundreds of them, and to escape and quote
them one by one takes most of its time. What depends on a tag alone is written once and remembered.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import quote

from service.answers import Because, CloudGroup, CloudTag
from service.pages.frame.colours import concept_hue
from service.pages.frame.markup import as_html, escaped
from service.pages.frame.params import QUOTED
from service.pages.search.heights import rows
from service.view.view import View

SIZES: Final = 8
"""The style sheet has classes w1…w8, light to heavy."""

Opening = Callable[[Iterable[str]], str]
"""The address that opens a group with these tags."""

Address = Callable[[str], str]
"""The address that adds a tag to the query, or to what it excludes, as HTML."""


COMMON: Final = "Common with everything"
ALSO: Final = "Also"


def closing_title(group: CloudGroup) -> str:
    """What a group is called that closes a cloud, whatever its tags; empty for all others."""
    return ALSO if group["also"] else COMMON if group["common"] else ""


class GroupSection(NamedTuple):
    """A group: its colour, where the page shows it, its heading, and its tags as items of a list.

    `closing` is the title of a group that closes the cloud. `concept` is the address of the concept with the largest
    share of it, `opening` the address that opens it, `excluding` that of the query without it. `rows` is
    about its height.
    """

    key: str
    closing: str
    hue: str
    anchor: str
    label: str
    concept: str
    opening: str
    excluding: str
    tags: str
    rows: int


class Direction(NamedTuple):
    """The best tag of a group, and its reasons: the query tags that brought it, or the group."""

    hue: str
    address: str
    tag: str
    documents: str
    because: str


class GroupSections:
    """Makes the sections of one page. `concepts` is what the addresses of concepts begin with, as HTML."""

    def __init__(
        self, view: View, concepts: str, adding: Address, excluding: Address, opening: Opening | None = None
    ) -> None:
        self._view = view
        self._concepts = concepts
        self._adding = adding
        self._excluding = excluding
        self._opening = opening

    def section(self, group: CloudGroup, *, pictured: bool) -> GroupSection:
        """A group of the cloud; `pictured` if it shows pictures."""
        return GroupSection(
            key=group["key"],
            closing=closing_title(group),
            hue=self._hue(group),
            anchor=group_anchor(group["key"]),
            label=escaped(group["label"]),
            concept=f"{self._concepts}{group['clusters'][0]['id']}",
            opening=self._opened(group),
            excluding=self._excluding(group["key"]),
            tags="".join(map(self._item, group["tags"])),
            rows=rows(group["label"], map(_of_height, group["tags"]), pictured=pictured),
        )

    def direction(self, group: CloudGroup, because: list[Because]) -> Direction:
        """The best tag of a group; without reasons, the group is the reason."""
        best = group["tags"][0]
        link = f'in <a href="#{group_anchor(group["key"])}">{escaped(group["label"])}</a>'
        return Direction(
            hue=self._hue(group),
            address=self._adding(best["tag"]),
            tag=escaped(best["tag"]),
            documents=f"{best['count']:,}",
            because=f"through {_reasons(because)}" if because else link,
        )

    def _opened(self, group: CloudGroup) -> str:
        """The address that opens a group, by the tags that name it, then its heaviest; or else by its key."""
        if self._opening is None:
            return self._adding(group["key"])
        names = [group["key"], *([] if group["edited"] else group["label"].split(", ")[1:])]
        tags = [tag["tag"] for tag in group["tags"]]
        return as_html(self._opening(dict.fromkeys([name for name in names if name in tags] + tags)))

    def _hue(self, group: CloudGroup) -> str:
        """The colour of a group: that of the concept with the largest share of it; none if its tags have no concept."""
        return concept_hue(group["clusters"][0]["id"], self._view) if group["clusters"] else ""

    def _item(self, tag: CloudTag) -> str:
        """A tag of the cloud."""
        name = tag["tag"]
        hue = "" if tag["cluster"] is None else concept_hue(tag["cluster"], self._view)
        before, after = _around_address(name, tag["cluster"], tag["count"], tag["broad"], self._concepts, hue=hue)
        return f'\n          <li class="w{size(tag)} {before}{self._adding(name)}{after}'


@lru_cache(maxsize=QUOTED)
def _around_address(
    name: str, cluster: int | None, count: int, broad: bool, concepts: str, *, hue: str
) -> tuple[str, str]:
    """What the item of a tag has before and after the address that adds it; before that comes only its size."""
    mark, title, said = (" broad", ' title="Found with almost everything"', ", broad") if broad else ("", "", "")
    if cluster is None:
        counted = f'{count:,}<span class="hidden"> documents{said}</span>'
    else:
        concept = f'<a href="{concepts}{cluster}" tabindex="-1" title="Its concept">'
        counted = f'{concept}{count:,}<span class="hidden"> documents{said}; its concept</span></a>'
    return (
        f'{hue}{mark}"><a href="',
        f'"{title}>{escaped(name)}</a><small><span class="hidden">, </span>{counted}</small></li>',
    )


def _of_height(tag: CloudTag) -> tuple[str, int, int]:
    return tag["tag"], tag["count"], size(tag)


@lru_cache(maxsize=QUOTED)
def group_anchor(key: str) -> str:
    """Where a page shows a group: an id without spaces, which is also the fragment of its address."""
    return f"group-{quote(key, safe='')}"


def size(tag: CloudTag) -> int:
    """The size class of a tag; the square root keeps light tags readable beside heavy ones."""
    return 1 + min(int(tag["weight"] ** 0.5 * SIZES), SIZES - 1)


def _reasons(because: Iterable[Because]) -> str:
    """The query tags that brought a tag."""
    return ", ".join([escaped(reason["tag"]) for reason in because])
