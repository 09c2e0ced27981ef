"""The composition root of a web process: settings, store, shelf, app."""

from flask import Flask
from redis import Redis
from werkzeug.middleware.proxy_fix import ProxyFix

from service import docs, operating, pages, problems, reading, writing
from service.access import Keys
from service.copies import Copies
from service.describing import described
from service.lane import Lane
from service.manners import Manners, Note, note_for, told
from service.metrics import Metrics
from service.pages import assets
from service.routing import Api
from service.settings import ServiceSettings
from service.shelf import Shelf
from snapshot import CorpusRegister, SnapshotStore, StatusBoard, connect, read_settings

FOLLOWING_TIMEOUT = 1.0
"""Seconds; the thread that follows the store finds out quickly that it is away."""

ASKING_TIMEOUT = 3.0
"""Seconds; for the few requests that need the store."""


def create_app(shelf: Shelf, redis: Redis, settings: ServiceSettings, metrics: Metrics, note: Note = told) -> Flask:
    """The whole HTTP side: reads from one shelf, writes to one store."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    app.url_map.merge_slashes = False
    keys = Keys(settings.api_keys, settings.read_keys)
    store = SnapshotStore(redis)
    operations = (
        *operating.operations(shelf, store, StatusBoard(redis), metrics),
        *reading.questions(store),
        *writing.operations(redis, shelf),
    )
    api = Api(operations, shelf, metrics, private=keys.private)
    app.register_blueprint(api.blueprint)
    app.register_blueprint(assets.blueprint(assets.Assets(assets.STATIC)))
    app.register_blueprint(pages.blueprint(shelf, store, metrics))
    document = described(api)
    app.register_blueprint(docs.blueprint(document, api.operations))
    problems.register(app)
    manners = Manners(settings, keys, metrics, note)
    manners.register(app)
    if manners.open_to_all:
        app.wsgi_app = Lane(app.wsgi_app, shelf, api, manners)  # type: ignore[method-assign]
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]
    return app


def application() -> Flask:
    """What gunicorn loads in each of its processes."""
    settings = read_settings(ServiceSettings)
    metrics = Metrics()
    following = connect(settings.redis_url, timeout=FOLLOWING_TIMEOUT)
    shelf = Shelf(
        SnapshotStore(following),
        StatusBoard(following, metrics.count_bad_record),
        register=CorpusRegister(following, metrics.count_bad_record),
        copies=Copies(settings.cache_dir) if settings.cache_dir is not None else None,
        metrics=metrics,
        answer_bytes=settings.answer_cache_mb * 1_000_000,
    )
    shelf.start()
    asking = connect(settings.redis_url, timeout=ASKING_TIMEOUT)
    return create_app(shelf, asking, settings, metrics, note_for(settings))
