"""The HTTP API under /v1, and the health checks. DESIGN of every path: typed parameters in, one dataclass out."""

import time
from dataclasses import asdict
from typing import Any, Final

import orjson
from flask import Response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel, ConfigDict, Field, RootModel

from service.answers import (
    Because,
    CloudAnswer,
    CorporaAnswer,
    CorpusAnswer,
    Problem,
    Readiness,
    RelatedAnswer,
    RelatedTag,
    RunAnswer,
)
from service.cloud import cloud, query_answer
from service.shelf import Shelf
from service.suggesting import rank
from service.understanding import LONGEST_QUERY, Understood, ask
from service.view import View
from snapshot import RunStatus

CORPORA: Final = Tag(name="corpora", description="What is served")
TAGS: Final = Tag(name="tags", description="Questions about tags")
HEALTH: Final = Tag(name="health", description="For load balancers and operators")


class ProblemModel(RootModel[Problem]):
    """RFC 9457 problem details."""


class CorporaModel(RootModel[CorporaAnswer]):
    """All corpora."""


class CorpusModel(RootModel[CorpusAnswer]):
    """One corpus."""


class CloudModel(RootModel[CloudAnswer]):
    """A grouped tag cloud."""


class RelatedModel(RootModel[RelatedAnswer]):
    """Suggestions."""


class ReadinessModel(RootModel[Readiness]):
    """Readiness."""


class CorpusPath(BaseModel):
    """Which corpus."""

    corpus: str = Field(description="Name of the corpus")


class Parameters(BaseModel):
    """Query parameters; an unknown one is an error, because it is a misspelt one."""

    model_config = ConfigDict(extra="forbid")


class TagQuery(Parameters):
    """The tags asked about: as typed, or one by one."""

    q: str = Field(default="", max_length=LONGEST_QUERY, description="Free text as typed in a search box")
    tag: list[str] = Field(default_factory=list, max_length=20, description="Exact tags; repeatable")
    specificity: float = Field(default=0.5, ge=0, le=1, description="0 popular … 1 specific")


class CloudQuery(TagQuery):
    """Parameters of a cloud."""

    limit: int = Field(default=60, ge=1, le=500, description="At most this many tags")
    clusters: int = Field(default=8, ge=1, le=100, description="At most this many groups")


class RelatedQuery(TagQuery):
    """Parameters of suggestions."""

    limit: int = Field(default=20, ge=1, le=100, description="At most this many suggestions")


def json(answer: Any, status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(orjson.dumps(answer), status, mimetype="application/json")


def blueprint(shelf: Shelf) -> APIBlueprint:
    """All paths of the API, answering from one shelf."""
    api = APIBlueprint("api", __name__)
    errors: dict[str | int, type[BaseModel] | dict[Any, Any] | None] = {404: ProblemModel, 503: ProblemModel}

    @api.get("/v1/corpora", tags=[CORPORA], summary="What is served", responses={200: CorporaModel})
    def corpora() -> Response:
        found = [corpus_answer(view, shelf.status(name)) for name, view in shelf.views().items()]
        return json(CorporaAnswer(corpora=found, stale=not shelf.freshness.connected))

    @api.get(
        "/v1/corpora/<string:corpus>", tags=[CORPORA], summary="One corpus", responses={200: CorpusModel, **errors}
    )
    def corpus(path: CorpusPath) -> Response:
        return json(corpus_answer(shelf.view(path.corpus), shelf.status(path.corpus)))

    @api.get(
        "/v1/corpora/<string:corpus>/cloud",
        tags=[TAGS],
        summary="The grouped tag cloud around a query",
        responses={200: CloudModel, **errors},
    )
    def get_cloud(path: CorpusPath, query: CloudQuery) -> Response:
        view = shelf.view(path.corpus)
        asked = ask(view, query.tag, query.q)
        return json(cloud(view, asked, limit=query.limit, groups=query.clusters, specificity=query.specificity))

    @api.get(
        "/v1/corpora/<string:corpus>/related",
        tags=[TAGS],
        summary="Tags to suggest beside a query",
        responses={200: RelatedModel, **errors},
    )
    def get_related(path: CorpusPath, query: RelatedQuery) -> Response:
        view = shelf.view(path.corpus)
        return json(related(view, ask(view, query.tag, query.q), limit=query.limit, specificity=query.specificity))

    @api.get("/healthz", tags=[HEALTH], summary="The process is alive")
    def healthz() -> Response:
        return json({"alive": True})

    @api.get(
        "/readyz",
        tags=[HEALTH],
        summary="Questions can be answered",
        responses={200: ReadinessModel, 503: ReadinessModel},
    )
    def readyz() -> Response:
        served = {name: view.snapshot.version for name, view in shelf.views().items()}
        ready = Readiness(ready=bool(served), store=shelf.freshness.connected, corpora=served)
        return json(ready, 200 if ready.ready else 503)

    return api


def related(view: View, query: Understood, *, limit: int, specificity: float) -> RelatedAnswer:
    """The best suggestions beside a query, each with the query tags that brought it; none without a query."""
    found: list[RelatedTag] = []
    if query.tags:
        ranking = rank(view, query.tags, specificity)
        names = [view.snapshot.names[tag] for tag in query.tags]
        rows = zip(ranking.tags.tolist(), ranking.scores.tolist(), ranking.shares.tolist(), strict=True)
        for tag, score, shares in list(rows)[:limit]:
            because = sorted(zip(names, shares, strict=True), key=lambda pair: -pair[1])
            found.append(
                RelatedTag(
                    tag=view.snapshot.names[tag],
                    score=round(score, 6),
                    count=int(view.snapshot.counts[tag]),
                    cluster=int(view.snapshot.tag_cluster[tag]),
                    because=[Because(name, round(share, 4)) for name, share in because if share > 0],
                )
            )
    return RelatedAnswer(view.snapshot.corpus, view.snapshot.version, query_answer(view, query), found)


def corpus_answer(view: View, status: RunStatus | None) -> CorpusAnswer:
    """One corpus as it is served now."""
    snapshot = view.snapshot
    run = None
    if status is not None:
        known = asdict(status)
        run = RunAnswer(**{name: known[name] for name in RunAnswer.__dataclass_fields__})
    return CorpusAnswer(
        name=snapshot.corpus,
        title=snapshot.title,
        version=snapshot.version,
        created=snapshot.created.isoformat(),
        age_seconds=round(time.time() - snapshot.created.timestamp(), 1),
        documents=snapshot.document_count,
        tags=len(snapshot.names),
        clusters=len(snapshot.clusters),
        parameters=dict(snapshot.parameters),
        quality=dict(snapshot.quality),
        run=run,
    )
