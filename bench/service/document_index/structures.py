"""Documents by tag in three structures: arrays of numpy, roaring bitmaps, a tantivy index."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import pyroaring
import tantivy

from snapshot import DocumentTable
from snapshot.version.documents.document_table import array_paths
from snapshot.version.encoding.fields import attribute
from tagmodel import DocumentIndex

QUERIES: Final = 300
LARGEST: Final = 3


@dataclass(frozen=True)
class Measured:
    """Bytes on disk, seconds to load, and milliseconds to count the documents with all tags, and to list them."""

    name: str
    size: int
    load_seconds: float
    count_ms: float
    list_ms: float


def queries(index: DocumentIndex, seed: int = 0) -> list[list[int]]:
    """One to three tags of one document each, so that there is always something to find."""
    random = np.random.default_rng(seed)
    found: list[list[int]] = []
    while len(found) < QUERIES:
        tags = index.tags_of(int(random.integers(index.document_count)))
        if len(tags):
            found.append(
                random.choice(tags, min(len(tags), int(random.integers(1, LARGEST + 1))), replace=False).tolist()
            )
    return found


def measure_all(index: DocumentIndex) -> Iterator[Measured]:
    """The three structures, asked the same questions; they must agree."""
    asked = queries(index)
    with tempfile.TemporaryDirectory() as folder:
        expected = None
        for name, build in (("numpy arrays, mapped", _arrays), ("roaring bitmaps", _bitmaps), ("tantivy", _tantivy)):
            size, load = build(index, Path(folder))
            began = time.perf_counter()
            structure = load()
            load_seconds = time.perf_counter() - began
            answers = [structure.count(query) for query in asked]  # warm
            expected = expected or answers
            if answers != expected or answers != [len(structure.documents(query)) for query in asked]:
                raise SystemExit(f"{name} finds other documents")
            counted, listed = (_milliseconds(each, asked) for each in (structure.count, structure.documents))
            yield Measured(name, size, load_seconds, counted, listed)


def _milliseconds(answer: Callable[[list[int]], object], asked: list[list[int]]) -> float:
    began = time.process_time()
    for query in asked:
        answer(query)
    return 1000 * (time.process_time() - began) / len(asked)


class Structure(Protocol):
    """Documents by tag."""

    def count(self, tags: Sequence[int]) -> int:
        """How many documents have all tags."""

    def documents(self, tags: Sequence[int]) -> Any:
        """The documents that have all tags."""


Loader = Callable[[], Structure]


@dataclass(frozen=True, eq=False)
class Arrays:
    """Sorted positions, intersected by bisection from the shortest list on."""

    positions: Any
    starts: Any

    def count(self, tags: Sequence[int]) -> int:
        """How many documents have all tags."""
        return len(self.documents(tags))

    def documents(self, tags: Sequence[int]) -> Any:
        """The documents that have all tags."""
        lists = sorted((self.positions[self.starts[tag] : self.starts[tag + 1]] for tag in tags), key=len)
        return reduce(_both, lists)


@dataclass(frozen=True, eq=False)
class Bitmaps:
    """A compressed bitmap for each tag."""

    maps: list[pyroaring.BitMap]

    def count(self, tags: Sequence[int]) -> int:
        """How many documents have all tags."""
        return len(self._found(tags))

    def documents(self, tags: Sequence[int]) -> Any:
        """The documents that have all tags, as the ranking needs them."""
        return np.array(self._found(tags).to_array(), dtype=np.uint32)

    def _found(self, tags: Sequence[int]) -> pyroaring.BitMap:
        return pyroaring.BitMap.intersection(*(self.maps[tag] for tag in tags))


@dataclass(frozen=True, eq=False)
class Tantivy:
    """A search engine's index."""

    schema: Any
    searcher: Any

    def count(self, tags: Sequence[int]) -> int:
        """How many documents have all tags."""
        return int(self.searcher.search(self._query(tags), limit=1, count=True).count or 0)

    def documents(self, tags: Sequence[int]) -> Any:
        """The addresses of the documents that have all tags."""
        return self.searcher.search(self._query(tags), limit=max(self.count(tags), 1), count=False).hits

    def _query(self, tags: Sequence[int]) -> Any:
        terms = [(tantivy.Occur.Must, tantivy.Query.term_query(self.schema, "tag", str(tag))) for tag in tags]
        return tantivy.Query.boolean_query(terms)


def _arrays(index: DocumentIndex, folder: Path) -> tuple[int, Loader]:
    for name in ("documents", "tag_starts"):
        np.save(folder / f"{name}.npy", getattr(index, name))

    def load() -> Structure:
        return Arrays(*(np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("documents", "tag_starts")))

    return index.documents.nbytes + index.tag_starts.nbytes, load


def _both(few: Any, many: Any) -> Any:
    """Documents in both sorted lists, the first being the shorter."""
    places = np.searchsorted(many, few)
    places[places == len(many)] = 0
    return few[many[places] == few]


def _bitmaps(index: DocumentIndex, folder: Path) -> tuple[int, Loader]:
    path = folder / "bitmaps"
    sizes = []
    with path.open("wb") as file:
        for tag in range(index.tag_count):
            bitmap = pyroaring.BitMap(index.documents_of(tag))
            bitmap.run_optimize()
            sizes.append(file.write(bitmap.serialize()))

    def load() -> Structure:
        content, ends = path.read_bytes(), np.cumsum([0, *sizes])
        return Bitmaps(
            [pyroaring.BitMap.deserialize(content[ends[tag] : ends[tag + 1]]) for tag in range(index.tag_count)]
        )

    return path.stat().st_size, load


def _tantivy(index: DocumentIndex, folder: Path) -> tuple[int, Loader]:
    path = folder / "tantivy"
    path.mkdir()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("tag", stored=False, tokenizer_name="raw", index_option="basic")
    schema = builder.build()
    writer = tantivy.Index(schema, path=str(path)).writer(200_000_000, 1)
    for document in range(index.document_count):
        writer.add_document(tantivy.Document(tag=[str(tag) for tag in index.tags_of(document).tolist()]))
    writer.commit()
    writer.wait_merging_threads()

    def load() -> Structure:
        return Tantivy(schema, tantivy.Index(schema, path=str(path)).searcher())

    return sum(file.stat().st_size for file in path.iterdir()), load


def sizes(table: DocumentTable) -> dict[str, int]:
    """Bytes of each array of the file."""
    return {path: int(attribute(table, path).nbytes) for path in array_paths()}
