"""The composition root of a web process: settings, store, live snapshots, Flask, and the gateway in front of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flask import Flask
from redis import Redis
from werkzeug.middleware.proxy_fix import ProxyFix

from service import demo_icons, docs, pages, wsgi
from service.asgi import Gateway
from service.disk_cache import DiskCache
from service.document_files import DocumentFiles
from service.live_snapshots import LiveSnapshots
from service.metrics import Metrics
from service.openapi import openapi_document
from service.pages import assets
from service.pages.remembered import RememberedPages
from service.pages.rendering import Renderer
from service.policy import Policy
from service.prepared import Preparation
from service.request_log import RequestLogger, log_request, request_logger
from service.routes import admin, checks, documents, edits, operating, queries, writes
from service.routing import Api
from service.settings import ServiceSettings
from service.store_gate import gated
from snapshot import CorpusRegister, Heartbeats, SnapshotStore, StatusBoard, connect, read_settings
from snapshot.change_log import ChangeLog
from snapshot.edits import EditStore
from snapshot.log_writer import LogWriter

FOLLOW_TIMEOUT: Final = 1.0
"""Seconds; short, so that the thread that follows the store notices an outage quickly."""

REQUEST_TIMEOUT: Final = 3.0
"""Seconds; for the few requests that need the store."""


@dataclass(frozen=True)
class Assembled:
    """What Flask and the gateway share."""

    flask: Flask
    api: Api
    pages: RememberedPages
    policy: Policy


def assemble(
    live: LiveSnapshots, redis: Redis, settings: ServiceSettings, metrics: Metrics, note: RequestLogger = log_request
) -> Assembled:
    """Flask with every route: reads from the live snapshots, writes to the store."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    app.url_map.merge_slashes = False
    store = SnapshotStore(redis)
    operations = (
        *admin.operations(live, store, StatusBoard(redis, metrics.count_bad_record), metrics),
        *queries.questions(store),
        *documents.document_questions(),
        *checks.operations(live),
        *writes.operations(redis, live, metrics),
        *operating.operations(redis, live, metrics),
        *edits.operations(redis, live, metrics),
    )
    policy = Policy(settings, metrics, note, {f"api.{operation.name}": operation.scope for operation in operations})
    api = Api(operations, live, metrics, private=policy.keys.private)
    remembered = RememberedPages(live, settings.answer_cache_mb * 1_000_000)
    app.register_blueprint(api.blueprint())
    app.register_blueprint(assets.blueprint(assets.Assets(assets.STATIC)))
    app.register_blueprint(demo_icons.blueprint())
    app.register_blueprint(pages.blueprint(live, redis, metrics, remembered, Renderer(app.jinja_env, live)))
    app.register_blueprint(docs.blueprint(openapi_document(api), api.operations))
    wsgi.register(app, policy)
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=0, x_proto=count, x_host=count)  # type: ignore[method-assign]
    return Assembled(app, api, remembered, policy)


def create_app(
    live: LiveSnapshots, redis: Redis, settings: ServiceSettings, metrics: Metrics, note: RequestLogger = log_request
) -> Flask:
    """The Flask application alone, complete by itself."""
    return assemble(live, redis, settings, metrics, note).flask


def create_gateway(
    live: LiveSnapshots, redis: Redis, settings: ServiceSettings, metrics: Metrics, note: RequestLogger = log_request
) -> Gateway:
    """The ASGI application with Flask behind it."""
    made = assemble(live, redis, settings, metrics, note)
    preparation = Preparation(made.api, live, settings.prepared_answers_mb * 1_000_000)
    return Gateway(made.flask, made.api, made.pages, made.policy, preparation=preparation, settings=settings)


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
        metrics=metrics,
        answer_bytes=settings.answer_cache_mb * 1_000_000,
        undeclared=settings.undeclared,
    )
    live.start()
    request_redis = gated(connect(settings.redis_url, timeout=REQUEST_TIMEOUT), live)
    return create_gateway(live, request_redis, settings, metrics, request_logger(settings, writer))
