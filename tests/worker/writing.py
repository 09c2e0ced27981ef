"""The same documents in every form that a file can have."""

import csv
import gzip
import io
import json

from worker.corpora.declaration import Corpus
from worker.sources.declarations import FileSource
from worker.sources.formats.streams.lines import zstd

CHECKED = {zstd.CompressionParameter.checksum_flag: True}
COMPRESSED = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": lambda content: zstd.compress(content, options=CHECKED),
}
DELIMITERS = {"csv": ",", "tsv": "\t"}


def corpus_of(path, **source):
    """A corpus of one file or glob."""
    table = FileSource(files=str(path), **source)
    return Corpus(name="one", source=table, path=path)


def encoded(documents, kind, layout="list", *, header=True, separator=None):
    """Documents as (id, tags, label) in the bytes of a file."""
    rows = list(documents) if layout == "list" else [(i, tag, label) for i, tags, label in documents for tag in tags]
    tags = "tags" if layout == "list" else "tag"
    records = [{"id": i, tags: value, "label": label} for i, value, label in rows]
    if kind == "jsonl":
        return "".join(json.dumps(record) + "\n" for record in records).encode()
    if kind == "json":
        return json.dumps(records, indent=2).encode()
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=DELIMITERS[kind])
    if header:
        writer.writerow(["id", "label", tags])
    for i, value, label in rows:
        cell = value if layout == "pairs" else separator.join(value) if separator else json.dumps(value)
        writer.writerow([i, label or "", cell])
    return out.getvalue().encode()


def write(path, documents, kind, **how):
    """One file, compressed as its name says."""
    path.write_bytes(COMPRESSED.get(path.suffix, bytes)(encoded(documents, kind, **how)))
    return path
