"""Compares structures for postings at 586,274 documents: numpy arrays, Roaring bitmaps and tantivy."""

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.service.documents.cost import LARGE, PAGE, Bm25, zipf_queries
from bench.service.documents.tasks import MIN_COUNT, tagged
from cocluster import document_index, incidence
from service.questions.documents.sets import documents_with_all
from tagmodel import DocumentIndex

REPEATED: Final = 200
"""Queries of each kind that are timed."""


def compare() -> list[dict[str, Any]]:
    """Bytes a document, seconds to load from a file, milliseconds to find the documents with all tags, and for BM25."""
    index = document_index(incidence(tagged(LARGE).matrix, MIN_COUNT).matrix)
    queries = zipf_queries(index)[:REPEATED]
    with tempfile.TemporaryDirectory() as folder:
        return [
            numpy_figures(index, queries, Path(folder)),
            roaring_figures(index, queries, Path(folder)),
            tantivy_figures(index, queries, Path(folder)),
        ]


def numpy_figures(index: DocumentIndex, queries: Sequence[tuple[int, ...]], folder: Path) -> dict[str, Any]:
    """Documents by tag and tags by document, mapped from files."""
    names = ("tag_starts", "documents", "document_starts", "tags", "sizes")
    for name in names:
        np.save(folder / f"{name}.npy", getattr(index, name))
    start = time.process_time()
    mapped = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in names}
    load = time.process_time() - start
    return {
        "structure": "numpy, memory map",
        "bytes": sum(array.nbytes for array in mapped.values()) / index.document_count,
        "load": load,
        "all": median_time(queries, lambda query: documents_with_all(index, query)),
        "ranked": median_time(queries, Bm25(index).best),
    }


def roaring_figures(index: DocumentIndex, queries: Sequence[tuple[int, ...]], folder: Path) -> dict[str, Any]:
    """A bitmap for each tag; it has no scores, and the tags of a document must be stored beside it."""
    from pyroaring import BitMap  # noqa: PLC0415 - an extra that may be missing

    maps = [BitMap(index.documents_of(tag)) for tag in range(index.tag_count)]
    for each in maps:
        each.run_optimize()
    stored = [each.serialize() for each in maps]
    (folder / "roaring").write_bytes(b"".join(stored))
    start = time.process_time()
    loaded = [BitMap.deserialize(each) for each in stored]
    load = time.process_time() - start
    tags_of_documents = index.tags.nbytes + index.document_starts.nbytes + index.sizes.nbytes
    return {
        "structure": "Roaring bitmaps",
        "bytes": (sum(map(len, stored)) + tags_of_documents) / index.document_count,
        "load": load,
        "all": median_time(queries, lambda query: BitMap.intersection(*(loaded[tag] for tag in query))),
        "ranked": None,
    }


def tantivy_figures(index: DocumentIndex, queries: Sequence[tuple[int, ...]], folder: Path) -> dict[str, Any]:
    """A full-text index with the tags as words."""
    import tantivy  # noqa: PLC0415 - an extra that may be missing

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("tags", stored=False, tokenizer_name="whitespace", index_option="freq")
    path = folder / "tantivy"
    path.mkdir()
    schema = builder.build()
    writer = tantivy.Index(schema, path=str(path)).writer(200_000_000, 1)
    for document in range(index.document_count):
        writer.add_document(tantivy.Document(tags=" ".join(map(str, index.tags_of(document).tolist()))))
    writer.commit()
    writer.wait_merging_threads()
    start = time.process_time()
    opened = tantivy.Index.open(str(path))
    searcher = opened.searcher()
    load = time.process_time() - start

    def search(query: tuple[int, ...], occur: Any) -> Any:
        terms = [(occur, tantivy.Query.term_query(schema, "tags", str(tag))) for tag in query]
        return searcher.search(tantivy.Query.boolean_query(terms), limit=PAGE, count=occur == tantivy.Occur.Must)

    return {
        "structure": "tantivy",
        "bytes": sum(each.stat().st_size for each in path.rglob("*") if each.is_file()) / index.document_count,
        "load": load,
        "all": median_time(queries, lambda query: search(query, tantivy.Occur.Must)),
        "ranked": median_time(queries, lambda query: search(query, tantivy.Occur.Should)),
    }


def median_time(queries: Sequence[tuple[int, ...]], answer: Callable[[tuple[int, ...]], object]) -> float:
    """Milliseconds of processor time."""
    times = []
    for query in queries:
        start = time.process_time()
        answer(query)
        times.append(time.process_time() - start)
    return float(np.median(times) * 1000)
