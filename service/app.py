"""The composition root of a web process: settings, store, live snapshots, app."""

from flask import Flask
from redis import Redis
from werkzeug.middleware.proxy_fix import ProxyFix

from service import docs, pages, problems
from service.access import Keys
from service.disk_cache import DiskCache
from service.lane import Lane
from service.live_snapshots import LiveSnapshots
from service.manners import Manners, Note, note_for, told
from service.metrics import Metrics
from service.openapi import openapi_document
from service.pages import assets
from service.routes import admin, queries, writes
from service.routing import Api
from service.settings import ServiceSettings
from snapshot import CorpusRegister, SnapshotStore, StatusBoard, connect, read_settings

FOLLOWING_TIMEOUT = 1.0
"""Seconds; the thread that follows the store finds out quickly that it is away."""

ASKING_TIMEOUT = 3.0
"""Seconds; for the few requests that need the store."""


def create_app(
    live: LiveSnapshots, redis: Redis, settings: ServiceSettings, metrics: Metrics, note: Note = told
) -> Flask:
    """The whole HTTP side: reads from the live snapshots, writes to one store."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    app.url_map.merge_slashes = False
    keys = Keys(settings.api_keys, settings.read_keys)
    store = SnapshotStore(redis)
    operations = (
        *admin.operations(live, store, StatusBoard(redis), metrics),
        *queries.questions(store),
        *writes.operations(redis, live),
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


def application() -> Flask:
    """What gunicorn loads in each of its processes."""
    settings = read_settings(ServiceSettings)
    metrics = Metrics()
    following = connect(settings.redis_url, timeout=FOLLOWING_TIMEOUT)
    live = LiveSnapshots(
        SnapshotStore(following),
        StatusBoard(following, metrics.count_bad_record),
        register=CorpusRegister(following, metrics.count_bad_record),
        copies=DiskCache(settings.cache_dir) if settings.cache_dir is not None else None,
        metrics=metrics,
        answer_bytes=settings.answer_cache_mb * 1_000_000,
    )
    live.start()
    asking = connect(settings.redis_url, timeout=ASKING_TIMEOUT)
    return create_app(live, asking, settings, metrics, note_for(settings))
