"""The demo corpus: 5,233 icons with their search keywords, their shapes, and the corpora file that declares it.

Made by make_demo.py from the npm package @tabler/icons (MIT, notice in LICENSE.tabler-icons).
"""

import gzip
from functools import cache
from importlib.resources import files

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none"'
    ' color="#333" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">'
    "<style>@media (prefers-color-scheme: dark) {{ svg {{ color: #ddd }} }}</style>{}</svg>"
)
"""Follows the system's dark mode by itself: a picture does not inherit the colours of the page it is in."""


def icon(name: str) -> bytes | None:
    """An icon as SVG; None if there is none of this name."""
    shape = _shapes().get(name)
    return None if shape is None else DRAWING.format(shape).encode()


@cache
def _shapes() -> dict[str, str]:
    """The elements of every icon, by name; about 2 MB, read when the first is asked for."""
    text = gzip.decompress((files("demo") / "tabler_icons.svg.gz").read_bytes()).decode()
    return dict(line.split(" ", 1) for line in text.splitlines())
