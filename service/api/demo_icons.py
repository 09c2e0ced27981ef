"""Serves the icons of the demo corpus, so that its pages need no other host."""

from typing import Final

from flask import Blueprint, abort

import demo
from service.response_cache import CachedResponse
from service.web.flask_app import reply
from service.web.http import HttpResponse
from service.web.negotiation import encode_answer

PATH: Final = "/demo/icons/"
A_DAY: Final = "public, max-age=86400"


def icons_blueprint() -> Blueprint:
    """The blueprint of the icons; demo/corpora.toml names its address as base_url."""
    icons = Blueprint("demo", __name__)

    @icons.get(f"{PATH}<name>.svg")
    def icon(name: str) -> HttpResponse:
        drawing = demo.icon(name)
        if drawing is None:
            abort(404)
        return reply(encode_answer(CachedResponse(drawing, "", "image/svg+xml"), "icon", drawing), A_DAY)

    return icons
