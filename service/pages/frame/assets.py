"""Style sheets, scripts and icons: read once, served compressed, cached by browsers until they change."""

import hashlib
from pathlib import Path
from typing import Final

from flask import Blueprint, abort

from service.response_cache import CachedResponse
from service.web.flask_app import reply
from service.web.http import HttpResponse
from service.web.negotiation import NEVER, encode_answer

STATIC: Final = Path(__file__).parents[1] / "static"
KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FOR_EVER: Final = "public, max-age=31536000, immutable"


class Assets:
    """The files of one folder. Addresses contain the digest of all files, so scripts that import each other match."""

    def __init__(self, folder: Path) -> None:
        bodies = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in KINDS}
        self.digest = hashlib.blake2b(repr(bodies).encode(), digest_size=6).hexdigest()
        self._files: dict[str, CachedResponse] = {
            name: encode_answer(CachedResponse(body, "", KINDS[Path(name).suffix]), self.digest, name.encode())
            for name, body in bodies.items()
        }

    def url(self, name: str) -> str:
        """The address of a file; LookupError if a template names a file that does not exist."""
        if name not in self._files:
            raise LookupError(f"there is no static file {name}")
        return f"/static/{self.digest}/{name}"

    def answer(self, name: str, caching: str) -> HttpResponse:
        """A file as HTTP, or 404. Pages of any site may load it: without that a browser refuses the embed's module."""
        if name not in self._files:
            abort(404)
        response = reply(self._files[name], caching)
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response


def assets_blueprint(assets: Assets) -> Blueprint:
    """The blueprint of the files, with the digest in the address and without it, for other sites."""
    files = Blueprint("assets", __name__)
    files.add_app_template_global(assets.url, "asset")

    @files.get("/static/<digest>/<name>")
    def versioned(digest: str, name: str) -> HttpResponse:
        return assets.answer(name, FOR_EVER if digest == assets.digest else NEVER)

    @files.get("/static/<name>")
    def static(name: str) -> HttpResponse:
        return assets.answer(name, NEVER)

    return files
