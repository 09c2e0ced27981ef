"""Opens the only table of a ZIP archive. Reading is bounded: a small archive may unpack to anything."""

import struct
import zipfile
import zlib
from io import BufferedIOBase
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Final, Self, cast

from worker.errors import CorpusError

MOST_TIMES: Final = 200
"""An archive may unpack to so many times its size …"""

ALWAYS_ALLOWED: Final = 256 * 2**20
"""… or to so many bytes."""

NOT_DATA: Final = {"readme", "license", "licence", "changelog", "notice", "about"}
PIECE: Final = 2**20


def most_bytes(path: Path) -> int:
    """Bytes to which a file may unpack."""
    return max(ALWAYS_ALLOWED, MOST_TIMES * path.stat().st_size)


def too_large(path: Path) -> CorpusError:
    """That an archive unpacks to too much."""
    return CorpusError(f"{path}: unpacks to more than {most_bytes(path) // 2**20} MB; it may be a ZIP bomb")


def is_data(name: str) -> bool:
    """Whether a file of an archive or folder may hold documents: no hidden file, no explanation."""
    place = PurePosixPath(name)
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in place.parts)
    return not hidden and not name.endswith("/") and place.stem.lower() not in NOT_DATA


def only_member(path: Path) -> str:
    """The name of the only table in an archive; CorpusError if there are several, or none."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if is_data(info.filename)]
    except (zipfile.BadZipFile, OSError) as error:
        raise CorpusError(f"{path}: is no readable ZIP archive: {error}") from error
    if len(names) != 1:
        listed = ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
        held = f"holds {len(names)} files ({listed})" if names else "holds no table"
        raise CorpusError(f"{path}: {held}; unpack it and name one of them, or the folder")
    return names[0]


def open_member(file: BinaryIO, path: Path) -> BufferedIOBase:
    """The content of the only table in an archive."""
    name = only_member(path)
    archive = zipfile.ZipFile(file)
    if archive.getinfo(name).flag_bits & 1:
        raise CorpusError(f"{path}: {name} is protected by a password; unpack it first")
    return cast("BufferedIOBase", _Bounded(archive.open(name), path))


def check_unpacked_size(path: Path) -> None:
    """CorpusError if the parts of an archive unpack to too much; what they claim in the directory does not count."""
    left = most_bytes(path)
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if info.compress_type != zipfile.ZIP_DEFLATED:
                    left -= info.compress_size
                    continue
                file.seek(info.header_offset)
                name, extra = struct.unpack("<HH", file.read(30)[26:30])
                file.seek(name + extra, 1)
                left -= _inflated(file, info.compress_size, left)
                if left < 0:
                    raise too_large(path)
    except (zipfile.BadZipFile, zlib.error, struct.error, OSError) as error:
        raise CorpusError(f"{path}: is damaged: {error}") from error


def _inflated(file: BinaryIO, packed: int, limit: int) -> int:
    """Bytes to which a stream inflates, or a few more than the limit."""
    inflate, size = zlib.decompressobj(-15), 0
    while packed > 0 and size <= limit and not inflate.eof:
        piece = file.read(min(PIECE, packed))
        if not piece:
            break
        packed -= len(piece)
        while piece and size <= limit:
            size += len(inflate.decompress(piece, PIECE))
            piece = inflate.unconsumed_tail
    return size


class _Bounded:
    """A stream that ends with an error where it gives more than its file may unpack to."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream, self._path, self._left = stream, path, most_bytes(path)

    def read(self, size: int) -> bytes:
        piece = self._stream.read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise too_large(self._path)
        return piece

    read1 = read

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
