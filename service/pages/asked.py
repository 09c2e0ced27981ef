from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

from service.parameters import MOST_TAGS
from service.understanding import LONGEST_QUERY

GROUPS: Final = 8
MOST_GROUPS: Final = 24
SPECIFICITY: Final = 0.5


@dataclass(frozen=True)
class Asked:
    """The state of the search page, all of it in the address; what is as usual is left out of links."""

    corpus: str
    q: str = ""
    tags: tuple[str, ...] = ()
    groups: int = GROUPS
    specificity: float = SPECIFICITY

    def link(self, *, add: str = "", drop: str = "") -> str:
        """The address of the same page with one tag more or less."""
        tags = [tag for tag in self.tags if tag != drop] + ([add] if add and add not in self.tags else [])
        state = [("corpus", self.corpus), *(("tag", tag) for tag in tags)]
        if self.groups != GROUPS:
            state.append(("groups", str(self.groups)))
        if self.specificity != SPECIFICITY:
            state.append(("specificity", f"{self.specificity:g}"))
        return "/?" + urlencode(state)

    def chosen(self, tags: list[str]) -> "Asked":
        """The state from which links go on: typed words have become tags."""
        return replace(self, q="", tags=tuple(tags))


def asked(arguments: MultiDict[str, str], corpus: str) -> Asked:
    """The state that an address describes; whatever makes no sense is as usual."""
    return Asked(
        corpus=arguments.get("corpus", corpus),
        q=arguments.get("q", "")[:LONGEST_QUERY].strip(),
        tags=tuple(dict.fromkeys(tag for tag in arguments.getlist("tag") if tag.strip()))[:MOST_TAGS],
        groups=whole(arguments, "groups", GROUPS, 1, MOST_GROUPS),
        specificity=_share(arguments, "specificity", SPECIFICITY),
    )


def whole(arguments: MultiDict[str, str], name: str, usual: int, low: int, high: int) -> int:
    """A whole number of the address, within its range."""
    return min(max(arguments.get(name, usual, type=int), low), high)


def _share(arguments: MultiDict[str, str], name: str, usual: float) -> float:
    found = arguments.get(name, usual, type=float)
    return round(found, 2) if 0.0 <= found <= 1.0 else usual
