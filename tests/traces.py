"""Looks for a text in everything that is stored: in every key of a store and in every file of some folders."""

import contextlib
import gzip
import zipfile
import zlib
from io import BytesIO


def unpacked(blob):
    """A value or a file as it is, and what is compressed inside."""
    yield blob
    for decompress in (zlib.decompress, gzip.decompress):
        with contextlib.suppress(OSError, zlib.error, EOFError):
            yield decompress(blob)
    start = blob.find(b"PK\x03\x04")
    if start >= 0:
        try:
            with zipfile.ZipFile(BytesIO(blob[start:])) as archive:
                yield from (archive.read(name) for name in archive.namelist())
        except zipfile.BadZipFile:
            pass


def stored_values(redis):
    """Every key and value of the store."""
    for key in redis.scan_iter("*"):
        yield key
        kind = redis.type(key)
        if kind == b"string":
            yield redis.get(key)
        elif kind == b"hash":
            for field, value in redis.hgetall(key).items():
                yield from (field, value)
        elif kind == b"zset":
            yield from redis.zrange(key, 0, -1)
        elif kind == b"set":
            yield from redis.smembers(key)
        elif kind == b"list":
            yield from redis.lrange(key, 0, -1)


def places_of(text, redis, *folders):
    """Where a text is: as UTF-8 or as numpy stores it."""
    forms = [text.encode(), text.encode("utf-32-le")]
    found = [
        "store" for value in stored_values(redis) for blob in unpacked(value) if any(form in blob for form in forms)
    ]
    for folder in folders:
        for path in folder.rglob("*"):
            with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                content = path.read_bytes() if path.is_file() else b""
                found += [path.name for blob in unpacked(content) if any(form in blob for form in forms)]
    return found
