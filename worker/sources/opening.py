"""Lines of files, plain or compressed, a little at a time."""

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, cast

import zstandard

from worker.errors import CorpusError
from worker.sources.document import Tally

LONGEST: Final = 64 * 2**20
"""Bytes of the longest line. A longer one means that the file is something else."""

PIECE: Final = 1024
"""Compressed bytes decompressed at once: four of them can stand for 128 KiB."""

PROGRESS_LINES: Final = 1000

WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
"""How UTF-16 begins."""


def lines(path: Path, tally: Tally) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a file; CorpusError where it cannot be read on."""
    before, number = tally.done, 0
    try:
        with path.open("rb") as file, _decompressed(file, path.suffix) as stream:
            while line := stream.readline(LONGEST + 1):
                if len(line) > LONGEST:
                    raise CorpusError(f"{path}: line {number + 1} is longer than {LONGEST} bytes")
                if number == 0:
                    line = _without_mark(line, path)
                number += 1
                if number % PROGRESS_LINES == 1:
                    tally.done = before + file.tell()
                yield number, line
            tally.done = before + file.tell()
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        raise CorpusError(f"{path}: unreadable after line {number}: {error}") from error


def _decompressed(file: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    return io.BufferedReader(_Zstandard(file)) if suffix == ".zst" else file


def _without_mark(line: bytes, path: Path) -> bytes:
    """The first line without the mark that some programs put before UTF-8."""
    if line.startswith(WIDE):
        raise CorpusError(f"{path}: is UTF-16; documents are read as UTF-8")
    return line.removeprefix(b"\xef\xbb\xbf")


class _Zstandard(io.RawIOBase):
    """The content of all frames of a file. The library's own reader takes a frame cut short for a whole one."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._within = False
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(cast("bytearray", buffer))
        while not self._ready:
            piece = self._next_piece()
            if not piece:
                return 0
            self._ready = memoryview(self._frame.decompress(piece))
        size = min(len(target), len(self._ready))
        target[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _next_piece(self) -> bytes:
        rest = self._frame.unused_data if self._frame.eof else b""
        piece = rest or self._file.read(PIECE)
        if self._frame.eof:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        elif self._within and not piece:
            raise EOFError("compressed file ended before the end of its last frame")
        self._within = bool(piece)
        return piece
