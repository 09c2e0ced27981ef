# `python -m clients --write` writes this file from openapi.json.
"""The answers of the API, as typed dicts."""

from typing import Any, Literal, NotRequired, TypedDict


class AcceptedAnswer(TypedDict):
    """Documents were accepted, and where they belong as the served `version` has it (null while there is none).

    `placed` tells the clusters of the documents, `new_tags` those of the tags that are new with them.
    """

    corpus: "str"
    changed: "int"
    documents: "int"
    version: "NotRequired[str | None]"
    revision: "NotRequired[int | None]"
    placed: "NotRequired[list[PlacedDocument]]"
    new_tags: "NotRequired[list[NewTag]]"


class ActivatedAnswer(TypedDict):
    """The version that the corpus serves from now on."""

    corpus: "str"
    version: "str"


class AliasesAnswer(TypedDict):
    """One page of the other names of tags, those of the commonest tags first; `total` is how many there are."""

    corpus: "str"
    version: "str"
    revision: "int"
    total: "int"
    offset: "int"
    aliases: "list[ListedAlias]"


class Because(TypedDict):
    """A tag and its share in a suggestion, or in the score of a document."""

    tag: "str"
    share: "float"


class CanonicalAnswer(TypedDict):
    """What names stand for, in the order of the request; the tags `missing` beside them, and which are `banned`."""

    corpus: "str"
    version: "str"
    revision: "int"
    tags: "list[CanonicalTag | UnknownTag]"
    missing: "list[MissingTag]"
    banned: "list[str]"


class CanonicalTag(TypedDict):
    """A name that was given (`input`), the tag that it stands for, and how it was recognised."""

    input: "str"
    tag: "str"
    how: "Literal['exact', 'synonym', 'plural', 'inflection', 'spelling']"
    count: "int"


class ChangedConcept(TypedDict):
    """A concept with other tags or another label; null where it does not exist."""

    id: "int"
    before: "ConceptState | None"
    after: "ConceptState | None"


class ChangedCount(TypedDict):
    """How many documents a tag has before and after a change; null where it does not exist.

    If the change says what is narrower than the tag, documents with narrower tags count.
    """

    tag: "str"
    before: "int | None"
    after: "int | None"


class ChangesAnswer(TypedDict):
    """What changed from the version `since` to the version that is served. Tags are compared by their normal form.

    A concept may be in two lists. `parents` are the concepts of `since` of which it took a quarter of the tags or more.
    """

    corpus: "str"
    since: "str"
    version: "str"
    new: "list[ConceptChange]"
    split: "list[ConceptChange]"
    merged: "list[ConceptChange]"
    gone: "list[ConceptChange]"
    renamed: "list[ConceptChange]"
    came: "list[str]"
    went: "list[str]"
    moved: "list[TagMove]"


class ClassifyAnswer(TypedDict):
    """Where a document with these tags belongs: the most likely cluster of documents, and the next ones."""

    corpus: "str"
    version: "str"
    revision: "int"
    tags: "list[str]"
    document_cluster: "DocumentPlace"
    others: "list[DocumentPlace]"
    new_tags: "list[NewTag]"


class CloudAnswer(TypedDict):
    """A grouped tag cloud, most relevant group and heaviest tag first; groups that close it come last.

    `warning` says in a sentence that the groups mean little, because the query has hardly any company or the concepts
    of the corpus mean little; there are fewer of them then.
    """

    corpus: "str"
    version: "str"
    revision: "int"
    query: "QueryAnswer"
    groups: "list[CloudGroup]"
    other: "Other"
    warning: "NotRequired[str | None]"


class CloudGroup(TypedDict):
    """Tags that belong together. `key` is its leading tag, unique in the cloud; `label` names up to three of its tags.

    `edited`: the label is an editor's, of the one cluster that all its tags belong to. `relevance`: how much the group
    belongs to this query rather than to every query; the first group by it has 1. `hue`: its colour, that of the
    concept with the largest share of it, in degrees of the OKLCH circle; near concepts have near ones. At the end come
    a group of tags that are `common` with everything, and one (`also`) of tags that have little in common, or matter
    little.
    """

    key: "str"
    label: "str"
    edited: "bool"
    common: "bool"
    also: "bool"
    relevance: "float"
    weight: "float"
    hue: "int | None"
    clusters: "list[ClusterShare]"
    tags: "list[CloudTag]"


class CloudTag(TypedDict):
    """One tag of a cloud: `weight` is scaled for display (the heaviest has 1), `score` is raw.

    `together`, if asked for, counts the documents that have the tag and all tags of the query.
    """

    tag: "str"
    weight: "float"
    count: "int"
    score: "float"
    cluster: "int | None"
    broad: "bool"
    together: "NotRequired[int]"


class ClusterAnswer(TypedDict):
    """One cluster, its tags by falling count."""

    id: "int"
    label: "str"
    size: "int"
    tags: "list[str]"


class ClusterDetail(TypedDict):
    """One cluster of the chosen cut; `lineage` is what the snapshot says about its descent.

    `documents` belong to it, because it has the largest share of them after smoothing; they are this `share` of all.
    """

    corpus: "str"
    version: "str"
    revision: "int"
    id: "int"
    label: "str"
    size: "int"
    documents: "int | None"
    share: "float | None"
    tags: "list[Member]"
    near: "list[NearCluster]"
    lineage: "dict[str, Any]"
    representatives: "list[DocumentEntry]"


class ClusterShare(TypedDict):
    """A cluster that tags of a group belong to, and its share of the group's weight."""

    id: "int"
    share: "float"


class ClustersAnswer(TypedDict):
    """A partition of all tags. `chosen` if it is the cut of the snapshot, whose ids last from version to version."""

    corpus: "str"
    version: "str"
    revision: "int"
    k: "int"
    chosen: "bool"
    offset: "int"
    clusters: "list[ClusterAnswer]"


class ConceptChange(TypedDict):
    """A concept that changed: its label now, or its last one if it is gone, and the one it had before, if any."""

    id: "int"
    label: "str"
    before: "str | None"
    parents: "list[int]"


class ConceptState(TypedDict):
    """A concept before or after a change."""

    label: "str"
    size: "int"


class ControlAnswer(TypedDict):
    """Whether the schedule of the corpus is paused, and which version is pinned."""

    corpus: "str"
    paused: "bool"
    pinned: "str | None"


class CorporaAnswer(TypedDict):
    """All corpora; `stale` while the store is away and what is served may be out of date."""

    corpora: "list[CorpusAnswer]"
    stale: "bool"


class CorpusAnswer(TypedDict):
    """What is served of a corpus; `stale_seconds` since the store last confirmed that this is the current version.

    `rare_tags` are those of its `tags` that too few documents have for the tree. `warning` says that its concepts mean
    little, and what to try.
    """

    name: "str"
    title: "str"
    version: "str"
    revision: "int"
    created: "str"
    age_seconds: "float"
    stale: "bool"
    stale_seconds: "float"
    documents: "int"
    tags: "int"
    rare_tags: "int"
    clusters: "int"
    parameters: "dict[str, Any]"
    quality: "dict[str, Any]"
    warning: "str | None"
    suggestions: "dict[str, Any]"
    lineage: "dict[str, Any]"
    schedule: "str | None"
    next_run: "float | None"
    paused: "bool"
    pinned: "str | None"
    pushed: "bool"
    run: "RunAnswer | None"


class CurveAnswer(TypedDict):
    """The criterion by number of clusters k, arrays in parallel; `height` (of tags only) is what a cut into k loses."""

    corpus: "str"
    version: "str"
    revision: "int"
    side: "Literal['tags', 'documents']"
    chosen: "int | None"
    k: "list[int]"
    entropy: "list[float]"
    information: "list[float]"
    criterion: "list[float]"
    height: "list[float] | None"


class DidYouMean(TypedDict):
    """A piece of the query that is no tag, or a rare one, and the tags that may have been meant."""

    text: "str"
    tags: "list[str]"


class DocumentAnswer(TypedDict):
    """One document, the tags that it may be missing, and the documents nearest to it."""

    corpus: "str"
    version: "str"
    revision: "int"
    fresh: "int"
    document: "DocumentEntry"
    missing: "list[RelatedTag]"
    similar: "list[DocumentEntry]"


class DocumentEntry(TypedDict):
    """A document as people see it. What the source does not say is null, or empty.

    `rare` are those of its `tags` that too few documents have to be in the tree. `cluster` is the concept with the
    largest share of the document, null if its tags have none. `because` lists the tags of the document that
    brought it up, largest share first. `date` is in UTC, and a year begins on its first day.
    """

    id: "str"
    title: "str | None"
    url: "str | None"
    image: "str | None"
    date: "str | None"
    fields: "dict[str, Any]"
    tags: "list[str]"
    rare: "list[str]"
    cluster: "int | None"
    score: "float"
    because: "list[Because]"


class DocumentPlace(TypedDict):
    """A cluster of documents, labelled by the tags that tell it apart; `size` counts its documents.

    `confidence` is how likely it is; those of all clusters sum to 1.
    """

    id: "int"
    label: "str"
    size: "int"
    confidence: "float"


class DocumentsAnswer(TypedDict):
    """One page of the documents behind a query, best first; `total` counts those with all its tags.

    `more` says whether another page follows. `fresh` is how many documents of the corpus came or changed after the
    version was made; they count.
    """

    corpus: "str"
    version: "str"
    revision: "int"
    fresh: "int"
    query: "QueryAnswer"
    total: "int"
    offset: "int"
    more: "bool"
    documents: "list[DocumentEntry]"


class EditAnswer(TypedDict):
    """One decision; `why` it is inactive, and whether its kind takes effect now or with the next run."""

    id: "str"
    kind: "Literal['move', 'together', 'apart', 'label', 'synonym', 'ban', 'distinct', 'broader', 'implies', 'describe', 'translate', 'keep', 'later', 'admit']"
    tag: "str"
    to: "str"
    tags: "list[str]"
    label: "str"
    text: "str"
    language: "str"
    by: "str"
    at: "str"
    origin: "Literal['api', 'file']"
    line: "int | None"
    state: "Literal['active', 'waiting', 'inactive']"
    why: "str | None"
    takes_effect: "Literal['now', 'next run']"


class EditConflict(TypedDict):
    """Two edits that cannot both hold: a new one, and another."""

    detail: "str"
    edit: "EditAnswer"
    other: "EditAnswer"


class EditReport(TypedDict):
    """What a change would do. The first hundred tags and concepts are listed.

    `documents` has the tags that the change is about and whose number of documents changes.
    """

    corpus: "str"
    version: "str"
    revision: "int"
    tags_moved: "int"
    concepts_changed: "int"
    recall: "Figure"
    bits: "Figure"
    moved: "NotRequired[list[MovedTag]]"
    concepts: "NotRequired[list[ChangedConcept]]"
    documents: "NotRequired[list[ChangedCount]]"


class EditedAnswer(TypedDict):
    """What a change added and removed. If it `needs_run`, `detail` says what to do."""

    corpus: "str"
    version: "str | None"
    revision: "int"
    added: "list[EditAnswer]"
    removed: "list[EditAnswer]"
    needs_run: "bool"
    detail: "str"


class EditsAnswer(TypedDict):
    """One page of the edits, newest first, and how many of all are active, waiting for a run, and inactive.

    `stale`: the store is away, and these are the last ones that the service has seen.
    """

    corpus: "str"
    version: "str | None"
    revision: "int"
    total: "int"
    offset: "int"
    stale: "bool"
    active: "int"
    waiting: "int"
    inactive: "int"
    edits: "list[EditAnswer]"


class FacetGroup(TypedDict):
    """Tags that belong together, as in a cloud."""

    key: "str"
    label: "str"
    edited: "bool"
    common: "bool"
    also: "bool"
    relevance: "float"
    weight: "float"
    hue: "int | None"
    clusters: "list[ClusterShare]"
    tags: "list[FacetTag]"


class FacetTag(TypedDict):
    """A tag with the count of the other engine, and the values of its facet that stand for the tag."""

    tag: "str"
    values: "list[str]"
    weight: "float"
    count: "int"
    cluster: "int | None"
    broad: "bool"


class Figure(TypedDict):
    """A figure before and after a change; null if it cannot be measured here."""

    before: "float | None"
    after: "float | None"


class GivenTag(TypedDict):
    """A tag that was given.

    `kept`: it is one. `canonical`: `tag` is the one it stands for, `how` says why. `near`: it may be a double of the
    tags in `near`. `new`: nothing is like it. `refused`: it is banned, as far as known `by` whom and `at` what time.
    """

    input: "str"
    state: "Literal['kept', 'canonical', 'near', 'new', 'refused']"
    tag: "str | None"
    how: "Literal['exact', 'synonym', 'plural', 'inflection', 'spelling'] | None"
    count: "int"
    near: "list[NearTag]"
    by: "str | None"
    at: "str | None"


class GroupAnswer(TypedDict):
    """The values of a facet as a grouped cloud, heaviest group and tag first; `unknown` values by falling count."""

    corpus: "str"
    version: "str"
    revision: "int"
    facet: "str"
    groups: "list[FacetGroup]"
    unknown: "list[UnknownValue]"


class HistoryConcept(TypedDict):
    """A concept of a history: its share of it, and its share of what is `recommended`."""

    id: "int"
    label: "str"
    share: "float"
    recommended: "float"


class HistoryReason(TypedDict):
    """Something in a history that speaks for a document, and its share of all that does."""

    kind: "Literal['document', 'tag']"
    name: "str"
    title: "str | None"
    share: "float"


class KindAnswer(TypedDict):
    """How many proposals of a kind there are; `hidden`: too few are right, so only a question for the kind has them."""

    kind: (
        "Literal['variant', 'nested', 'co-occurring', 'substitute', 'rare', 'head-word', 'implied', 'broad', 'staged']"
    )
    total: "int"
    hidden: "bool"


class Leaf(TypedDict):
    """A leaf of a cut tree: one item, or the branch below the cut."""

    id: "int"
    label: "str"
    size: "int"
    height: "float"


class LineFault(TypedDict):
    """What is wrong with one line of a body."""

    line: "int"
    error: "str"


class LinkageAnswer(TypedDict):
    """The tree as scipy's linkage: rows [a, b, height, leaves below], nodes counted leaves first."""

    corpus: "str"
    version: "str"
    revision: "int"
    side: "Literal['tags', 'documents']"
    k: "int"
    unit: "str"
    leaves: "list[Leaf]"
    linkage: "list[tuple[float, float, float, float]]"


class ListedAlias(TypedDict):
    """Another name of a tag, how it came to stand for it, and how often documents have it."""

    alias: "str"
    tag: "str"
    how: "Literal['synonym', 'plural', 'spelling']"
    count: "int"


ListedTag = TypedDict(
    "ListedTag",
    {
        "as": "NotRequired[str]",
        "tag": "str",
        "count": "int",
        "cluster": "int | None",
        "rare": "bool",
        "description": "NotRequired[str]",
    },
)
"""A tag with its count and its cluster; `rare`: too few documents have it for the tree.

`as`: the synonym or variant that matched, if the tag itself did not. `description`: what the tag is for, if an
editor said it.
"""


class Liveness(TypedDict):
    """The process answers."""

    alive: "bool"


class Member(TypedDict):
    """A tag of a cluster; `moved_by_refinement` if the tree has it elsewhere, but this cluster explains it better."""

    tag: "str"
    count: "int"
    breadth: "float"
    broad: "bool"
    moved_by_refinement: "bool"


class MissingTag(TypedDict):
    """A tag worth adding to those that were recognised."""

    tag: "str"
    score: "float"
    count: "int"
    cluster: "int | None"


class MovedTag(TypedDict):
    """A tag that changes its concept."""

    tag: "str"
    before: "int | None"
    after: "int | None"


class NearCluster(TypedDict):
    """Another cluster, by how soon the tree joins it with this one."""

    id: "int"
    label: "str"
    size: "int"


class NearTag(TypedDict):
    """A tag that a given one may be a double of, and why."""

    tag: "str"
    count: "int"
    evidence: "str"


class Neighbour(TypedDict):
    """A related tag and its score; `together`, if asked for, counts the documents that have both tags."""

    tag: "str"
    score: "float"
    count: "int"
    cluster: "int | None"
    together: "NotRequired[int]"


class NewTag(TypedDict):
    """A tag that the snapshot does not know, the cluster of tags nearest to its documents, and how likely that is."""

    tag: "str"
    cluster: "int | None"
    label: "str"
    confidence: "float"
    documents: "int"


class Other(TypedDict):
    """Candidates that `limit` left out: how many, their raw score, and their share of the score of all candidates."""

    size: "int"
    score: "float"
    share: "float"


class Part(TypedDict):
    """A piece of the query, the tag it was taken for, and how it was recognised.

    `how` is "title", and there is no tag, for a word that is no tag but stands in titles of documents.
    """

    text: "str"
    tag: "str | None"
    how: "Literal['exact', 'synonym', 'plural', 'inflection', 'title', 'spelling']"


class PastRunAnswer(TypedDict):
    """A run that ended, or several in a row on one day that found nothing to do; `seconds` is their sum."""

    job: "str"
    state: "str"
    ended: "float"
    seconds: "float"
    version: "str"
    error: "str"
    times: "int"


class PlacedDocument(TypedDict):
    """A pushed document and its cluster of documents; null for one without a known tag."""

    id: "str"
    document_cluster: "int | None"
    confidence: "float"


class Problem(TypedDict):
    """RFC 9457 problem details. `instance` is the id of the request, as in the logs.

    `reason` says why a corpus has no snapshot to answer from, `oldest` is the oldest version that is still known,
    `conflicts` are edits that contradict each other, and `revision` is the one that the edits have.
    """

    type: "str"
    title: "str"
    status: "int"
    detail: "str"
    instance: "NotRequired[str]"
    suggestions: "NotRequired[list[str]]"
    lines: "NotRequired[list[LineFault]]"
    reason: "NotRequired[Literal['clustering', 'queued', 'interrupted', 'no-worker', 'no-scheduler', 'failed', 'cancelled', 'held', 'not-started', 'empty', 'unreadable', 'store-away'] | None]"
    oldest: "NotRequired[str | None]"
    revision: "NotRequired[int | None]"
    conflicts: "NotRequired[list[EditConflict]]"


class ProposalAnswer(TypedDict):
    """One proposal: that `other` is another name of `tag`, is a kind of it or implies it; or that `tag` says nothing.

    `similarity` is that of the company of the two, and `shared` the tags near to both; of a broad tag, its breadth and
    the tags near to it. `changes` is how many documents would change. `documents` has one document with each of the
    two, two with both if they co-occur, and three for a relation, first those that would change. `text_similarity` of a
    substitute is how alike the texts of both are, by `words`, null without texts; `sentence` says it. `choices` are
    tags that a staged one may be another name of.
    """

    kind: (
        "Literal['variant', 'nested', 'co-occurring', 'substitute', 'rare', 'head-word', 'implied', 'broad', 'staged']"
    )
    tag: "str"
    other: "str | None"
    count: "int"
    other_count: "int | None"
    together: "int | None"
    changes: "int"
    similarity: "float"
    shared: "list[str]"
    documents: "list[SampleDocument]"
    text_similarity: "float | None"
    words: "list[str]"
    sentence: "str | None"
    choices: "list[str]"


class ProposalsAnswer(TypedDict):
    """One page of the proposals, kind by kind; `total` counts those on all pages."""

    corpus: "str"
    version: "str"
    revision: "int"
    kinds: "list[KindAnswer]"
    total: "int"
    offset: "int"
    proposals: "list[ProposalAnswer]"


class PushedAnswer(TypedDict):
    """Documents were accepted or removed; `documents` is how many the corpus holds now, for its next run."""

    corpus: "str"
    changed: "int"
    documents: "int"


class QueryAnswer(TypedDict):
    """The query as it was understood: `ignored` words are no tags.

    `suggestions` is what they may have meant, and the common form of a rare tag (*payments*: *payment*).
    Nothing of the answer has an `excluded` tag. `group` are the tags of the opened group, whose documents alone count.
    """

    text: "str"
    tags: "list[str]"
    understood: "list[Part]"
    ignored: "list[str]"
    suggestions: "list[DidYouMean]"
    excluded: "list[Part]"
    group: "list[str]"


class Readiness(TypedDict):
    """Whether questions can be answered, and from what; `stale` corpora with the seconds since last confirmed.

    `missing` are the known corpora that have no snapshot, and why.
    """

    ready: "bool"
    store: "bool"
    corpora: "dict[str, str]"
    stale: "dict[str, float]"
    missing: "dict[str, Literal['clustering', 'queued', 'interrupted', 'no-worker', 'no-scheduler', 'failed', 'cancelled', 'held', 'not-started', 'empty', 'unreadable', 'store-away']]"


class RecommendAnswer(TypedDict):
    """Documents for a history, spread over its concepts.

    `divergence` says how far the concepts of the documents are from those of the history; 0 is the same. `unknown`
    lists what the corpus does not know of the history.
    """

    corpus: "str"
    version: "str"
    revision: "int"
    fresh: "int"
    unknown: "list[str]"
    divergence: "float | None"
    concepts: "list[HistoryConcept]"
    documents: "list[RecommendedDocument]"


class RecommendedDocument(TypedDict):
    """A document, what of the history it is recommended `because` of, and the same as a sentence."""

    document: "DocumentEntry"
    because: "list[HistoryReason]"
    sentence: "str"


class RelatedAnswer(TypedDict):
    """Suggestions, best first."""

    corpus: "str"
    version: "str"
    revision: "int"
    query: "QueryAnswer"
    related: "list[RelatedTag]"


class RelatedTag(TypedDict):
    """A suggestion, with its cluster and the query tags that brought it; `together` as in a cloud."""

    tag: "str"
    score: "float"
    count: "int"
    cluster: "int | None"
    because: "list[Because]"
    together: "NotRequired[int]"


class RunAnswer(TypedDict):
    """How a run is getting on, or how it ended. Times are seconds since the epoch."""

    job: "str"
    corpus: "str"
    state: "str"
    stage: "str"
    done: "int"
    total: "int"
    version: "str"
    error: "str"
    started: "float"
    updated: "float"
    report: "NotRequired[dict[str, Any] | None]"


class RunsAnswer(TypedDict):
    """One page of the runs of the last year, newest first."""

    corpus: "str"
    total: "int"
    offset: "int"
    runs: "list[PastRunAnswer]"


class SampleDocument(TypedDict):
    """A document that shows how a tag is used."""

    id: "str"
    title: "str | None"
    url: "str | None"
    tags: "list[str]"


class SimilarAnswer(TypedDict):
    """One page of the documents like one document, or like one with the tags of the query; `document` is its id."""

    corpus: "str"
    version: "str"
    revision: "int"
    fresh: "int"
    document: "str | None"
    query: "QueryAnswer"
    offset: "int"
    more: "bool"
    documents: "list[DocumentEntry]"


class SnapshotAnswer(TypedDict):
    """One stored version; `problem` says why this service cannot read it, `warning` that its concepts mean little."""

    version: "str"
    current: "bool"
    created: "str | None"
    documents: "int | None"
    tags: "int | None"
    rare_tags: "int | None"
    clusters: "int | None"
    quality: "dict[str, Any]"
    warning: "str | None"
    suggestions: "dict[str, Any]"
    lineage: "dict[str, Any]"
    problem: "str | None"


class SnapshotsAnswer(TypedDict):
    """One page of the stored versions, newest first; `served` is what this process answers from."""

    corpus: "str"
    current: "str | None"
    served: "str | None"
    total: "int"
    offset: "int"
    snapshots: "list[SnapshotAnswer]"


class SuggestAnswer(TypedDict):
    """Tags for each document, in the order of the request; `text_known`: whether the version learnt from texts."""

    corpus: "str"
    version: "str"
    revision: "int"
    text_known: "bool"
    documents: "list[SuggestedDocument]"


class SuggestReason(TypedDict):
    """One reason for a suggested tag: its words, the ids of its documents or its tags, and the same as a sentence."""

    kind: "Literal['words', 'documents', 'tags']"
    words: "list[str]"
    documents: "list[str]"
    tags: "list[str]"
    sentence: "str"


class SuggestedConcept(TypedDict):
    """The concept that most of a document's tags belong to, given and suggested ones, and their share in it."""

    id: "int"
    label: "str"
    share: "float"


class SuggestedDocument(TypedDict):
    """One document of the request: tags to add, what becomes of the tags it has, and its concept."""

    tags: "list[SuggestedTag]"
    given: "list[GivenTag]"
    concept: "SuggestedConcept | None"


class SuggestedTag(TypedDict):
    """A tag worth adding; `score` is its probability."""

    tag: "str"
    score: "float"
    count: "int"
    cluster: "int | None"
    reasons: "list[SuggestReason]"


class TagAnswer(TypedDict):
    """All about one tag: `share` of the documents, `breadth` from 0 (specific) to 1 (everywhere).

    Too few documents have a `rare` tag for the tree: it has no breadth, and maybe no concept. The run
    `moved_by_refinement` a tag that its cluster explains better than the branch of the tree that it belongs to.
    `synonyms` are declared, `variants` are the other spellings that the run folded into it, commonest first.
    What editors say about it: its `description` in Markdown, its `labels` by language, the `broader` tags that it is a
    kind of, the `narrower` ones that are a kind of it, and the tags that it `implies` or is `implied_by`.
    """

    corpus: "str"
    version: "str"
    revision: "int"
    tag: "str"
    count: "int"
    share: "float"
    cluster: "int | None"
    label: "str | None"
    breadth: "float | None"
    broad: "bool"
    rare: "bool"
    moved_by_refinement: "bool"
    synonyms: "list[str]"
    variants: "list[str]"
    description: "str"
    labels: "dict[str, str]"
    broader: "list[str]"
    narrower: "list[str]"
    implies: "list[str]"
    implied_by: "list[str]"
    neighbours: "list[Neighbour]"


class TagMove(TypedDict):
    """A tag whose concept changed: the ids before and now."""

    tag: "str"
    before: "int"
    after: "int"


class TagsAnswer(TypedDict):
    """One page of the tags that match: `prefix` itself, what begins with it, then those with a later word that does.

    Either come by falling count, the rare ones last. `total` is how many match in all. `titles`: words of titles that
    begin with `prefix` and are no tags, if the page has room for them.
    """

    corpus: "str"
    version: "str"
    revision: "int"
    total: "int"
    offset: "int"
    tags: "list[ListedTag]"
    titles: "list[TitleWord]"


class TitleWord(TypedDict):
    """A word of titles that is no tag, and how many documents have it in their titles."""

    word: "str"
    count: "int"


class TreeAnswer(TypedDict):
    """The tree, nested. Heights are bits of information lost and never fall towards the root."""

    corpus: "str"
    version: "str"
    revision: "int"
    side: "Literal['tags', 'documents']"
    k: "int"
    unit: "str"
    tree: "TreeNode"


class TreeNode(TypedDict):
    """A node of a dendrogram: `id` and `label` at its leaves, `children` above them; `size` counts items below."""

    height: "float"
    size: "int"
    id: "NotRequired[int | None]"
    label: "NotRequired[str | None]"
    children: "NotRequired[list[TreeNode]]"


class TrendEntry(TypedDict):
    """A tag, or a concept, whose share of the documents changed: the other of `tag` and `cluster` is null.

    `count` documents of the window have it, `before` of the time before. `series` counts its documents step by step
    from `before` of the answer on; `documents` are its newest.
    """

    tag: "str | None"
    cluster: "int | None"
    label: "str"
    score: "float"
    count: "int"
    before: "int"
    series: "list[int]"
    documents: "list[DocumentEntry]"


class TrendsAnswer(TypedDict):
    """What rose or fell in a window (from `start`, before `end`) against the time before it (from `before` on).

    A point of a series has `step` seconds. `documents` of the window and `documents_before` have a date.
    """

    corpus: "str"
    version: "str"
    revision: "int"
    fresh: "int"
    start: "str"
    end: "str"
    before: "str"
    step: "int"
    documents: "int"
    documents_before: "int"
    tags: "list[TrendEntry]"
    concepts: "list[TrendEntry]"


class UnknownTag(TypedDict):
    """A name that stands for no tag, and tags that are spelled like it."""

    input: "str"
    unknown: "bool"
    suggestions: "list[str]"


class UnknownValue(TypedDict):
    """A value that stands for no tag, and its count."""

    value: "str"
    count: "int"
