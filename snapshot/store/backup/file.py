"""The file of a backup: JSON Lines, compressed with gzip.

The header says how many records follow, how many bytes they have, and their SHA-256. Then there is a line for each
string (or piece of a long one), member, item or field, with a checksum of its own. Values are base64. The header is a
part of the file (a gzip member) of a known length, so that it can be written when everything else has been.

Format 1, of release 0.2.0, has no checksums, and its last line has the number of lines. It can still be read.
"""

import gzip
import hashlib
import os
import zlib
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from snapshot.errors import SnapshotError

FORMAT: Final = 2
PREFIX: Final = "cotag:"
TYPES: Final = frozenset({"string", "hash", "set", "zset", "list"})
LONGEST_HEADER: Final = 1000
LONGEST_LINE: Final = 2**26
"""Bytes of a line, so that neither backup nor restore needs much memory."""

MOST_QUOTES: Final = 24
"""Of a record, which has at most seven texts; more would be parsed into more memory than the line has bytes."""

MOST_RATIO: Final = 200
SMALL_BYTES: Final = 2**26
"""A file whose records have more bytes than this, and more than so many times its own, is no backup but a bomb."""

Record = dict[str, Any]


class BackupError(SnapshotError):
    """A backup cannot be made, or a file is none; the message says why."""


@dataclass(frozen=True)
class Contents:
    """What the header says of a backup."""

    release: str
    made: str
    records: int
    bytes: int
    sha256: str


class BackupWriter:
    """Writes records to a file, and the header when all are written."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._records = self._bytes = 0
        self._digest = hashlib.sha256()
        raw.write(_header_member(b""))
        self._body = gzip.open(raw, "wb", compresslevel=1)  # noqa: SIM115 - closed by finish

    def write(self, record: Record) -> None:
        """Add a record."""
        line = orjson.dumps({**record, "sum": _sum(record)}) + b"\n"
        if len(line) > LONGEST_LINE:
            raise BackupError(f"a value of {record['key']} is longer than {LONGEST_LINE:,} bytes")
        self._body.write(line)
        self._digest.update(line)
        self._records += 1
        self._bytes += len(line)

    def finish(self, release: str, made: str) -> int:
        """Write the header, and return the number of records."""
        self._body.close()
        contents = Contents(release, made, self._records, self._bytes, self._digest.hexdigest())
        self._raw.seek(0)
        self._raw.write(_header_member(orjson.dumps({"cotag_backup": FORMAT, **asdict(contents)})))
        self._raw.flush()
        os.fsync(self._raw.fileno())
        return self._records


def verify(path: Path) -> Contents:
    """What a backup holds, after reading all of it; BackupError if it is none, or if a byte of it is wrong."""
    reader = BackupReader(path)
    for _ in reader.records():
        pass
    return reader.contents


class BackupReader:
    """Reads a file, with bounded memory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = 0
        self.contents = Contents("", "", 0, 0, "")
        """Complete when all records have been read."""

    def records(self) -> Iterator[Record]:
        """Every record; BackupError, at the latest after the last one, if the file is no complete backup."""
        try:
            with gzip.open(self._path, "rb") as file:
                header = orjson.loads(file.readline(LONGEST_HEADER))
                form = header.pop("cotag_backup", None)
                if form not in {1, FORMAT}:
                    raise BackupError(f"{self._path} is no backup of Cotag, or of a newer release")
                lines = self._first_form(file) if form == 1 else self._lines(file, Contents(**header))
                for number, line in enumerate(lines, 1):
                    yield checked(line, number)
        except (OSError, EOFError) as error:
            raise BackupError(f"{self._path}: {getattr(error, 'strerror', None) or error}") from error
        except zlib.error as error:
            raise BackupError(f"{self._path}: {error}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BackupError(f"{self._path} is no backup of Cotag: record {self._number}: {error}") from error

    def _lines(self, file: Any, announced: Contents) -> Iterator[Record]:
        digest = hashlib.sha256()
        records = size = 0
        self._refuse_bomb(announced.bytes)
        while raw := file.readline(LONGEST_LINE + 1):
            size += len(raw)
            if size > announced.bytes:
                raise ValueError("there is more than the header says")
            line = self._parse(raw)
            records += 1
            if line.pop("sum") != _sum(line):
                raise BackupError(f"{self._path}: record {records}, of {line.get('key')}, does not have its checksum")
            digest.update(raw)
            yield line
        if (records, size) != (announced.records, announced.bytes):
            raise BackupError(f"{self._path} is incomplete: {records:,} of {announced.records:,} records")
        if digest.hexdigest() != announced.sha256:
            raise BackupError(f"{self._path} does not have the checksum of its header")
        self.contents = announced

    def _first_form(self, file: Any) -> Iterator[Record]:
        count, size, ended = 0, 0, False
        while raw := file.readline(LONGEST_LINE + 1):
            size += len(raw)
            self._refuse_bomb(size)
            line = self._parse(raw)
            if "lines" in line:
                ended = line["lines"] == count
            else:
                count += 1
                yield line
        if not ended:
            raise BackupError(f"{self._path} is incomplete: it was cut short")
        self.contents = Contents("0.2.0", "", count, size, "")

    def _parse(self, raw: bytes) -> Record:
        self._number += 1
        if len(raw) > LONGEST_LINE:
            raise ValueError(f"its line is longer than {LONGEST_LINE:,} bytes")
        if raw.count(b'"') > MOST_QUOTES or b"[" in raw or raw.count(b"{") > 1:
            raise ValueError("it has other parts than a record")
        line = orjson.loads(raw)
        if not isinstance(line, dict):
            raise TypeError("it is no record")
        return line

    def _refuse_bomb(self, size: int) -> None:
        if size > SMALL_BYTES and size > MOST_RATIO * self._path.stat().st_size:
            raise BackupError(
                f"{self._path} unpacks to more than {MOST_RATIO} times its size: that is no backup of Cotag"
            )


def checked(record: Record, number: int) -> Record:
    """The same record; ValueError if it is none of a key of Cotag, with values that can be decoded."""
    if not isinstance(record["key"], str) or not record["key"].startswith(PREFIX):
        raise ValueError(f"record {number} is about {record['key']!r}, which is no key of Cotag")
    if record["type"] not in TYPES:
        raise ValueError(f"record {number} has the unknown type {record['type']!r}")
    b64decode(record["value"], validate=True)
    if record["type"] == "hash":
        b64decode(record["field"], validate=True)
    if record["type"] == "zset":
        float(record["score"])
    if not 0 <= int(record.get("at", 0)) < 2**29:
        raise ValueError(f"record {number} has no place in a string")
    return record


def private_file(path: Path) -> BinaryIO:
    """A new file that only its user can read."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")


def _header_member(header: bytes) -> bytes:
    """A header as gzip of a length that is always the same."""
    return gzip.compress(header.ljust(LONGEST_HEADER - 1) + b"\n", compresslevel=0, mtime=0)


def _sum(record: Record) -> str:
    return hashlib.sha256(orjson.dumps(record)).hexdigest()[:16]
