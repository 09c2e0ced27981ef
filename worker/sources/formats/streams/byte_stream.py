"""A file as a stream of bytes for parsers that read one, unpacked and as UTF-8."""

from pathlib import Path
from typing import Self

from worker.sources.document import Tally
from worker.sources.formats.streams.lines import blocks


class ByteStream:
    """Reads the blocks of a file; memory holds one of them."""

    def __init__(self, path: Path, tally: Tally, encoding: str | None) -> None:
        self._blocks = blocks(path, tally, encoding)
        self._left = b""

    def read(self, size: int = -1) -> bytes:
        """At most as many bytes; empty at the end alone."""
        self._left = self._left or next(self._blocks, b"")
        piece, self._left = (self._left, b"") if size < 0 else (self._left[:size], self._left[size:])
        return piece

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._blocks.close()  # type: ignore[attr-defined]  # a generator
