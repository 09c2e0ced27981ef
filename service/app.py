"""The composition root of a web process: settings, store, live snapshots, Flask, and the gateway in front of it."""

from functools import partial
from pathlib import Path
from typing import Final

from redis import Redis

from runtime.log_writer import LogWriter
from service import pages
from service.api import demo_icons
from service.api.openapi import openapi_document
from service.api.prepared import Preparation
from service.api.routes import admin, checks, documents, edits, queries, recommendations, skos, writes
from service.api.routes import operation as operating
from service.api.routing import Api
from service.api_keys import Scope
from service.gateway import Gateway
from service.live.disk_cache import DiskCache
from service.live.document_files import DocumentFiles
from service.live.image_origins import ImageOrigins
from service.live.snapshots import LiveSnapshots
from service.live.store_gate import gated
from service.pages import docs
from service.pages.frame import assets
from service.pages.frame.cache import RememberedPages
from service.pages.frame.errors import ErrorPages
from service.pages.frame.renderer import Renderer
from service.settings import ServiceSettings
from service.web.addresses import Proxies
from service.web.flask_app import Application
from service.web.metrics import Metrics
from service.web.policy.policy import Policy
from service.web.policy.request_log import RequestLogger, log_request, request_logger
from snapshot import CorpusRegister, Heartbeats, PushedDocuments, SnapshotStore, StatusBoard, connect, read_settings
from snapshot.store.change_log import ChangeLog
from snapshot.store.edits import EditStore

FOLLOW_TIMEOUT: Final = 1.0
"""Seconds; short, so that the thread that follows the store notices an outage quickly."""

REQUEST_TIMEOUT: Final = 3.0
"""Seconds; for the few requests that need the store."""


def create_gateway(
    live: LiveSnapshots, redis: Redis, settings: ServiceSettings, metrics: Metrics, note: RequestLogger = log_request
) -> Gateway:
    """The ASGI application: reads from the live snapshots, writes to the store, Flask behind it."""
    app = Application(
        __name__,
        most_bytes=settings.max_body_bytes,
        proxies=Proxies(settings.trusted_proxies, settings.proxy_networks),
        template_folder="pages/templates",
    )
    store = SnapshotStore(redis)
    operations = (
        *admin.operations(live, store, StatusBoard(redis, metrics.count_bad_record), metrics),
        *queries.questions(store),
        *documents.document_questions(),
        *checks.operations(live),
        *recommendations.operations(live),
        *skos.operations(live),
        *writes.operations(redis, live, metrics),
        *operating.operations(redis, live, metrics),
        *edits.operations(redis, live, metrics),
    )
    scopes: dict[str | None, Scope] = {f"api.{operation.name}": operation.scope for operation in operations}
    policy = Policy(settings, metrics, note, scopes, ImageOrigins(settings.image_origins, live))
    api = Api(operations, live, metrics, private=policy.keys.private)
    remembered = RememberedPages(live, settings.answer_cache_mb * 1_000_000)
    app.register_blueprint(api.blueprint())
    app.register_blueprint(assets.assets_blueprint(assets.Assets(assets.STATIC)))
    app.register_blueprint(demo_icons.icons_blueprint())
    renderer = Renderer(app.jinja_env, live, settings.served_pages)
    errors = ErrorPages(renderer)
    app.register_blueprint(pages.blueprint(live, redis, metrics, remembered, renderer))
    app.register_blueprint(docs.docs_blueprint(openapi_document(api), api.operations, renderer))
    app.answer_errors(errors.error_response)
    preparation = Preparation(api, live, settings.prepared_answers_mb * 1_000_000)
    return Gateway(app, api, remembered, errors, policy, preparation=preparation, settings=settings)


def application(writer: LogWriter, document_folder: Path | None = None) -> Gateway:
    """The application that gunicorn loads in each of its processes; they share a folder for the files of documents.

    Without such a folder there are no documents.
    """
    settings = read_settings(ServiceSettings)
    metrics = Metrics()
    writer.on_drop = metrics.log_lines_dropped.inc
    follow_redis = connect(settings.redis_url, timeout=FOLLOW_TIMEOUT)
    live = LiveSnapshots(
        SnapshotStore(follow_redis),
        StatusBoard(follow_redis, metrics.count_bad_record),
        register=CorpusRegister(follow_redis, metrics.count_bad_record),
        heartbeats=Heartbeats(follow_redis, metrics.count_bad_record),
        change_log=ChangeLog(follow_redis),
        edits=EditStore(follow_redis, metrics.count_bad_record),
        disk_cache=DiskCache(settings.cache_dir) if settings.cache_dir is not None else None,
        document_files=None if document_folder is None else DocumentFiles(document_folder),
        pushed=partial(PushedDocuments, follow_redis),
        fresh_limit=settings.fresh_limit,
        metrics=metrics,
        answer_bytes=settings.answer_cache_mb * 1_000_000,
        undeclared=settings.undeclared,
    )
    live.start()
    request_redis = gated(
        connect(settings.redis_url, timeout=REQUEST_TIMEOUT, confirm_replicas=settings.confirm_replicas), live
    )
    return create_gateway(live, request_redis, settings, metrics, request_logger(settings, writer))
