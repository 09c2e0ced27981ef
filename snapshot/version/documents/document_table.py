"""The documents of a snapshot as services map them, and the file that holds them.

The file is a JSON header followed by raw arrays, each aligned, so that a process maps it instead of reading it: all
processes of a machine share its pages. The store has the file in chunks, compressed; the meta of the snapshot has the
checksum of each chunk as it is in the file.
"""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import IO, Any, Final, get_type_hints

import numpy as np
import orjson
from numpy.typing import NDArray

from snapshot.errors import SnapshotCorrupt
from snapshot.version.documents.texts import Texts
from snapshot.version.encoding.fields import attribute, build
from tagmodel import DocumentIndex
from tagmodel.language.text import TextModel

CHUNK: Final = 4 * 2**20
"""Bytes of the file in each chunk but the last; compressed, a chunk never reaches 8 MB."""

MAGIC: Final = b"cotagdoc"
HEAD: Final = len(MAGIC) + 8
"""The magic number, and the length of the header that follows."""

ALIGNED: Final = 64
LEVEL: Final = 1
"""Of zlib: higher levels take several times as long to save a few per cent."""


@dataclass(frozen=True, eq=False)
class DocumentTable:
    """All documents: their tags, ids, concepts, clusters and cards. A position is a place in the order of the ids.

    Attributes:
        index: which documents have which tags, both ways; head tags first, then tail tags.
        ids: the ids, sorted, so that an id is found by bisection.
        concepts: position of the tag cluster that has the largest share of the document in M*. Of a document outside
            the matrix, that of most of its tags; the number of clusters if they have none.
        clusters: id of the document cluster; the number of document clusters for a document outside the matrix.
        cards: encoded cards; none at all if no document has one.
        text: what the run learnt from the words of the documents; it knows no word if there are none.
        dates: seconds since the epoch, NO_DATE (dates.py) for a document without a date; none at all if no document has
            one, and in older versions.
        title_words: the words of titles that are no tags, sorted; `index.titles` has the documents of each.
        places: where each document lies on the map, x and y in 65,535ths of its width; none in versions older than it.
    """

    index: DocumentIndex
    ids: Texts
    concepts: NDArray[Any]
    clusters: NDArray[Any]
    cards: Texts
    text: TextModel = field(default_factory=TextModel)
    dates: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    title_words: Texts = field(default_factory=Texts.none)
    places: NDArray[Any] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.uint16))


def array_paths(kind: Any = DocumentTable, prefix: str = "") -> Iterator[str]:
    """The names of all arrays of the file, in order."""
    hints = get_type_hints(kind)
    for part in fields(kind):
        inner = hints[part.name]
        if is_dataclass(inner):
            yield from array_paths(inner, f"{prefix}{part.name}.")
        else:
            yield f"{prefix}{part.name}"


def encode_table(table: DocumentTable) -> tuple[tuple[bytes, ...], tuple[str, ...]]:
    """The compressed chunks of the file, and the checksum of each before compression."""
    chunks, digests = [], []
    for chunk in file_chunks(table):
        chunks.append(zlib.compress(chunk, LEVEL))
        digests.append(checksum(chunk))
    return tuple(chunks), tuple(digests)


def decode_chunk(stored: bytes, digest: str, where: str) -> bytes:
    """A chunk of the file; SnapshotCorrupt if it is not the one that was stored."""
    try:
        decompressor = zlib.decompressobj()
        chunk = decompressor.decompress(stored, CHUNK + 1)
    except zlib.error as error:
        raise SnapshotCorrupt(f"{where}: {error}") from error
    if len(chunk) > CHUNK or checksum(chunk) != digest:
        raise SnapshotCorrupt(f"{where}: the checksum does not match")
    return chunk


def has_checksums(file: IO[bytes], digests: Sequence[str]) -> bool:
    """Whether a file has the checksums of its chunks. Reads it, so that the pages of a mapping are not touched."""
    return all(checksum(file.read(CHUNK)) == digest for digest in digests) and not file.read(1)


def checksum(chunk: bytes) -> str:
    """The checksum of a chunk."""
    return hashlib.sha256(chunk).hexdigest()


def table_in(file: Any) -> DocumentTable:
    """The table in a file that is in memory or mapped; nothing is copied.

    Raises:
        SnapshotCorrupt: an array is missing, or the file is no such file.
    """
    try:
        if bytes(file[: len(MAGIC)]) != MAGIC:
            raise SnapshotCorrupt("this is no file of documents")
        end = HEAD + int.from_bytes(file[len(MAGIC) : HEAD], "little")
        first = _aligned(end)
        arrays = {
            path: np.ndarray(shape, dtype=np.dtype(kind), buffer=file, offset=first + offset)
            for path, (kind, offset, shape) in orjson.loads(bytes(file[HEAD:end])).items()
        }
        return build(DocumentTable, arrays)
    except (ValueError, TypeError, KeyError) as error:
        raise SnapshotCorrupt(f"the file of documents makes no sense: {error}") from error


def _file_of(table: DocumentTable) -> Iterator[bytes | memoryview]:
    """The file, piece by piece: its head, then the arrays, at the offsets from the first of them that it gives."""
    arrays = {path: np.ascontiguousarray(attribute(table, path)) for path in array_paths()}
    places, end = {}, 0
    for path, array in arrays.items():
        places[path] = (array.dtype.str, _aligned(end), array.shape)
        end = _aligned(end) + array.nbytes
    header = orjson.dumps(places)
    head = MAGIC + len(header).to_bytes(8, "little") + header
    yield head.ljust(_aligned(len(head)), b"\0")
    end = 0
    for path, array in arrays.items():
        yield bytes(places[path][1] - end)
        yield array.reshape(-1).view(np.uint8).data
        end = places[path][1] + array.nbytes


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNED) * ALIGNED


def file_chunks(table: DocumentTable) -> Iterator[bytes]:
    """The file in chunks, all of CHUNK bytes but the last."""
    chunk = bytearray()
    for piece in _file_of(table):
        rest = memoryview(piece)
        while len(chunk) + len(rest) >= CHUNK:
            taken = CHUNK - len(chunk)
            yield bytes(chunk + rest[:taken])
            chunk, rest = bytearray(), rest[taken:]
        chunk += rest
    if chunk:
        yield bytes(chunk)
