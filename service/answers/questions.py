"""Answers about tags: clouds, related tags, lists and single tags.

What an answer lists many times is a TypedDict: a dict is made and encoded in half the time of a dataclass.
"""

from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict  # pydantic describes that of typing only from Python 3.12 on

from service.view.names import Reading
from snapshot import AliasKind


@dataclass(frozen=True)
class Part:
    """A piece of the query, the tag it was taken for, and how it was recognised.

    `how` is "title", and there is no tag, for a word that is no tag but stands in titles of documents.
    """

    text: str
    tag: str | None
    how: Reading


@dataclass(frozen=True)
class DidYouMean:
    """A piece of the query that is no tag, or a rare one, and the tags that may have been meant."""

    text: str
    tags: list[str]


@dataclass(frozen=True)
class QueryAnswer:
    """The query as it was understood: `ignored` words are no tags.

    `suggestions` is what they may have meant, and the common form of a rare tag (*payments*: *payment*).
    Nothing of the answer has an `excluded` tag. `group` are the tags of the opened group, whose documents alone count.
    """

    text: str
    tags: list[str]
    understood: list[Part]
    ignored: list[str]
    suggestions: list[DidYouMean]
    excluded: list[Part]
    group: list[str]


class CloudTag(TypedDict):
    """One tag of a cloud: `weight` is scaled for display (the heaviest has 1), `score` is raw.

    `together`, if asked for, counts the documents that have the tag and all tags of the query.
    """

    tag: str
    weight: float
    count: int
    score: float
    cluster: int | None
    broad: bool
    together: NotRequired[int]


class ClusterShare(TypedDict):
    """A cluster that tags of a group belong to, and its share of the group's weight."""

    id: int
    share: float


class CloudGroup(TypedDict):
    """Tags that belong together. `key` is its leading tag, unique in the cloud; `label` names up to three of its tags.

    `edited`: the label is an editor's, of the one cluster that all its tags belong to. `relevance`: how much the group
    belongs to this query rather than to every query; the first group by it has 1. `hue`: its colour, that of the
    concept with the largest share of it, in degrees of the OKLCH circle; near concepts have near ones. At the end come
    a group of tags that are `common` with everything, and one (`also`) of tags that have little in common, or matter
    little.
    """

    key: str
    label: str
    edited: bool
    common: bool
    also: bool
    relevance: float
    weight: float
    hue: int | None
    clusters: list[ClusterShare]
    tags: list[CloudTag]


@dataclass(frozen=True)
class Other:
    """Candidates that `limit` left out: how many, their raw score, and their share of the score of all candidates."""

    size: int
    score: float
    share: float


@dataclass(frozen=True)
class CloudAnswer:
    """A grouped tag cloud, most relevant group and heaviest tag first; groups that close it come last.

    `warning` says in a sentence that the groups mean little, because the query has hardly any company or the concepts
    of the corpus mean little; there are fewer of them then.
    """

    corpus: str
    version: str
    revision: int
    query: QueryAnswer
    groups: list[CloudGroup]
    other: Other
    warning: str | None = None


class Because(TypedDict):
    """A tag and its share in a suggestion, or in the score of a document."""

    tag: str
    share: float


class RelatedTag(TypedDict):
    """A suggestion, with its cluster and the query tags that brought it; `together` as in a cloud."""

    tag: str
    score: float
    count: int
    cluster: int | None
    because: list[Because]
    together: NotRequired[int]


@dataclass(frozen=True)
class RelatedAnswer:
    """Suggestions, best first."""

    corpus: str
    version: str
    revision: int
    query: QueryAnswer
    related: list[RelatedTag]


KnownAs = TypedDict("KnownAs", {"as": str}, total=False)
"""`as` is a name that Python cannot give to an attribute."""


class ListedTag(KnownAs):
    """A tag with its count and its cluster; `rare`: too few documents have it for the tree.

    `as`: the synonym or variant that matched, if the tag itself did not. `description`: what the tag is for, if an
    editor said it.
    """

    tag: str
    count: int
    cluster: int | None
    rare: bool
    description: NotRequired[str]


class TitleWord(TypedDict):
    """A word of titles that is no tag, and how many documents have it in their titles."""

    word: str
    count: int


@dataclass(frozen=True)
class TagsAnswer:
    """One page of the tags that match: `prefix` itself, what begins with it, then those with a later word that does.

    Either come by falling count, the rare ones last. `total` is how many match in all. `titles`: words of titles that
    begin with `prefix` and are no tags, if the page has room for them.
    """

    corpus: str
    version: str
    revision: int
    total: int
    offset: int
    tags: list[ListedTag]
    titles: list[TitleWord]


class ListedAlias(TypedDict):
    """Another name of a tag, how it came to stand for it, and how often documents have it."""

    alias: str
    tag: str
    how: AliasKind
    count: int


@dataclass(frozen=True)
class AliasesAnswer:
    """One page of the other names of tags, those of the commonest tags first; `total` is how many there are."""

    corpus: str
    version: str
    revision: int
    total: int
    offset: int
    aliases: list[ListedAlias]


class Neighbour(TypedDict):
    """A related tag and its score; `together`, if asked for, counts the documents that have both tags."""

    tag: str
    score: float
    count: int
    cluster: int | None
    together: NotRequired[int]


@dataclass(frozen=True)
class TagAnswer:
    """All about one tag: `share` of the documents, `breadth` from 0 (specific) to 1 (everywhere).

    Too few documents have a `rare` tag for the tree: it has no breadth, and maybe no concept. The run
    `moved_by_refinement` a tag that its cluster explains better than the branch of the tree that it belongs to.
    `synonyms` are declared, `variants` are the other spellings that the run folded into it, commonest first.
    What editors say about it: its `description` in Markdown, its `labels` by language, the `broader` tags that it is a
    kind of, the `narrower` ones that are a kind of it, and the tags that it `implies` or is `implied_by`.
    """

    corpus: str
    version: str
    revision: int
    tag: str
    count: int
    share: float
    cluster: int | None
    label: str | None
    breadth: float | None
    broad: bool
    rare: bool
    moved_by_refinement: bool
    synonyms: list[str]
    variants: list[str]
    description: str
    labels: dict[str, str]
    broader: list[str]
    narrower: list[str]
    implies: list[str]
    implied_by: list[str]
    neighbours: list[Neighbour]
