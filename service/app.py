import time

import structlog
from flask import Flask, Response, g, request
from flask_openapi3 import Info, OpenAPI

from service import api, page, problems
from service.api import ProblemModel
from service.settings import ServiceSettings
from service.shelf import Shelf
from snapshot import SnapshotStore, StatusBoard, connect, read_settings

STORE_TIMEOUT = 2.0
"""Seconds; the service prefers what it has in memory to waiting for the store."""

QUIET = ("/healthz", "/readyz")
"""Asked every few seconds by machines; not worth a line each."""

log = structlog.get_logger()


def create_app(shelf: Shelf) -> Flask:
    """The whole HTTP side, answering from one shelf."""
    app = OpenAPI(
        __name__,
        info=Info(title="Cotag", version="1", description="Grouped tag clouds and related tags for search pages"),
        validation_error_model=ProblemModel,
        validation_error_callback=problems.of_validation,
        doc_ui=False,
        static_folder=None,
    )
    app.register_api(api.blueprint(shelf))
    app.register_blueprint(page.blueprint(shelf))
    app.add_url_rule("/openapi.json", view_func=lambda: api.json(app.api_doc), endpoint="openapi")
    problems.register(app)
    app.before_request(_begin)
    app.after_request(_end)
    return app


def application() -> Flask:
    """What gunicorn loads in each of its processes: settings, store, shelf, app."""
    settings = read_settings(ServiceSettings)
    redis = connect(settings.redis_url, timeout=STORE_TIMEOUT)
    shelf = Shelf(SnapshotStore(redis), StatusBoard(redis))
    shelf.start()
    return create_app(shelf)


def _begin() -> None:
    g.began = time.perf_counter()


def _end(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    note = log.debug if request.path in QUIET else log.info
    note(
        "request",
        method=request.method,
        path=request.path,
        status=response.status_code,
        ms=round(1000 * (time.perf_counter() - g.began), 1),
    )
    return response
