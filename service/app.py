"""The composition root of a web process: settings, store, live snapshots, app."""

from flask import Flask
from redis import Redis
from werkzeug.middleware.proxy_fix import ProxyFix

from service import docs, pages, problems
from service.access import ApiKeys
from service.disk_cache import DiskCache
from service.lane import Lane
from service.live_snapshots import LiveSnapshots
from service.manners import Manners
from service.metrics import Metrics
from service.openapi import openapi_document
from service.pages import assets
from service.request_log import RequestLogger, log_request, request_logger
from service.routes import admin, queries, writes
from service.routing import Api
from service.settings import ServiceSettings
from snapshot import CorpusRegister, SnapshotStore, StatusBoard, connect, read_settings
from snapshot.log_writer import LogWriter

FOLLOW_TIMEOUT = 1.0
"""Seconds; short, so that the thread that follows the store notices an outage quickly."""

REQUEST_TIMEOUT = 3.0
"""Seconds; for the few requests that need the store."""


def create_app(
    live: LiveSnapshots, redis: Redis, settings: ServiceSettings, metrics: Metrics, note: RequestLogger = log_request
) -> Flask:
    """The Flask app: reads from the live snapshots, writes to the store."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    app.url_map.merge_slashes = False
    keys = ApiKeys(settings.api_keys, settings.read_keys)
    store = SnapshotStore(redis)
    operations = (
        *admin.operations(live, store, StatusBoard(redis, metrics.count_bad_record), metrics),
        *queries.questions(store),
        *writes.operations(redis, live, metrics),
    )
    api = Api(operations, live, metrics, private=keys.private)
    app.register_blueprint(api.blueprint)
    app.register_blueprint(assets.blueprint(assets.Assets(assets.STATIC)))
    app.register_blueprint(pages.blueprint(live, store, metrics))
    document = openapi_document(api)
    app.register_blueprint(docs.blueprint(document, api.operations))
    problems.register(app)
    manners = Manners(settings, keys, metrics, note)
    manners.register(app)
    if manners.open_to_all:
        app.wsgi_app = Lane(app.wsgi_app, live, api, manners)  # type: ignore[method-assign]
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]
    return app


def application(writer: LogWriter) -> Flask:
    """The app that gunicorn loads in each of its processes."""
    settings = read_settings(ServiceSettings)
    metrics = Metrics()
    writer.on_drop = metrics.log_lines_dropped.inc
    follow_redis = connect(settings.redis_url, timeout=FOLLOW_TIMEOUT)
    live = LiveSnapshots(
        SnapshotStore(follow_redis),
        StatusBoard(follow_redis, metrics.count_bad_record),
        register=CorpusRegister(follow_redis, metrics.count_bad_record),
        disk_cache=DiskCache(settings.cache_dir) if settings.cache_dir is not None else None,
        metrics=metrics,
        answer_bytes=settings.answer_cache_mb * 1_000_000,
    )
    live.start()
    request_redis = connect(settings.redis_url, timeout=REQUEST_TIMEOUT)
    return create_app(live, request_redis, settings, metrics, request_logger(settings, writer))
