"""Documents by tag in three structures: arrays of numpy, roaring bitmaps, a tantivy index."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyroaring
import tantivy

from snapshot import DocumentTable
from snapshot.document_table import array_paths
from snapshot.fields import attribute
from tagmodel import DocumentIndex

QUERIES: Final = 300
LARGEST: Final = 3


@dataclass(frozen=True)
class Measured:
    """Bytes on disk, seconds to load, and milliseconds of processor time to find all documents with all tags."""

    name: str
    size: int
    load_seconds: float
    milliseconds: float


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
            count = load()
            load_seconds = time.perf_counter() - began
            answers = [count(query) for query in asked]  # warm
            began = time.process_time()
            answers = [count(query) for query in asked]
            spent = time.process_time() - began
            expected = expected or answers
            if answers != expected:
                raise SystemExit(f"{name} finds other documents")
            yield Measured(name, size, load_seconds, 1000 * spent / len(asked))


Count = Callable[[Sequence[int]], int]
Loader = Callable[[], Count]


def _arrays(index: DocumentIndex, folder: Path) -> tuple[int, Loader]:
    for name in ("documents", "tag_starts"):
        np.save(folder / f"{name}.npy", getattr(index, name))

    def load() -> Count:
        documents = np.load(folder / "documents.npy", mmap_mode="r")
        starts = np.load(folder / "tag_starts.npy", mmap_mode="r")

        def count(tags: Sequence[int]) -> int:
            lists = sorted((documents[starts[tag] : starts[tag + 1]] for tag in tags), key=len)
            return len(reduce(_both, lists))

        return count

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

    def load() -> Count:
        content, ends = path.read_bytes(), np.cumsum([0, *sizes])
        maps = [pyroaring.BitMap.deserialize(content[ends[tag] : ends[tag + 1]]) for tag in range(index.tag_count)]
        return lambda tags: len(pyroaring.BitMap.intersection(*(maps[tag] for tag in tags)))

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

    def load() -> Count:
        searcher = tantivy.Index(schema, path=str(path)).searcher()

        def count(tags: Sequence[int]) -> int:
            terms = [(tantivy.Occur.Must, tantivy.Query.term_query(schema, "tag", str(tag))) for tag in tags]
            return int(searcher.search(tantivy.Query.boolean_query(terms), limit=1, count=True).count or 0)  # type: ignore[attr-defined]

        return count

    return sum(file.stat().st_size for file in path.iterdir()), load


def sizes(table: DocumentTable) -> dict[str, int]:
    """Bytes of each array of the file."""
    return {path: int(attribute(table, path).nbytes) for path in array_paths()}
