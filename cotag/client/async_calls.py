# `python -m clients --write` writes this file from openapi.json.
"""The calls of the API, to be awaited."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from cotag.client.answers import (
    AcceptedAnswer,
    ActivatedAnswer,
    AliasesAnswer,
    CanonicalAnswer,
    ChangesAnswer,
    ClassifyAnswer,
    CloudAnswer,
    ClusterDetail,
    ClustersAnswer,
    ControlAnswer,
    CorporaAnswer,
    CorpusAnswer,
    CurveAnswer,
    DocumentAnswer,
    DocumentsAnswer,
    EditedAnswer,
    EditsAnswer,
    GroupAnswer,
    Liveness,
    ProposalsAnswer,
    PushedAnswer,
    Readiness,
    RecommendAnswer,
    RelatedAnswer,
    RunAnswer,
    RunsAnswer,
    SimilarAnswer,
    SnapshotsAnswer,
    SuggestAnswer,
    TagAnswer,
    TagsAnswer,
    TreeAnswer,
    TrendsAnswer,
)
from cotag.client.transport import AsyncAsking, quoted


class AsyncClient(AsyncAsking):
    """One method for each operation of openapi.json."""

    async def corpora(self) -> CorporaAnswer:
        """What is served."""
        answer: CorporaAnswer = await self._json("GET", "/v1/corpora")
        return answer

    async def corpus(self, corpus: str) -> CorpusAnswer:
        """One corpus."""
        answer: CorpusAnswer = await self._json("GET", f"/v1/corpora/{quoted(corpus)}")
        return answer

    async def snapshots(self, corpus: str, *, limit: int | None = None, offset: int | None = None) -> SnapshotsAnswer:
        """The stored versions."""
        answer: SnapshotsAnswer = await self._json(
            "GET", f"/v1/corpora/{quoted(corpus)}/snapshots", {"limit": limit, "offset": offset}
        )
        return answer

    async def job(self, job: str) -> RunAnswer:
        """How a job is getting on."""
        answer: RunAnswer = await self._json("GET", f"/v1/jobs/{quoted(job)}")
        return answer

    async def delete_job(self, job: str) -> RunAnswer:
        """Cancel a job."""
        answer: RunAnswer = await self._json("DELETE", f"/v1/jobs/{quoted(job)}")
        return answer

    async def healthz(self) -> Liveness:
        """The process is alive."""
        answer: Liveness = await self._json("GET", "/healthz")
        return answer

    async def readyz(self, *, corpus: str | None = None) -> Readiness:
        """Questions can be answered."""
        answer: Readiness = await self._json("GET", "/readyz", {"corpus": corpus})
        return answer

    async def metrics_page(self) -> str:
        """For Prometheus."""
        answer: str = await self._text("GET", "/metrics")
        return answer

    async def cloud(
        self,
        corpus: str,
        *,
        together: bool | None = None,
        narrow: bool | None = None,
        from_: str | None = None,
        to: str | None = None,
        last: str | None = None,
        q: str | None = None,
        tag: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        unknown: Literal["refuse", "ignore"] | None = None,
        narrower: bool | None = None,
        specificity: float | None = None,
        group: Sequence[str] | None = None,
        limit: int | None = None,
        groups: int | None = None,
        by: Literal["query", "clusters"] | None = None,
    ) -> CloudAnswer:
        """The grouped tag cloud around a query."""
        answer: CloudAnswer = await self._json(
            "GET",
            f"/v1/corpora/{quoted(corpus)}/cloud",
            {
                "together": together,
                "narrow": narrow,
                "from": from_,
                "to": to,
                "last": last,
                "q": q,
                "tag": tag,
                "exclude": exclude,
                "unknown": unknown,
                "narrower": narrower,
                "specificity": specificity,
                "group": group,
                "limit": limit,
                "groups": groups,
                "by": by,
            },
        )
        return answer

    async def related(
        self,
        corpus: str,
        *,
        together: bool | None = None,
        narrow: bool | None = None,
        from_: str | None = None,
        to: str | None = None,
        last: str | None = None,
        q: str | None = None,
        tag: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        unknown: Literal["refuse", "ignore"] | None = None,
        narrower: bool | None = None,
        specificity: float | None = None,
        limit: int | None = None,
    ) -> RelatedAnswer:
        """Tags to suggest beside a query."""
        answer: RelatedAnswer = await self._json(
            "GET",
            f"/v1/corpora/{quoted(corpus)}/related",
            {
                "together": together,
                "narrow": narrow,
                "from": from_,
                "to": to,
                "last": last,
                "q": q,
                "tag": tag,
                "exclude": exclude,
                "unknown": unknown,
                "narrower": narrower,
                "specificity": specificity,
                "limit": limit,
            },
        )
        return answer

    async def tags(
        self,
        corpus: str,
        *,
        prefix: str | None = None,
        infix: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> TagsAnswer:
        """Autocomplete, and the list of all tags."""
        answer: TagsAnswer = await self._json(
            "GET",
            f"/v1/corpora/{quoted(corpus)}/tags",
            {"prefix": prefix, "infix": infix, "limit": limit, "offset": offset},
        )
        return answer

    async def tag(
        self,
        corpus: str,
        *,
        tag: str,
        together: bool | None = None,
        narrow: bool | None = None,
        limit: int | None = None,
    ) -> TagAnswer:
        """All about one tag."""
        answer: TagAnswer = await self._json(
            "GET",
            f"/v1/corpora/{quoted(corpus)}/tag",
            {"together": together, "narrow": narrow, "tag": tag, "limit": limit},
        )
        return answer

    async def aliases(self, corpus: str, *, limit: int | None = None, offset: int | None = None) -> AliasesAnswer:
        """The synonyms and folded variants of tags."""
        answer: AliasesAnswer = await self._json(
            "GET", f"/v1/corpora/{quoted(corpus)}/aliases", {"limit": limit, "offset": offset}
        )
        return answer

    async def proposals(
        self,
        corpus: str,
        *,
        kind: Literal[
            "variant", "nested", "co-occurring", "substitute", "rare", "head-word", "implied", "broad", "staged"
        ]
        | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> ProposalsAnswer:
        """What editors may decide: tags that may be one, tags that say nothing."""
        answer: ProposalsAnswer = await self._json(
            "GET", f"/v1/corpora/{quoted(corpus)}/proposals", {"kind": kind, "limit": limit, "offset": offset}
        )
        return answer

    async def clusters(
        self, corpus: str, *, k: int | None = None, limit: int | None = None, offset: int | None = None
    ) -> ClustersAnswer:
        """The partition of all tags."""
        answer: ClustersAnswer = await self._json(
            "GET", f"/v1/corpora/{quoted(corpus)}/clusters", {"k": k, "limit": limit, "offset": offset}
        )
        return answer

    async def cluster(self, corpus: str, cluster: int) -> ClusterDetail:
        """One cluster of the chosen cut."""
        answer: ClusterDetail = await self._json("GET", f"/v1/corpora/{quoted(corpus)}/clusters/{quoted(cluster)}")
        return answer

    async def classify(self, corpus: str, *, tag: Sequence[str], limit: int | None = None) -> ClassifyAnswer:
        """Where a document belongs that no run has seen."""
        answer: ClassifyAnswer = await self._json(
            "GET", f"/v1/corpora/{quoted(corpus)}/classify", {"tag": tag, "limit": limit}
        )
        return answer

    async def dendrogram(
        self, corpus: str, *, side: Literal["tags", "documents"] | None = None, k: int | None = None
    ) -> TreeAnswer:
        """The tree, whole or with k leaves."""
        answer: TreeAnswer = await self._json("GET", f"/v1/corpora/{quoted(corpus)}/dendrogram", {"side": side, "k": k})
        return answer

    async def curve(
        self, corpus: str, *, side: Literal["tags", "documents"] | None = None, limit: int | None = None
    ) -> CurveAnswer:
        """The criterion of where to cut."""
        answer: CurveAnswer = await self._json(
            "GET", f"/v1/corpora/{quoted(corpus)}/curve", {"side": side, "limit": limit}
        )
        return answer

    async def picture(self, corpus: str, *, of: Literal["before", "after"] | None = None) -> bytes:
        """The matrix as a picture."""
        answer: bytes = await self._content("GET", f"/v1/corpora/{quoted(corpus)}/picture", {"of": of})
        return answer

    async def documents(
        self,
        corpus: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        last: str | None = None,
        q: str | None = None,
        tag: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        unknown: Literal["refuse", "ignore"] | None = None,
        narrower: bool | None = None,
        group: Sequence[str] | None = None,
        cluster: int | None = None,
        match: Literal["all", "any", "near"] | None = None,
        sort: Literal["best", "date"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> DocumentsAnswer:
        """The documents behind a query."""
        answer: DocumentsAnswer = await self._json(
            "GET",
            f"/v1/corpora/{quoted(corpus)}/documents",
            {
                "from": from_,
                "to": to,
                "last": last,
                "q": q,
                "tag": tag,
                "exclude": exclude,
                "unknown": unknown,
                "narrower": narrower,
                "group": group,
                "cluster": cluster,
                "match": match,
                "sort": sort,
                "limit": limit,
                "offset": offset,
            },
        )
        return answer

    async def post_documents(self, corpus: str, body: str | bytes) -> AcceptedAnswer:
        """Push documents."""
        answer: AcceptedAnswer = await self._json(
            "POST", f"/v1/corpora/{quoted(corpus)}/documents", body=body, media="application/x-ndjson"
        )
        return answer

    async def delete_documents(
        self, corpus: str, *, id: Sequence[str] | None = None, all: bool | None = None
    ) -> PushedAnswer:
        """Remove pushed documents."""
        answer: PushedAnswer = await self._json(
            "DELETE", f"/v1/corpora/{quoted(corpus)}/documents", {"id": id, "all": all}
        )
        return answer

    async def document(self, corpus: str, *, id: str, limit: int | None = None) -> DocumentAnswer:
        """All about one document."""
        answer: DocumentAnswer = await self._json(
            "GET", f"/v1/corpora/{quoted(corpus)}/document", {"id": id, "limit": limit}
        )
        return answer

    async def similar(
        self,
        corpus: str,
        *,
        q: str | None = None,
        tag: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        unknown: Literal["refuse", "ignore"] | None = None,
        narrower: bool | None = None,
        id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> SimilarAnswer:
        """Documents like one document, or like some tags."""
        answer: SimilarAnswer = await self._json(
            "GET",
            f"/v1/corpora/{quoted(corpus)}/similar",
            {
                "q": q,
                "tag": tag,
                "exclude": exclude,
                "unknown": unknown,
                "narrower": narrower,
                "id": id,
                "limit": limit,
                "offset": offset,
            },
        )
        return answer

    async def trends(
        self,
        corpus: str,
        *,
        window: str | None = None,
        direction: Literal["rising", "falling"] | None = None,
        limit: int | None = None,
    ) -> TrendsAnswer:
        """Tags and concepts that rise or fall."""
        answer: TrendsAnswer = await self._json(
            "GET", f"/v1/corpora/{quoted(corpus)}/trends", {"window": window, "direction": direction, "limit": limit}
        )
        return answer

    async def feed(
        self, corpus: str, *, cluster: int | None = None, tag: Sequence[str] | None = None, limit: int | None = None
    ) -> bytes:
        """An Atom feed of the newest documents."""
        answer: bytes = await self._content(
            "GET", f"/v1/corpora/{quoted(corpus)}/feed", {"cluster": cluster, "tag": tag, "limit": limit}
        )
        return answer

    async def canonical(self, corpus: str, body: Mapping[str, Any]) -> CanonicalAnswer:
        """Check tags against the vocabulary."""
        answer: CanonicalAnswer = await self._json(
            "POST", f"/v1/corpora/{quoted(corpus)}/canonical", body=body, media="application/json"
        )
        return answer

    async def suggest(self, corpus: str, body: Mapping[str, Any]) -> SuggestAnswer:
        """Suggest tags for documents from their text and tags."""
        answer: SuggestAnswer = await self._json(
            "POST", f"/v1/corpora/{quoted(corpus)}/suggest", body=body, media="application/json"
        )
        return answer

    async def group(
        self,
        corpus: str,
        body: Mapping[str, Any],
        *,
        facet: str | None = None,
        groups: int | None = None,
        by: Literal["query", "clusters"] | None = None,
    ) -> GroupAnswer:
        """Group the facet values that another engine counted."""
        answer: GroupAnswer = await self._json(
            "POST",
            f"/v1/corpora/{quoted(corpus)}/group",
            {"facet": facet, "groups": groups, "by": by},
            body=body,
            media="application/json",
        )
        return answer

    async def recommend(self, corpus: str, body: Mapping[str, Any]) -> RecommendAnswer:
        """Documents for a history, spread over its concepts."""
        answer: RecommendAnswer = await self._json(
            "POST", f"/v1/corpora/{quoted(corpus)}/recommend", body=body, media="application/json"
        )
        return answer

    async def skos(
        self,
        corpus: str,
        *,
        accept: str | None = None,
        format: Literal["turtle", "json-ld"] | None = None,
        base: str | None = None,
    ) -> str:
        """The vocabulary as SKOS: labels, relations and collections."""
        answer: str = await self._text(
            "GET", f"/v1/corpora/{quoted(corpus)}/skos", {"format": format, "base": base}, headers={"Accept": accept}
        )
        return answer

    async def post_job(self, corpus: str, *, fresh: bool | None = None) -> RunAnswer:
        """Re-cluster now."""
        answer: RunAnswer = await self._json("POST", f"/v1/corpora/{quoted(corpus)}/jobs", {"fresh": fresh})
        return answer

    async def activate_snapshot(self, corpus: str, version: str) -> ActivatedAnswer:
        """Roll back or forward."""
        answer: ActivatedAnswer = await self._json(
            "POST", f"/v1/corpora/{quoted(corpus)}/snapshots/{quoted(version)}/activate"
        )
        return answer

    async def changes(self, corpus: str, *, since: str) -> ChangesAnswer:
        """What changed since a version."""
        answer: ChangesAnswer = await self._json("GET", f"/v1/corpora/{quoted(corpus)}/changes", {"since": since})
        return answer

    async def runs(self, corpus: str, *, limit: int | None = None, offset: int | None = None) -> RunsAnswer:
        """The runs of the last year."""
        answer: RunsAnswer = await self._json(
            "GET", f"/v1/corpora/{quoted(corpus)}/runs", {"limit": limit, "offset": offset}
        )
        return answer

    async def pause_corpus(self, corpus: str) -> ControlAnswer:
        """Pause the schedule."""
        answer: ControlAnswer = await self._json("POST", f"/v1/corpora/{quoted(corpus)}/pause")
        return answer

    async def resume_corpus(self, corpus: str) -> ControlAnswer:
        """Resume the schedule."""
        answer: ControlAnswer = await self._json("DELETE", f"/v1/corpora/{quoted(corpus)}/pause")
        return answer

    async def pin_snapshot(self, corpus: str, version: str) -> ControlAnswer:
        """Pin a version."""
        answer: ControlAnswer = await self._json(
            "POST", f"/v1/corpora/{quoted(corpus)}/snapshots/{quoted(version)}/pin"
        )
        return answer

    async def unpin_corpus(self, corpus: str) -> ControlAnswer:
        """Unpin."""
        answer: ControlAnswer = await self._json("DELETE", f"/v1/corpora/{quoted(corpus)}/pin")
        return answer

    async def get_edits(
        self,
        corpus: str,
        *,
        kind: Literal[
            "move",
            "together",
            "apart",
            "label",
            "synonym",
            "ban",
            "distinct",
            "broader",
            "implies",
            "describe",
            "translate",
            "keep",
            "later",
            "admit",
        ]
        | None = None,
        state: Literal["active", "waiting", "inactive"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> EditsAnswer:
        """The decisions of editors."""
        answer: EditsAnswer = await self._json(
            "GET",
            f"/v1/corpora/{quoted(corpus)}/edits",
            {"kind": kind, "state": state, "limit": limit, "offset": offset},
        )
        return answer

    async def post_edits(
        self, corpus: str, body: Mapping[str, Any], *, if_match: str | None = None, dry_run: bool | None = None
    ) -> EditedAnswer:
        """Decide, or try what a decision would do."""
        answer: EditedAnswer = await self._json(
            "POST",
            f"/v1/corpora/{quoted(corpus)}/edits",
            {"dry_run": dry_run},
            body=body,
            media="application/json",
            headers={"If-Match": if_match},
        )
        return answer

    async def delete_edits(self, corpus: str, *, id: Sequence[str], if_match: str | None = None) -> EditedAnswer:
        """Take decisions back."""
        answer: EditedAnswer = await self._json(
            "DELETE", f"/v1/corpora/{quoted(corpus)}/edits", {"id": id}, headers={"If-Match": if_match}
        )
        return answer
