"""The addresses of pictures as pages write them. Small drawings of our own stand in the page itself.

A page shows dozens of them: one request for each would take longer than all the rest of the page.
"""

from functools import lru_cache
from typing import Final

import demo
from service.api.demo_icons import PATH
from service.pages.frame.params import QUOTED

UNSAFE: Final = str.maketrans({char: f"%{ord(char):02X}" for char in "%#\"<>&'"})
"""What neither an address nor an attribute of HTML may hold."""


@lru_cache(maxsize=QUOTED)
def picture_source(address: str) -> str:
    """The picture itself as a data URL if the demo has it, or else its address."""
    if not address.startswith(PATH):
        return address
    drawing = demo.icon(address.removeprefix(PATH).removesuffix(".svg"))
    return address if drawing is None else f"data:image/svg+xml,{drawing.decode().translate(UNSAFE)}"
