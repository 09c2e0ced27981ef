"""Pictures of the matrix as PNG, which takes a few lines and no library."""

import struct
import zlib
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from service.response_cache import CachedResponse
from service.view.view import View

MEDIA_TYPE: Final = "image/png"
SHADES: Final = ((255, 255, 255), (198, 216, 232), (104, 158, 202), (29, 91, 147), (8, 32, 66))
"""From empty to dense, interpolated linearly; lightness alone distinguishes them."""


def png(view: View, of: Literal["before", "after"]) -> CachedResponse:
    """One of the snapshot's two pictures."""
    picture = view.snapshot.picture
    return CachedResponse(_png(picture.before if of == "before" else picture.after), "", MEDIA_TYPE)


def _png(shades: NDArray[np.uint8]) -> bytes:
    """An image of 256 colours (PNG, third edition: colour type 3, eight bits, no filter)."""
    height, width = shades.shape
    lines = np.zeros((height, width + 1), dtype=np.uint8)
    lines[:, 1:] = shades
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", _palette()), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _palette() -> bytes:
    stops = np.linspace(0, 255, len(SHADES))
    channels = [np.interp(np.arange(256), stops, [shade[channel] for shade in SHADES]) for channel in range(3)]
    return bytes(np.stack(channels, axis=1).round().astype(np.uint8).tobytes())
