"""Tells the encoding of a text, and reads other encodings as UTF-8."""

import codecs
from importlib.util import find_spec
from io import BufferedIOBase
from typing import Final

from worker.errors import CorpusError

MARKS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
WESTERN: Final = "windows-1252"
"""Assumed where nothing tells: Excel's plain CSV in western Europe and America."""

CANDIDATES: Final = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp932", "gb18030", "big5", "euc_kr", "koi8_r"]
TOLERANCE: Final = 0.02


class Recoded(BufferedIOBase):
    """A stream in another encoding, read as UTF-8."""

    def __init__(self, stream: BufferedIOBase, encoding: str) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder(encoding)().decode

    def read(self, size: int | None = -1, /) -> bytes:
        """About as many bytes; empty at the end alone."""
        while piece := self._stream.read(size):
            if text := self._decode(piece):
                return text.encode()
        return self._decode(b"", True).encode()

    def read1(self, size: int = -1, /) -> bytes:
        """The same."""
        return self.read(size)

    def close(self) -> None:
        """Close the stream below too."""
        self._stream.close()
        super().close()


def known_encoding(name: str) -> str:
    """The encoding; ValueError if Python knows none of this name that holds text."""
    try:
        "".encode(name)
    except LookupError:
        raise ValueError(f"unknown encoding {name!r}; for example utf-16 or windows-1252") from None
    return name


def encoding_of(start: bytes, place: object) -> str | None:
    """The encoding of a text that begins so; None for UTF-8. CorpusError where two of them are mixed."""
    for mark, encoding in MARKS.items():
        if start.startswith(mark):
            return encoding
    if start[:200].count(0) > len(start[:200]) // 4:
        return "utf-16-le" if start[1:2] == b"\0" else "utf-16-be"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        _refuse_mixed(start, place)
        return _likeliest(start)
    return None


def _refuse_mixed(start: bytes, place: object) -> None:
    """CorpusError if some lines with accents are UTF-8 and others are not."""
    wide, other = [], []
    for number, line in enumerate(start.split(b"\n")[:-1], start=1):
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError:
                other.append(number)
            else:
                wide.append(number)
    if wide and other:
        raise CorpusError(f"{place}: line {wide[0]} is UTF-8 but line {other[0]} is not; save the file in one encoding")


def _likeliest(start: bytes) -> str:
    """By its letters, if charset-normalizer is installed; the encoding of western Windows otherwise."""
    if find_spec("charset_normalizer") is None:
        return WESTERN
    from charset_normalizer import from_bytes  # noqa: PLC0415 - optional

    matches = from_bytes(start, cp_isolation=CANDIDATES)
    best = matches.best()
    western = next((match for match in matches if "cp1252" in {match.encoding, *match.could_be_from_charset}), None)
    # Of encodings that read a text about equally well the western one is by far the commonest.
    if best is None or (western is not None and western.chaos <= best.chaos + TOLERANCE):
        return WESTERN
    return str(best.encoding)
