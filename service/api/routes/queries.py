"""The endpoints that answer questions about a snapshot."""

from typing import Final

from service.answers import (
    AliasesAnswer,
    ClassifyAnswer,
    CloudAnswer,
    ClusterDetail,
    ClustersAnswer,
    CurveAnswer,
    LinkageAnswer,
    ProposalsAnswer,
    RelatedAnswer,
    TagAnswer,
    TagsAnswer,
    TreeAnswer,
)
from service.api.parameters.parameters import (
    ClassifyQuery,
    CloudQuery,
    ClusterPath,
    ClustersQuery,
    CurveQuery,
    DendrogramQuery,
    Nothing,
    OneTagQuery,
    PictureQuery,
    RelatedQuery,
    TagsQuery,
)
from service.api.parameters.vocabulary import AliasesQuery, ProposalsQuery
from service.api.routing import Media, Question
from service.live.document_trees import DocumentTrees
from service.questions.clouds.cloud import cloud
from service.questions.clusters import clusters, dendrogram, picture, svg
from service.questions.clusters.classification import classify
from service.questions.clusters.curve import curve
from service.questions.documents.documents import query_counts, without_excluded
from service.questions.edits.proposals import proposals
from service.questions.related.related import related
from service.questions.text.listing import tags
from service.questions.text.narrower import with_narrower
from service.questions.text.query import exact_tags, parse_query
from service.response_cache import CachedResponse
from service.view.view import View
from service.view.window import window, windowed
from snapshot import SnapshotStore

JSON: Final = "application/json"
TREES: Final[Media] = {JSON: TreeAnswer | LinkageAnswer, "text/plain": None, "image/svg+xml": None}
AT: Final = "/v1/corpora/{corpus}"
WITH_DATES: Final = (404, 409, 422, 503)
"""409 if a span of time is asked for, and no document has a date."""


def questions(store: SnapshotStore) -> tuple[Question, ...]:
    """All of them, as openapi.json lists them."""
    return (
        Question(
            path=f"{AT}/cloud",
            summary="The grouped tag cloud around a query",
            group="tags",
            handler=get_cloud,
            quick=frozenset({"q", "tag", "unknown", "specificity", "limit", "groups", "by"}),
            media={JSON: CloudAnswer},
            query_model=CloudQuery,
            errors=WITH_DATES,
            example="/v1/corpora/demo/cloud?q=payments&limit=40",
        ),
        Question(
            path=f"{AT}/related",
            summary="Tags to suggest beside a query",
            group="tags",
            handler=get_related,
            quick=frozenset({"q", "tag", "unknown", "specificity", "limit"}),
            media={JSON: RelatedAnswer},
            query_model=RelatedQuery,
            errors=WITH_DATES,
            example="/v1/corpora/demo/related?tag=payment&tag=card&specificity=0.8",
        ),
        Question(
            path=f"{AT}/tags",
            summary="Autocomplete, and the list of all tags",
            group="tags",
            handler=get_tags,
            quick=frozenset({"prefix", "limit", "offset"}),
            media={JSON: TagsAnswer},
            query_model=TagsQuery,
            example="/v1/corpora/demo/tags?prefix=pay&limit=5",
        ),
        Question(
            path=f"{AT}/tag",
            summary="All about one tag",
            group="tags",
            handler=get_tag,
            quick=frozenset({"tag", "limit"}),
            media={JSON: TagAnswer},
            query_model=OneTagQuery,
            example="/v1/corpora/demo/tag?tag=payment",
        ),
        Question(
            path=f"{AT}/aliases",
            summary="The synonyms and folded variants of tags",
            group="tags",
            handler=get_aliases,
            media={JSON: AliasesAnswer},
            query_model=AliasesQuery,
            example="/v1/corpora/demo/aliases?limit=5",
        ),
        Question(
            path=f"{AT}/proposals",
            summary="What editors may decide: tags that may be one, tags that say nothing",
            group="tags",
            handler=get_proposals,
            media={JSON: ProposalsAnswer},
            query_model=ProposalsQuery,
            example="/v1/corpora/demo/proposals?kind=variant&limit=5",
        ),
        Question(
            path=f"{AT}/clusters",
            summary="The partition of all tags",
            group="concepts",
            handler=get_clusters,
            media={JSON: ClustersAnswer, "text/csv": None},
            query_model=ClustersQuery,
            example="/v1/corpora/demo/clusters?k=12",
        ),
        Question(
            path=f"{AT}/clusters/{{cluster}}",
            summary="One cluster of the chosen cut",
            group="concepts",
            handler=get_cluster,
            media={JSON: ClusterDetail},
            query_model=Nothing,
            path_model=ClusterPath,
            example="/v1/corpora/demo/clusters/2",
        ),
        Question(
            path=f"{AT}/classify",
            summary="Where a document belongs that no run has seen",
            group="concepts",
            handler=get_classify,
            media={JSON: ClassifyAnswer},
            query_model=ClassifyQuery,
            example="/v1/corpora/demo/classify?tag=payment&tag=card",
        ),
        Question(
            path=f"{AT}/dendrogram",
            summary="The tree, whole or with k leaves",
            group="concepts",
            handler=TreeHandlers(store).get_dendrogram,
            media=TREES,
            query_model=DendrogramQuery,
            asks_store=lambda request: ("side", "documents") in request.parameters(),
            example="/v1/corpora/demo/dendrogram?k=12&format=svg",
        ),
        Question(
            path=f"{AT}/curve",
            summary="The criterion of where to cut",
            group="concepts",
            handler=get_curve,
            media={JSON: CurveAnswer},
            query_model=CurveQuery,
            example="/v1/corpora/demo/curve?limit=20",
        ),
        Question(
            path=f"{AT}/picture",
            summary="The matrix as a picture",
            group="concepts",
            handler=get_picture,
            media={picture.MEDIA_TYPE: None},
            query_model=PictureQuery,
            example="/v1/corpora/demo/picture?of=after",
        ),
    )


def get_cloud(view: View, _: None, query: CloudQuery) -> CloudAnswer:
    """Without a query, the cloud of the commonest tags. Broad tags are marked; `other` is what `limit` left out.

    With `group`, the tags of the documents of that group. With a span of time, only its documents count.
    """
    view = windowed(view, window(view, query.start, query.to, query.last))
    parsed = parse_query(view, query.tag, query.q, exclude=query.exclude, group=query.group, unknown=query.unknown)
    return cloud(
        view,
        with_narrower(view, parsed) if query.narrower else parsed,
        limit=query.limit,
        groups=query.groups,
        specificity=query.specificity,
        by=query.by,
        joint=query_counts(view, parsed, together=query.together, narrow=query.narrow, narrower=query.narrower),
        opened=without_excluded(view, parsed) if parsed.group else None,
    )


def get_related(view: View, _: None, query: RelatedQuery) -> RelatedAnswer:
    """Best first; `because` says which tags of the query brought each suggestion. In a span of time, those it has."""
    view = windowed(view, window(view, query.start, query.to, query.last))
    parsed = parse_query(view, query.tag, query.q, exclude=query.exclude, unknown=query.unknown)
    joint = query_counts(view, parsed, together=query.together, narrow=query.narrow, narrower=query.narrower)
    if query.narrower:
        parsed = with_narrower(view, parsed)
    return related(view, parsed, limit=query.limit, specificity=query.specificity, joint=joint)


def get_tags(view: View, _: None, query: TagsQuery) -> TagsAnswer:
    """By beginning, by any part, or both; by falling count, the rare ones last.

    The tag that is `prefix` comes first. Behind the tags that begin with it come those with a later word that does,
    then words of titles.
    """
    return tags(view, query.prefix, query.infix, limit=query.limit, offset=query.offset)


def get_tag(view: View, _: None, query: OneTagQuery) -> TagAnswer:
    """Count, cluster, breadth, and its neighbours: the related tags at specificity 1."""
    parsed = exact_tags(view, [query.tag])
    joint = query_counts(view, parsed, together=query.together, narrow=query.narrow)
    return clusters.tag_answer(view, parsed.tags[0], query.limit, joint)


def get_aliases(view: View, _: None, query: AliasesQuery) -> AliasesAnswer:
    """The other names under which tags are known everywhere, and why; those of the commonest tags first."""
    return clusters.aliases(view, limit=query.limit, offset=query.offset)


def get_proposals(view: View, _: None, query: ProposalsQuery) -> ProposalsAnswer:
    """Proposals of the run, with their evidence, that nobody decided yet. Nothing is applied by itself."""
    return proposals(view, query.kind, limit=query.limit, offset=query.offset)


def get_clusters(view: View, _: None, query: ClustersQuery) -> ClustersAnswer | CachedResponse:
    """At the chosen cut, or at any k from 1 to the number of tags: exactly k clusters."""
    partition = clusters.clusters(view, query.k, limit=query.limit, offset=query.offset)
    return clusters.table(view, partition) if query.format == "csv" else partition


def get_cluster(view: View, path: ClusterPath, _: Nothing) -> ClusterDetail:
    """Its tags, the clusters nearest to it in the tree, and its descent."""
    return clusters.about_cluster(view, path.cluster)


def get_curve(view: View, _: None, query: CurveQuery) -> CurveAnswer:
    """Restricted entropy, information and their product, for each number of clusters."""
    return curve(view, query.side, query.limit)


def get_picture(view: View, _: None, query: PictureQuery) -> CachedResponse:
    """Documents from top to bottom, tags from left to right, ordered by the trees; darker is denser."""
    return picture.png(view, query.of)


def get_classify(view: View, _: None, query: ClassifyQuery) -> ClassifyAnswer:
    """The cluster of documents nearest to one with these tags, as for the documents of the run, and how sure that is.

    Unlike the ids of clusters of tags, those of documents are of this version only.
    """
    return classify(view, query.tag, query.limit)


class TreeHandlers:
    """The handler of dendrograms."""

    def __init__(self, store: SnapshotStore) -> None:
        self._documents = DocumentTrees(store)

    def get_dendrogram(self, view: View, _: None, query: DendrogramQuery) -> CachedResponse | LinkageAnswer:
        """The tree of documents is read from the store each time, so it needs the store; only a few at once."""
        if query.side == "tags":
            return _written(dendrogram.of_tags(view, query.k), query.format)
        with self._documents.read(view) as tree:
            return _written(dendrogram.of_documents(view, tree, query.k), query.format)


def _written(tree: dendrogram.LabelledBranches, form: str) -> CachedResponse | LinkageAnswer:
    if form == "linkage":
        return dendrogram.linkage(tree)
    write = {"json": dendrogram.nested, "newick": dendrogram.as_newick, "svg": svg.svg}
    return write[form](tree)
