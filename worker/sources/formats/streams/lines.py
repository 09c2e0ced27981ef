"""Reads lines or blocks of files as a stream: plain, compressed or the only table of a ZIP archive, as UTF-8."""

import gzip
import sys
import zipfile
import zlib
from collections.abc import Iterator
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import BinaryIO, Final, cast

from worker.errors import CorpusError
from worker.sources.document import Tally
from worker.sources.formats.streams.archives import open_member
from worker.sources.formats.streams.encodings import MARKS, Recoded

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LONGEST: Final = 64 * 2**20
"""Bytes of the longest line. A longer one means that the file is something else."""

BLOCK: Final = 2**20

UNREADABLE: Final = (OSError, EOFError, zlib.error, zstd.ZstdError, zipfile.BadZipFile, UnicodeDecodeError)


def lines(path: Path, tally: Tally, encoding: str | None = None) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a file; CorpusError at the first unreadable one."""
    for first, block in line_blocks(path, tally, encoding):
        yield from enumerate(block, start=first)


def line_blocks(path: Path, tally: Tally, encoding: str | None = None) -> Iterator[tuple[int, list[bytes]]]:
    """The lines of a file, as many at a time as a block of it holds, with the number of the first.

    CorpusError at the first unreadable line.
    """
    before, number = tally.done, 0
    try:
        with path.open("rb") as file, _open(file, path, encoding) as stream:
            for block in _whole_lines(stream):
                if len(block[0]) > LONGEST:
                    raise CorpusError(f"{path}: line {number + 1} is longer than {LONGEST} bytes")
                if number == 0:
                    block[0] = _strip_mark(block[0], path)
                tally.done = before + file.tell()
                yield number + 1, block
                number += len(block)
            tally.done = before + file.tell()
    except UNREADABLE as error:
        raise CorpusError(f"{path}: unreadable after line {number}: {error}") from error


def _whole_lines(stream: BufferedIOBase) -> Iterator[list[bytes]]:
    """The lines of a stream, block by block; of a line beyond LONGEST, as much as has been read then."""
    begun: list[bytes] = []  # the pieces of a line whose end has not been read
    while piece := stream.read1(BLOCK):
        begun.append(piece)
        if b"\n" in piece:
            block = BytesIO(b"".join(begun)).readlines()
            begun = [] if block[-1].endswith(b"\n") else [block.pop()]
            yield block
        elif sum(map(len, begun)) > LONGEST:
            break
    if begun:
        yield [b"".join(begun)]


def blocks(path: Path, tally: Tally, encoding: str | None = None) -> Iterator[bytes]:
    """The content of a file in blocks; CorpusError where it is unreadable."""
    before, read = tally.done, 0
    try:
        with path.open("rb") as file, _open(file, path, encoding) as stream:
            while block := stream.read(BLOCK):
                tally.done = before + file.tell()
                yield _strip_mark(block, path) if read == 0 else block
                read += len(block)
            tally.done = before + file.tell()
    except UNREADABLE as error:
        raise CorpusError(f"{path}: unreadable after byte {read}: {error}") from error


def _open(file: BinaryIO, path: Path, encoding: str | None) -> BufferedIOBase:
    """The unpacked content of a file, as UTF-8 if its encoding is another."""
    stream = cast("BufferedIOBase", file)
    if path.suffix == ".gz":
        stream = gzip.GzipFile(fileobj=file)
    elif path.suffix == ".zst":
        stream = cast("BufferedIOBase", zstd.ZstdFile(file))
    elif path.suffix == ".zip":
        stream = open_member(file, path)
    return stream if encoding is None else Recoded(stream, encoding)


def _strip_mark(line: bytes, path: Path) -> bytes:
    """The first line or block without a byte order mark."""
    if line.startswith(tuple(MARKS)):
        raise CorpusError(f'{path}: is UTF-16; save it as UTF-8, or declare encoding = "utf-16"')
    return line.removeprefix(b"\xef\xbb\xbf")
