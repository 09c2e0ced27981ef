"""python -m bench.service.document_index: writes bench/results/document-index.md. Clusters radio_large first."""

import re
import sys
import time
import zlib
from collections.abc import Iterator
from typing import Final

from bench.places import RESULTS
from bench.service.document_index.structures import measure_all, sizes
from bench.service.document_index.taking_up import machine, service_memory, store_bytes, take_up_seconds
from bench.service.serving.corpora import Served, served
from snapshot import DocumentTable
from snapshot.version.documents.document_table import encode_table, file_chunks

RESULT: Final = RESULTS / "document-index.md"
KEEP: Final = 5
LEVELS: Final = (0, 1, 6)


def main() -> None:
    """Measure the corpora named, by default two; sections about others stay."""
    sections = earlier()
    for name in sys.argv[1:] or ["radio_large", "demo"]:
        lines = []
        for line in section(name, served(name)):
            print(line, flush=True)
            lines.append(line)
        sections[lines[0].split(":")[0]] = "\n".join(lines)
        head = f"# The documents of a version, measured\n\n`python -m bench.service.document_index` on {machine()}.\n\n"
        RESULT.write_text(head + "\n".join(sections.values()).rstrip() + "\n")


def earlier() -> dict[str, str]:
    """The sections of earlier measurements, by their titles."""
    text = RESULT.read_text() if RESULT.exists() else ""
    return {part.split(":")[0]: part for part in re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]}


def section(name: str, corpus: Served) -> Iterator[str]:
    """All tables of one corpus."""
    table = corpus.documents.table
    if table is None:
        raise SystemExit(f"{name} was clustered without documents")
    documents = table.index.document_count
    yield from (
        f"## {name}: {documents:,} documents, {table.index.tag_count:,} tags, {len(table.index.tags):,} pairs",
        "",
    )
    yield from bytes_table(table, documents)
    yield from store_table(corpus, documents)
    yield from ("Time to take up a version, medians:", "", "| | wall s | processor s |", "|---|--:|--:|")
    for how, (wall, own) in take_up_seconds(corpus).items():
        yield f"| {how} | {wall:.2f} | {own:.2f} |"
    yield from ("", "Memory of the two processes of a service, MB:", "")
    yield from ("| | resident | of it anonymous | proportional share |", "|---|--:|--:|--:|")
    for documents_too in (False, True):
        for number, one in enumerate(service_memory(corpus, documents=documents_too), start=1):
            figures = " | ".join(f"{value / 1e6:.1f}" for value in one.values())
            yield f"| {'with' if documents_too else 'without'} documents, process {number} | {figures} |"
    yield from ("", "Documents with all of one to three tags in three structures, processor time:", "")
    yield from ("| | MB on disk | load s | ms to count them | ms to list them in an array |", "|---|--:|--:|--:|--:|")
    for each in measure_all(table.index):
        times = f"{each.load_seconds:.3f} | {each.count_ms:.3f} | {each.list_ms:.3f}"
        yield f"| {each.name} | {each.size / 1e6:.1f} | {times} |"
    yield ""


def bytes_table(table: DocumentTable, documents: int) -> Iterator[str]:
    """The file by array, and compressed."""
    found = sizes(table)
    yield from ("| array | bytes | bytes a document |", "|---|--:|--:|")
    for path, size in found.items():
        yield f"| `{path}` | {size:,} | {size / documents:.2f} |"
    total = sum(found.values())
    yield from (f"| all | {total:,} | {total / documents:.2f} |", "")
    chunks = list(file_chunks(table))
    yield from ("| zlib level | bytes | bytes a document | compress s | decompress s |", "|---|--:|--:|--:|--:|")
    for level in LEVELS:
        began = time.process_time()
        packed = [zlib.compress(chunk, level) for chunk in chunks]
        middle = time.process_time()
        for chunk in packed:
            zlib.decompress(chunk)
        end = time.process_time()
        size = sum(map(len, packed))
        yield f"| {level} | {size:,} | {size / documents:.2f} | {middle - began:.2f} | {end - middle:.2f} |"
    began = time.process_time()
    encode_table(table)
    yield from ("", f"Encoding with checksums takes {time.process_time() - began:.2f} s of processor time.", "")


def store_table(corpus: Served, documents: int) -> Iterator[str]:
    """The bytes of a version in the store, and of all that are kept."""
    yield from ("| in Redis | MB | bytes a document | MB × keep = 5 |", "|---|--:|--:|--:|")
    for part, size in store_bytes(corpus).items():
        yield f"| {part} | {size / 1e6:.2f} | {size / documents:.2f} | {KEEP * size / 1e6:.1f} |"
    yield ""


if __name__ == "__main__":
    main()
