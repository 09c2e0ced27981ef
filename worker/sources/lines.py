"""Reads lines or blocks of files, plain or compressed, as a stream."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, cast

from worker.errors import CorpusError
from worker.sources.document import Tally

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LONGEST: Final = 64 * 2**20
"""Bytes of the longest line. A longer one means that the file is something else."""

PROGRESS_LINES: Final = 1000
BLOCK: Final = 2**20

WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks of UTF-16."""


def lines(path: Path, tally: Tally) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a file; CorpusError at the first unreadable one."""
    before, number = tally.done, 0
    try:
        with path.open("rb") as file, _decompress(file, path.suffix) as stream:
            while line := stream.readline(LONGEST + 1):
                if len(line) > LONGEST:
                    raise CorpusError(f"{path}: line {number + 1} is longer than {LONGEST} bytes")
                if number == 0:
                    line = _strip_mark(line, path)
                number += 1
                if number % PROGRESS_LINES == 1:
                    tally.done = before + file.tell()
                yield number, line
            tally.done = before + file.tell()
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        raise CorpusError(f"{path}: unreadable after line {number}: {error}") from error


def blocks(path: Path, tally: Tally) -> Iterator[bytes]:
    """The content of a file in blocks; CorpusError where it is unreadable."""
    before, read = tally.done, 0
    try:
        with path.open("rb") as file, _decompress(file, path.suffix) as stream:
            while block := stream.read(BLOCK):
                tally.done = before + file.tell()
                yield _strip_mark(block, path) if read == 0 else block
                read += len(block)
            tally.done = before + file.tell()
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        raise CorpusError(f"{path}: unreadable after byte {read}: {error}") from error


def _decompress(file: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    return cast("IO[bytes]", zstd.ZstdFile(file)) if suffix == ".zst" else file


def _strip_mark(line: bytes, path: Path) -> bytes:
    """The first line or block without a byte order mark."""
    if line.startswith(WIDE):
        raise CorpusError(f"{path}: is UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)")
    return line.removeprefix(b"\xef\xbb\xbf")
